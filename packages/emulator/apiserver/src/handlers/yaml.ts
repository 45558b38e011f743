import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { type JsonValue, parse as parseJson, stringify } from '@hawser/json';

let library: typeof Yaml | undefined;

/** Loaded with the first YAML: nearly every request is JSON, and the server must start fast. */
function yaml(): typeof Yaml {
  library ??= createRequire(import.meta.url)('yaml') as typeof Yaml;
  return library;
}

/** Go's YAML reads a single dot as text. */
const customTags = (tags: Yaml.Tags): Yaml.Tags =>
  tags.map((tag) => (typeof tag === 'object' && tag.collection === undefined ? withoutDot(tag) : tag));

function withoutDot(tag: Yaml.ScalarTag): Yaml.ScalarTag {
  return tag.test?.test('.') === true ? { ...tag, test: new RegExp(`^(?!\\.$)(?:${tag.test.source})`, 'u') } : tag;
}

/** Throws an Error with a message for people. */
export function parseYaml(text: string): JsonValue {
  // Only the first of several documents counts.
  const [document] = yaml().parseAllDocuments(text, {
    intAsBigInt: true,
    uniqueKeys: false,
    version: '1.1',
    schema: 'yaml-1.1',
    customTags,
  });
  if (document === undefined || !('errors' in document)) return null;
  const [error] = document.errors;
  if (error !== undefined) throw new Error(error.message.split('\n')[0] ?? 'not YAML');
  return parseJson(stringify(document.toJS()));
}

export function stringifyYaml(value: unknown): string {
  return yaml().stringify(value, { version: '1.1', sortMapEntries: true, customTags, indentSeq: false, lineWidth: 0 });
}
