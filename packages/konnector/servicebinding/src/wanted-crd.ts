import { createHash } from 'node:crypto';
import { canonical } from '@hawser/json';
import { type BoundSchema, ConversionError, crdFromBoundSchema } from '@hawser/kube-bind';
import { type CRDPolicy, refusedByPolicy } from './crd-policy.js';
import type { SchemaReading } from './observed.js';
import { withoutReservedNames } from './reserved-names.js';

/** The CRDs that BoundSchemas ask for, as far as the operator allows, computed once per version of each BoundSchema. */
export class WantedCRDs {
  readonly #known = new WeakMap<BoundSchema, SchemaReading>();
  readonly #policy: CRDPolicy;

  constructor(policy: CRDPolicy = {}) {
    this.#policy = policy;
  }

  of(schema: BoundSchema): SchemaReading {
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    const reading = read(schema, this.#policy);
    this.#known.set(schema, reading);
    return reading;
  }
}

function read(schema: BoundSchema, policy: CRDPolicy): SchemaReading {
  try {
    const { metadata, spec: asked } = crdFromBoundSchema(schema);
    const problem = refusedByPolicy(metadata.name, asked, policy);
    if (problem !== undefined) return { kind: 'refused', problem };
    const { spec, dropped } = withoutReservedNames(asked);
    return { kind: 'found', wanted: { name: metadata.name, spec, hash: createHash('sha256').update(canonical(spec)).digest('hex'), dropped } };
  } catch (error) {
    if (error instanceof ConversionError) return { kind: 'invalid', error: error.message };
    throw error;
  }
}
