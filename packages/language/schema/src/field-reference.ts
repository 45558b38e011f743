import type { JsonSchemaProps } from './json-schema-props.js';
import { additionalSchema } from './forbidden-keywords.js';
import { childPath, keyPath } from './field-path.js';

/** A schema field named by a simple JSON path. */
export type FieldReference =
  | {
      readonly ok: true;
      readonly path: string;
      /** Its first name. */ readonly root: string;
      /** `undefined` below values without a schema. */ readonly schema: JsonSchemaProps | undefined;
    }
  | { readonly ok: false; readonly error: string };

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['\\', '\\'],
]);

/**
 * Follows `.spec.name` or `.spec['a.b']` through a schema, with the API server's errors. An empty path is the object
 * itself.
 */
export function resolveFieldReference(
  jsonPath: string,
  schema: JsonSchemaProps,
  allowBrackets: boolean,
): FieldReference {
  const tokens = tokensOf(jsonPath);
  const names: string[] = [];
  let path = '';
  let at: JsonSchemaProps | undefined = schema;
  for (let index = 0; index < tokens.length; index++) {
    const opening = tokens[index];
    if (opening !== '.' && opening !== '[') return failure(`expected [ or . but got: ${opening ?? ''}`);
    if (opening === '[' && !allowBrackets) return failure('array notation is not allowed');
    const token = tokens[++index];
    if (token === undefined) return failure('unexpected end of JSON path');
    let name = token;
    if (opening === '[') {
      if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'"))
        return failure(`expected single quoted string but got ${token}`);
      const unescaped = unescape(token.slice(1, -1));
      if (!unescaped.ok) return failure(`invalid string literal: invalid escape char ${unescaped.escape}`);
      name = unescaped.text;
    }
    const isStruct: boolean = Object.keys(at?.properties ?? {}).length > 0;
    if (!isStruct && at?.additionalProperties === undefined) return failure('does not refer to a valid field');
    path = isStruct ? childPath(path, name) : keyPath(path, name);
    if (isStruct && !Object.hasOwn(at?.properties ?? {}, name)) return failure('does not refer to a valid field');
    at = isStruct ? at?.properties?.[name] : at === undefined ? undefined : additionalSchema(at);
    names.push(name);
    if (opening === '[') {
      const closing = tokens[++index];
      if (closing === undefined) return failure('unexpected end of JSON path');
      if (closing !== ']') return failure(`expected ] but got ${closing}`);
    }
  }
  return { ok: true, path, root: names[0] ?? '', schema: at };
}

const failure = (error: string): FieldReference => ({ ok: false, error });

/** Delimiters, quoted strings, and the text between. */
const tokensOf = (path: string): string[] => path.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]']+|'.*/gsu) ?? [];

function unescape(
  text: string,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly escape: string } {
  let wrong: string | undefined;
  const unescaped = text.replaceAll(/\\(.)/gsu, (escape: string, char: string) => {
    const known = ESCAPES.get(char);
    if (known === undefined) wrong ??= escape;
    return known ?? '';
  });
  return wrong === undefined ? { ok: true, text: unescaped } : { ok: false, escape: wrong };
}
