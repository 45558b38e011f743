import { type BoundSchema, ConversionError, crdFromBoundSchema, malformation, schemaHash } from '@hawser/kube-bind';
import { schemaHash as approvalHash } from '@hawser/schemagate';
import { type CRDPolicy, refusedByPolicy } from './crd-policy.js';
import type { SchemaReading } from './observed.js';
import { withoutReservedNames } from './reserved-names.js';

/** The CRDs of BoundSchemas, as far as the operator allows, computed once per version of each BoundSchema. */
export class WantedCRDs {
  readonly #known = new WeakMap<BoundSchema, SchemaReading>();
  readonly #hashes = new WeakMap<BoundSchema, { readonly hash: string | undefined }>();
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

  /** The provider's hash of the schema; undefined: it has none. */
  hashOf(schema: BoundSchema): string | undefined {
    const known = this.#hashes.get(schema);
    if (known !== undefined) return known.hash;
    const hash = hashOf(schema);
    this.#hashes.set(schema, { hash });
    return hash;
  }
}

function read(schema: BoundSchema, policy: CRDPolicy): SchemaReading {
  const malformed = malformation('BoundSchema', schema);
  if (malformed !== undefined) return { kind: 'invalid', error: `${malformed.path} ${malformed.message}` };
  try {
    const { metadata, spec: asked } = crdFromBoundSchema(schema);
    const problem = refusedByPolicy(metadata.name, asked, policy);
    if (problem !== undefined) return { kind: 'refused', problem };
    const { spec, dropped } = withoutReservedNames(asked);
    return { kind: 'found', wanted: { name: metadata.name, spec, hash: approvalHash(spec), dropped } };
  } catch (error) {
    if (error instanceof ConversionError) return { kind: 'invalid', error: error.message };
    throw error;
  }
}

/** Undefined for a BoundSchema that does not match the contract's shape: it gives no CRD. */
function hashOf({ spec }: BoundSchema): string | undefined {
  try {
    return spec === undefined ? undefined : schemaHash(spec);
  } catch {
    return undefined;
  }
}
