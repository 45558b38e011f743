import ts from 'typescript';
import type { Edit, Mutant } from './mutant.js';

/**
 * The source of a file with all its mutants in it, each behind a switch. A mutated function gets one more body per
 * mutant, which runs while `globalThis.hawserMutant` is the mutant's name. Without a name the original body runs.
 *
 * Doubles functions, not whole files: a module may have state, and types compared by identity.
 *
 * @throws Error if a `find` does not occur exactly once, or outside the body of a function
 */
export function withMutants(text: string, file: string, mutants: readonly Mutant[]): string {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const laid = withoutLayout(text);
  const changes = mutants.flatMap(({ name, edits }) =>
    edits.filter((edit) => edit.file === file).map((edit) => locate(laid, source, name, edit)),
  );
  return changes.length === 0 ? text : doubled(text, changes, 0, text.length);
}

/**
 * A change that {@link withChanges} puts behind the switch of a name: the text between two offsets becomes `replace`.
 */
export interface TextChange {
  readonly mutant: string;
  readonly start: number;
  readonly end: number;
  readonly replace: string;
}

/**
 * {@link withMutants} for known places. A changed function also adds the names of its changes, in one text, to the set
 * `globalThis.hawserReached`, if it exists.
 *
 * @throws Error if a place is in no function
 */
export function withChanges(text: string, file: string, changes: readonly TextChange[]): string {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const located = changes.map((change): Change => {
    const body = bodyAround(source, change.start, change.end);
    if (body === undefined) throw new Error(`mutant ${change.mutant}: is in no function of ${file}`);
    return { ...change, body };
  });
  return located.length === 0
    ? text
    : doubled(
        text,
        located,
        0,
        text.length,
        (names) => `globalThis.hawserReached?.add(${JSON.stringify(names.join(' '))})`,
      );
}

interface Change extends TextChange {
  /** The body of the function around it. */
  readonly body: ts.ConciseBody;
}

function locate(laid: WithoutLayout, source: ts.SourceFile, mutant: string, { file, find, replace }: Edit): Change {
  const { text } = withoutLayout(find);
  const at = laid.text.indexOf(text);
  if (at < 0 || laid.text.includes(text, at + 1))
    throw new Error(`mutant ${mutant}: ${at < 0 ? 'is not' : 'is more than once'} in ${file}: ${find}`);
  const start = laid.positions[at] ?? 0;
  const end = (laid.positions[at + text.length - 1] ?? 0) + 1;
  const body = bodyAround(source, start, end);
  if (body === undefined) throw new Error(`mutant ${mutant}: is in no function of ${file}: ${find}`);
  return { mutant, start, end, replace, body };
}

interface WithoutLayout {
  readonly text: string;
  /** Position of each character of `text` in the source. */
  readonly positions: readonly number[];
}

/** A source without what a formatter changes: white space, and commas before a closing bracket. */
function withoutLayout(source: string): WithoutLayout {
  const positions = [...source.matchAll(/\S/gu)]
    .filter(({ 0: character, index }) => character !== ',' || !/^\s*[)\]}]/u.test(source.slice(index + 1, index + 200)))
    .map(({ index }) => index);
  return { text: positions.map((position) => source[position]).join(''), positions };
}

/** The body of the innermost function whose body contains the range. */
function bodyAround(source: ts.SourceFile, start: number, end: number): ts.ConciseBody | undefined {
  let found: ts.ConciseBody | undefined;
  const visit = (node: ts.Node): void => {
    if (node.pos > start || node.end < end) return;
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const [from, to] = inside(node.body);
      if (from <= start && end <= to) found = node.body;
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** A block without its braces, an expression whole. */
function inside(body: ts.ConciseBody): readonly [number, number] {
  return ts.isBlock(body) ? [body.getStart() + 1, body.end - 1] : [body.getFullStart(), body.end];
}

/** The text between two places, with every mutated function in it doubled. */
function doubled(
  text: string,
  changes: readonly Change[],
  from: number,
  to: number,
  reached?: (names: readonly string[]) => string,
): string {
  const bodies = [...new Set(changes.map(({ body }) => body))].filter((body) => body.pos >= from && body.end <= to);
  const outermost = bodies
    .filter((body) => !bodies.some((other) => other !== body && other.pos <= body.pos && body.end <= other.end))
    .sort((a, b) => a.pos - b.pos);
  let out = '';
  let at = from;
  for (const body of outermost) {
    const [start, end] = inside(body);
    const its = changes.filter((change) => change.start >= start && change.end <= end);
    const names = [...new Set(its.filter((change) => change.body === body).map(({ mutant }) => mutant))];
    const original = doubled(
      text,
      its.filter((change) => change.body !== body),
      start,
      end,
      reached,
    );
    const note = names.length === 0 ? undefined : reached?.(names);
    const mutated = names.map(
      (name) =>
        [
          name,
          edited(
            text,
            its.filter(({ mutant }) => mutant === name),
            start,
            end,
          ),
        ] as const,
    );
    out += text.slice(at, start);
    out += ts.isBlock(body)
      ? `${note === undefined ? '' : ` ${note};`} ${mutated.map(([name, code]) => `if (globalThis.hawserMutant === ${JSON.stringify(name)}) {${code}\n} else `).join('')}{${original}\n} `
      : ` (${note === undefined ? '' : `${note}, `}${mutated.map(([name, code]) => `globalThis.hawserMutant === ${JSON.stringify(name)} ? (${code}\n) : `).join('')}(${original}\n))`;
    at = end;
  }
  return out + text.slice(at, to);
}

function edited(text: string, changes: readonly Change[], from: number, to: number): string {
  let out = '';
  let at = from;
  for (const { start, end, replace } of changes.toSorted((a, b) => a.start - b.start)) {
    out += text.slice(at, start) + replace;
    at = end;
  }
  return out + text.slice(at, to);
}
