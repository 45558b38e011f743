import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CustomResourceDefinition } from '@hawser/crd';
import { parse } from '@hawser/json';
import { encodeSchema } from './encode-schema.js';
import { encodeCRDSpec, schemaName } from './schema-name.js';

interface Vector {
  readonly name: string;
  readonly crd: CustomResourceDefinition;
  readonly text: string;
  readonly hash: string;
}

const vectors = parse(
  readFileSync(join(import.meta.dirname, '../testing/schema-hash.vectors.json'), 'utf8'),
) as unknown as readonly Vector[];

describe('the hash of a CRD', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_, { crd, text, hash }) => {
    expect(encodeCRDSpec(crd.spec)).toBe(text);
    expect(createHash('sha1').update(text, 'utf8').digest('hex')).toBe(hash);
    const { names, group } = crd.spec;
    expect(schemaName(crd)).toBe(`v${hash.slice(0, 8)}.${names.plural}.${group === '' ? 'core' : group}`);
  });

  it('is the one of the specification', () => {
    expect(schemaName(vectors[0]!.crd)).toBe('v0595d221.crontabs.example.com');
  });

  it('does not look at metadata, the status or the conversion', () => {
    const { crd } = vectors[0]!;
    const other = {
      ...crd,
      metadata: { name: 'x', generation: 7 },
      status: { storedVersions: ['v1'] },
      spec: { ...crd.spec, conversion: { strategy: 'Webhook' } },
    };
    expect(schemaName(other)).toBe(schemaName(crd));
  });
});

describe('a schema that is none', () => {
  it('is written all the same', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(
          'items',
          'properties',
          'default',
          'enum',
          'maximum',
          'required',
          'x-kubernetes-validations',
          'dependencies',
          'externalDocs',
        ),
        (value, field) => {
          expect(() => {
            JSON.parse(encodeSchema({ type: 'object', [field]: value }));
          }).not.toThrow();
        },
      ),
      { numRuns: 500 },
    );
  });
});
