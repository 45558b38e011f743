import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ConversionError } from './convert/conversion-error.js';
import { crdFromBoundSchema } from './convert/bound-schema-to-crd.js';
import { boundSchemaSpecFromCRD } from './convert/crd-to-bound-schema.js';
import { crdFromV1alpha1Export, v1alpha1ExportFromCRD } from './convert/v1alpha1.js';
import { exportHash, schemaHash } from './hash/schema-hash.js';
import { v1alpha1Hash } from './hash/v1alpha1-hash.js';
import { crdOf } from './crd/crds.js';
import { type Kind, allKinds } from './kinds/all-kinds.js';
import { validate, validateUpdate } from './validate.js';

interface Schema {
  readonly type?: 'string' | 'integer' | 'boolean' | 'array' | 'object' | undefined;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

const junk = fc.oneof(
  fc.constantFrom<unknown>(null, '', 'x', 0, -1, 1.5, true, 9223372036854775807n),
  fc.array(fc.constantFrom<unknown>(null, 1, 'y'), { maxLength: 2 }),
  fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'a', 'name'), fc.constantFrom<unknown>(null, {}, [], 'z'), {
    maxKeys: 2,
  }),
);

/** Values that the schema means, with something else here and there. `mess`: one in how many. */
function valueOf(schema: Schema, mess: number): fc.Arbitrary<unknown> {
  const meant = (): fc.Arbitrary<unknown> => {
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    switch (schema.type) {
      case 'string':
        return fc.constantFrom(
          '',
          'a',
          'example.com',
          'databases.example.com',
          'v1',
          'Database',
          'Cluster',
          'Namespaced',
          '2026-01-01T00:00:00Z',
          '\u{1f600}',
          'x'.repeat(300),
        );
      case 'integer':
        return fc.constantFrom<unknown>(0, 1, -1, 2 ** 40, 9223372036854775807n);
      case 'boolean':
        return fc.boolean();
      case 'array':
        return fc.array(valueOf(schema.items ?? {}, mess), { maxLength: 2 });
      case 'object': {
        if (schema.properties === undefined) {
          return typeof schema.additionalProperties === 'object'
            ? fc.dictionary(
                fc.constantFrom('a', '__proto__', 'kube-bind.io/x'),
                valueOf(schema.additionalProperties, mess),
                { maxKeys: 2 },
              )
            : fc.constantFrom({}, { type: 'object' });
        }
        const fields = Object.fromEntries(
          Object.entries(schema.properties).map(([name, child]) => [name, valueOf(child, mess)]),
        );
        return fc.record(fields, { requiredKeys: (schema.required ?? []).filter((name) => name in fields) });
      }
      case undefined:
        return junk;
    }
  };
  return fc.oneof({ weight: mess, arbitrary: meant() }, { weight: 1, arbitrary: junk });
}

const kinds = Object.keys(allKinds) as Kind[];

function arbitrary(kind: Kind, version: string, mess: number): fc.Arbitrary<Record<string, unknown>> {
  const schema = crdOf(kind).spec.versions.find(({ name }) => name === version)?.schema as {
    readonly openAPIV3Schema: Schema;
  };
  const { spec = {}, status = {} } = schema.openAPIV3Schema.properties ?? {};
  return fc.record(
    {
      apiVersion: fc.constant(`kube-bind.io/${version}`),
      kind: fc.constant(kind),
      metadata: fc.record({ name: fc.constantFrom('a', 'databases.example.com'), uid: fc.constant('u') }),
      spec: valueOf(spec, mess),
      status: valueOf(status, mess),
    },
    { requiredKeys: ['apiVersion', 'kind', 'metadata'] },
  );
}

/** The API server drops nulls where the schema has none, before it looks at anything else. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, child]) => child !== null)
      .map(([key, child]) => [key, withoutNulls(child)]),
  );
}

describe('an object of the group, whatever stands in it', () => {
  for (const kind of kinds) {
    for (const { name: version } of crdOf(kind).spec.versions) {
      it(`is judged: ${kind} ${version}`, () => {
        fc.assert(
          fc.property(arbitrary(kind, version, 8), arbitrary(kind, version, 8), (before, after) => {
            for (const { path, message } of [
              ...validate(kind, before, version as 'v1alpha2'),
              ...validateUpdate(kind, before, after, version as 'v1alpha2'),
            ]) {
              expect(typeof path).toBe('string');
              expect(message).not.toBe('');
            }
          }),
          { numRuns: 60 },
        );
      });
    }
  }

  it('is converted and hashed, or refused with a reason, once the API server would have stored it', () => {
    const only = <T>(work: () => T): T | undefined => {
      try {
        return work();
      } catch (error) {
        expect(error).toBeInstanceOf(ConversionError);
        return undefined;
      }
    };
    let converted = 0;
    const whole = boundSchemaSpecFromCRD(crdOf('Cluster'), { informerScope: 'Cluster', isolation: 'Prefixed' });
    fc.assert(
      fc.property(
        arbitrary('BoundSchema', 'v1alpha2', 200).map(withoutNulls),
        fc.subarray(Object.keys(whole)),
        (candidate, kept) => {
          const { spec, ...rest } = candidate as { readonly spec?: object };
          // Some of it as it should be, or nothing would ever be converted.
          const object: Record<string, unknown> = {
            ...rest,
            spec: {
              ...whole,
              ...Object.fromEntries(Object.entries(spec ?? {}).filter(([name]) => !kept.includes(name))),
            },
          };
          if (validate('BoundSchema', object).length > 0 || object['spec'] === undefined) return;
          const boundSchema = object as unknown as Parameters<typeof crdFromBoundSchema>[0];
          const crd = only(() => crdFromBoundSchema(boundSchema));
          if (boundSchema.spec === undefined) return;
          expect(schemaHash(boundSchema.spec)).toMatch(/^[0-9a-f]+$/u);
          expect(exportHash([boundSchema.spec])).toBe(schemaHash(boundSchema.spec));
          if (crd === undefined) return;
          converted++;
          only(() => boundSchemaSpecFromCRD(crd, { informerScope: 'Cluster', isolation: 'Prefixed' }));
          const old = only(() => v1alpha1ExportFromCRD(crd));
          if (old !== undefined) expect(v1alpha1Hash(old)).not.toBe('');
        },
      ),
      { numRuns: 400 },
    );
    expect(converted).toBeGreaterThan(0);
    fc.assert(
      fc.property(arbitrary('APIServiceExport', 'v1alpha1', 1_000).map(withoutNulls), (candidate) => {
        const object = candidate as Record<string, unknown>;
        if (validate('APIServiceExport', object, 'v1alpha1').length > 0 || object['spec'] === undefined) return;
        only(() => crdFromV1alpha1Export(object as unknown as Parameters<typeof crdFromV1alpha1Export>[0]));
      }),
      { numRuns: 300 },
    );
  });
});
