import type { JsonSchemaProps } from '@hawser/schema';

/** Tokens of a path: `.`, `[`, `]`, names, and single-quoted texts. */
const tokens = (path: string): string[] => path.match(/'(?:[^'\\]|\\[^])*'|[.[\]]|[^.[\]']+/g) ?? [];

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

const unquote = (token: string): string | undefined => {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    return undefined;
  }
  const body = token.slice(1, -1);
  const valid = Array.from(body.matchAll(/\\([^])/g)).every(([, character = '']) => character in escapes);
  return valid ? body.replace(/\\([^])/g, (_, character: string) => escapes[character] ?? '') : undefined;
};

interface ResolvedField {
  readonly path: string;
  readonly schema: JsonSchemaProps;
}

const step = (field: ResolvedField, name: string): ResolvedField | undefined => {
  const { properties, additionalProperties } = field.schema;
  if (properties !== undefined) {
    const schema = properties[name];
    return schema === undefined ? undefined : { path: field.path === '' ? name : `${field.path}.${name}`, schema };
  }
  return typeof additionalProperties === 'object'
    ? { path: `${field.path}[${name}]`, schema: additionalProperties }
    : undefined;
};

/**
 * The `fieldPath` of a rule (`.spec.name`, `['a.b']`) in error form, or undefined if the schema lacks it
 * (`apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go`, `ValidFieldPath`).
 */
export const resolveFieldPath = (path: string, schema: JsonSchemaProps): string | undefined => {
  const pieces = tokens(path);
  let field: ResolvedField | undefined = { path: '', schema };
  for (let at = 0; at < pieces.length && field !== undefined;) {
    const [delimiter, name = '', close] = pieces.slice(at, at + 3);
    if (delimiter === '.' && name !== '') {
      field = step(field, name);
      at += 2;
    } else if (delimiter === '[' && close === ']') {
      const key = unquote(name);
      field = key === undefined ? undefined : step(field, key);
      at += 3;
    } else {
      return undefined;
    }
  }
  return field?.path;
};
