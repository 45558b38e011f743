import type { SchemaNode } from '../definition.js';
import type { KeywordContext } from './keyword.js';

/** `apart`: nothing more can be said about values of another type. */
export function compareTypes(
  before: SchemaNode,
  after: SchemaNode,
  { path, report }: KeywordContext,
): 'apart' | 'together' {
  const [was, is] = [typesOf(before), typesOf(after)];
  const words = `is ${nameOf(is)}, was ${nameOf(was)}`;
  if (is === undefined) {
    if (was !== undefined) report('type-widened', path, words);
    return 'together';
  }
  if (was?.every((type) => takes(is, type)) === true) {
    if (was.length !== is.length || was.some((type) => !is.includes(type))) report('type-widened', path, words);
    return 'together';
  }
  report('type-changed', path, words);
  return was === undefined || was.some((type) => takes(is, type)) ? 'together' : 'apart';
}

function takes(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

/** Allowed types of a value; undefined for any. */
function typesOf(schema: SchemaNode): readonly string[] | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  const { type } = schema;
  return typeof type === 'string' && type !== '' ? [type] : undefined;
}

function nameOf(types: readonly string[] | undefined): string {
  return types === undefined ? 'of any type' : types.join(' or ');
}
