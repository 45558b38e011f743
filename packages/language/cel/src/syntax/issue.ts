/** A problem of an expression, before it runs. */
export interface Issue {
  /** In code units from the start of the source. */
  readonly offset: number;
  readonly message: string;
}

/** Why the source is not an expression. */
export class CelSyntaxError extends Error {
  override readonly name = 'CelSyntaxError';
  readonly code = 'CEL_SYNTAX';

  constructor(readonly issues: readonly Issue[]) {
    super(issues[0]?.message);
  }
}

interface Location {
  readonly line: number;
  /** In characters from the start of the line. */
  readonly column: number;
}

const locate = (source: string, offset: number): Location => {
  const before = source.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: Array.from(before.slice(lineStart)).length };
};

const isWide = (character: string): boolean => character > '\u007f';

const marker = (line: string, column: number): string => {
  const characters = Array.from(line);
  const dots = characters.slice(0, column).map((character) => (isWide(character) ? '\uff0e' : '.'));
  const at = characters[column];
  return dots.join('') + (at !== undefined && isWide(at) ? '\uff3e' : '^');
};

/**
 * The issues as an API server prints them (cel-go `Errors.ToDisplayString`): for each one `ERROR: <input>:line:column:
 * …`, its line and a marker.
 */
export const displayIssues = (source: string, issues: readonly Issue[]): string => {
  const lines = source.split('\n');
  return issues
    .map((issue) => ({ issue, location: locate(source, issue.offset) }))
    .sort((a, b) => a.location.line - b.location.line || a.location.column - b.location.column)
    .map(({ issue, location }) => {
      const line = (lines[location.line - 1] ?? '').replaceAll('\t', ' ');
      return `ERROR: <input>:${location.line}:${location.column + 1}: ${issue.message}\n | ${line}\n | ${marker(line, location.column)}`;
    })
    .join('\n');
};
