// The fields of the config file as tables: names, values and defaults from its schema, words from the comments in the source of the schema.
import ts from 'typescript';

/** What is read of a JSON schema. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

export interface Field {
  /** `syncagent.agents[].lease.enabled`. */
  readonly path: string;
  readonly default: string;
  readonly values: string;
  readonly comment: string | undefined;
}

/** Every field that has a value of its own, and every object with a comment, in the order of the schema. */
export function fieldsOf(schema: Schema, comments: ReadonlyMap<string, string>): readonly Field[] {
  return walk(schema, '', undefined, comments);
}

function walk(schema: Schema, path: string, given: unknown, comments: ReadonlyMap<string, string>): readonly Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const preset = own(given, name) ?? child.default;
    const comment = comments.get(at);
    if (child.properties !== undefined) {
      const optional = preset === undefined && !(schema.required ?? []).includes(name);
      return [{ path: at, default: optional ? 'absent' : '', values: '', comment }, ...walk(child, at, preset, comments)];
    }
    const field = { path: at, default: shown(preset, schema.required ?? [], name), values: valuesOf(child), comment };
    return child.items?.properties === undefined ? [field] : [field, ...walk(child.items, `${at}[]`, undefined, comments)];
  });
}

function own(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function shown(value: unknown, required: readonly string[], name: string): string {
  if (value === undefined) return required.includes(name) ? 'required' : 'absent';
  return value === '' ? 'empty' : `\`${JSON.stringify(value).replaceAll('"', '')}\``;
}

function valuesOf({ type, items, enum: words, minimum, maximum, exclusiveMinimum }: Schema): string {
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(', ');
  if (items?.enum !== undefined) return `any of ${items.enum.map((word) => `\`${word}\``).join(', ')}`;
  if (items !== undefined) return 'list';
  if (type === 'boolean') return '`true`, `false`';
  if (type !== 'integer' && type !== 'number') return type === 'object' ? 'object' : '';
  const kind = type === 'integer' ? 'integer' : 'number';
  const above = exclusiveMinimum === undefined ? '' : `, above ${exclusiveMinimum}`;
  const most = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? '' : `, at most ${maximum}`;
  return `${kind}${minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? above : `, at least ${minimum}`}${most}`;
}

/** The comments of the fields by path, from a source in which `root` is an object of zod. */
export function commentsOf(source: string, root: string): ReadonlyMap<string, string> {
  const file = ts.createSourceFile('config.ts', source, ts.ScriptTarget.Latest, true);
  const constants = new Map(file.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => declarationList.declarations.map((one) => [one.name.getText(), one.initializer] as const)));
  const comments = new Map<string, string>();
  const visit = (node: ts.Expression | undefined, path: string): void => {
    if (node === undefined) return;
    if (ts.isIdentifier(node)) visit(constants.get(node.text), path);
    else if (ts.isPropertyAccessExpression(node)) visit(node.expression, path);
    else if (ts.isObjectLiteralExpression(node)) {
      for (const property of node.properties) {
        if (ts.isSpreadAssignment(property)) visit(property.expression, path);
        if (!ts.isPropertyAssignment(property)) continue;
        const at = path === '' ? property.name.getText() : `${path}.${property.name.getText()}`;
        const comment = commentBefore(property, source);
        if (comment !== undefined) comments.set(at, comment);
        visit(property.initializer, at);
      }
    } else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression, name } = node.expression;
      // z.strictObject({…}), z.array(…); else something().default(…), of which the first part counts.
      if (!(ts.isIdentifier(expression) && expression.text === 'z')) visit(expression, path);
      else if (name.text === 'array') visit(node.arguments[0], `${path}[]`);
      else visit(node.arguments[0], path);
    }
  };
  visit(constants.get(root), '');
  return comments;
}

function commentBefore(node: ts.Node, source: string): string | undefined {
  const range = ts.getLeadingCommentRanges(source, node.getFullStart())?.at(-1);
  return range === undefined ? undefined : source.slice(range.pos + 2, range.end - 2).split('\n').map((line) => line.replace(/^\s*\*+ ?/u, '').trim()).join(' ').trim();
}

/** A table for each of the roles, and one before them for what counts for the process. */
export function fieldsMarkdown(fields: readonly Field[], roles: readonly string[]): string {
  const roleOf = ({ path }: Field): string => roles.find((role) => path === role || path.startsWith(`${role}.`)) ?? 'The process';
  return ['The process', ...roles].map((title) => {
    const rows = fields.filter((field) => roleOf(field) === title && field.path !== title);
    return `### ${title}\n\n| field | default | values | |\n| --- | --- | --- | --- |\n${rows.map(row).join('\n')}`;
  }).join('\n\n');
}

function row({ path, default: preset, values, comment = '' }: Field): string {
  const words = comment.replaceAll('|', '\\|').split(/(`[^`]*`)/u).map((part) => (part.startsWith('`') ? part : part.replaceAll('*', '\\*').replaceAll('<', '&lt;'))).join('');
  return `| \`${path}\` | ${preset} | ${values} | ${words} |`;
}
