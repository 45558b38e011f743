// Renders the config file's fields as tables: names, descriptions, values and defaults from its schema.

/** The used part of a JSON schema. */
export interface Schema {
  readonly description?: string;
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
  readonly description: string | undefined;
}

/** Every field with a value of its own, and every object with a description, in the order of the schema. */
export function fieldsOf(schema: Schema): readonly Field[] {
  return walk(schema, '', undefined);
}

function walk(schema: Schema, path: string, given: unknown): readonly Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const preset = own(given, name) ?? child.default;
    const { description } = child;
    if (child.properties !== undefined) {
      const optional = preset === undefined && !(schema.required ?? []).includes(name);
      return [{ path: at, default: optional ? 'absent' : '', values: '', description }, ...walk(child, at, preset)];
    }
    const field = {
      path: at,
      default: shown(preset, schema.required ?? [], name),
      values: valuesOf(child),
      description,
    };
    return child.items?.properties === undefined ? [field] : [field, ...walk(child.items, `${at}[]`, undefined)];
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

/** A table for the process, then one for each role. */
export function fieldsMarkdown(fields: readonly Field[], roles: readonly string[]): string {
  const roleOf = ({ path }: Field): string =>
    roles.find((role) => path === role || path.startsWith(`${role}.`)) ?? 'The process';
  return ['The process', ...roles]
    .map((title) => {
      const rows = fields.filter((field) => roleOf(field) === title && field.path !== title);
      return `### ${title}\n\n| field | default | values | |\n| --- | --- | --- | --- |\n${rows.map(row).join('\n')}`;
    })
    .join('\n\n');
}

function row({ path, default: preset, values, description = '' }: Field): string {
  const words = description
    .replaceAll('|', '\\|')
    .split(/(`[^`]*`)/u)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('*', '\\*').replaceAll('<', '&lt;')))
    .join('');
  return `| \`${path}\` | ${preset} | ${values} | ${words} |`;
}
