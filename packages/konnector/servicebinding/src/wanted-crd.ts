import { createHash } from 'node:crypto';
import { canonical } from '@hawser/json';
import { type BoundSchema, ConversionError, crdFromBoundSchema } from '@hawser/kube-bind';
import type { SchemaReading } from './observed.js';

/** The CRDs that BoundSchemas ask for, computed once per version of each BoundSchema. */
export class WantedCRDs {
  readonly #known = new WeakMap<BoundSchema, SchemaReading>();

  of(schema: BoundSchema): SchemaReading {
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    const reading = read(schema);
    this.#known.set(schema, reading);
    return reading;
  }
}

function read(schema: BoundSchema): SchemaReading {
  try {
    const { metadata, spec } = crdFromBoundSchema(schema);
    return { kind: 'found', wanted: { name: metadata.name, spec, hash: createHash('sha256').update(canonical(spec)).digest('hex') } };
  } catch (error) {
    if (error instanceof ConversionError) return { kind: 'invalid', error: error.message };
    throw error;
  }
}
