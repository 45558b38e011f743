import type { DefinitionSpec } from '@hawser/schemadiff';

type Schema = Readonly<Record<string, unknown>>;

/** Databases with this schema for `spec.size`. */
export function databases(size: Schema = { type: 'integer' }, more: object = {}): DefinitionSpec {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size, name: { type: 'string' } } } },
    },
  };
  return {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Database', plural: 'databases' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
    ...more,
  };
}

/** The same with a given schema for `spec`. */
export function databasesWith(spec: Schema, more: object = {}): DefinitionSpec {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  return { ...databases(), versions: [{ name: 'v1', served: true, storage: true, schema }], ...more };
}
