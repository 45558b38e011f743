import { isObject, type JsonObject, type JsonValue } from '@hawser/json';

type Step =
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'equals'; readonly path: readonly string[]; readonly value: JsonValue };

/**
 * A JSON path in a CRD's columns and selectable fields: keys, indexes, `[*]`, and filters that compare with a literal.
 */
export interface JsonPath {
  /** All results, in order. A missing value gives none. */
  find(object: JsonObject): readonly JsonValue[];
}

/** Undefined for an unsupported path. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps = parseSteps(text);
  if (steps === undefined) return undefined;
  return {
    find: (object) =>
      steps.reduce<readonly JsonValue[]>((values, step) => values.flatMap((value) => follow(value, step)), [object]),
  };
}

/**
 * A field after a dot extends to its terminator, so it may be a label's name:
 * `.metadata.annotations.example\.com/size`.
 */
const TOKEN =
  /\.(?<field>(?:[^\s.,[\]$@{}\\*]|\\.)+)|(?<key>(?:[A-Za-z0-9_$-]|\\.)+)|\[(?<index>-?\d+)\]|\[['"](?<quoted>[^'"]*)['"]\]|\.?(?<all>\[?\*\]?)|\[\?\(@(?<path>(?:\.(?:[^\s.,[\]$@{}\\*=()]|\\.)+)+)\s*==\s*(?<literal>"[^"]*"|'[^']*'|-?[\d.]+|true|false)\s*\)\]/uy;

function parseSteps(text: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  let position = 0;
  while (position < text.length) {
    TOKEN.lastIndex = position;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) return undefined;
    position = TOKEN.lastIndex;
    const name = groups['field'] ?? groups['key'];
    if (name !== undefined) steps.push({ kind: 'key', name: unescape(name) });
    else if (groups['quoted'] !== undefined) steps.push({ kind: 'key', name: groups['quoted'] });
    else if (groups['index'] !== undefined) steps.push({ kind: 'index', index: Number(groups['index']) });
    else if (groups['all'] !== undefined) steps.push({ kind: 'all' });
    else steps.push({ kind: 'equals', path: splitKeys(groups['path'] ?? ''), value: literal(groups['literal'] ?? '') });
  }
  return steps;
}

const unescape = (key: string): string => key.replaceAll(/\\(.)/gu, '$1');

const splitKeys = (path: string): readonly string[] => (path.match(/(?:[^.\\]|\\.)+/gu) ?? []).map(unescape);

function literal(text: string): JsonValue {
  return /^['"]/u.test(text) ? text.slice(1, -1) : (JSON.parse(text) as JsonValue);
}

function follow(value: JsonValue, step: Step): readonly JsonValue[] {
  switch (step.kind) {
    case 'key': {
      const child = isObject(value) ? field(value, step.name) : undefined;
      return child === undefined ? [] : [child];
    }
    case 'index': {
      const child = isArray(value) ? value.at(step.index) : undefined;
      return child === undefined ? [] : [child];
    }
    case 'all':
      return isArray(value)
        ? value
        : isObject(value)
          ? Object.values(value).filter((child) => child !== undefined)
          : [];
    case 'equals':
      return isArray(value) ? value.filter((child) => matches(child, step.path, step.value)) : [];
  }
}

function matches(value: JsonValue, path: readonly string[], wanted: JsonValue): boolean {
  let found: JsonValue | undefined = value;
  for (const key of path) found = isObject(found) ? field(found, key) : undefined;
  return found === wanted;
}

const isArray = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

/** An own key: inherited ones are not part of a document. */
const field = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
