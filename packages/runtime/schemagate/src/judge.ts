import { type Comparison, type DefinitionSpec, compareDefinitions, definitionOf } from '@hawser/schemadiff';
import type { SchemaPolicy } from './schema-policy.js';

/** Why a change waits. */
export type HoldReason = 'BreakingSchemaChange' | 'SchemaUpdatesOff';

/** Verdict on a changed schema by its shape alone. {@link checkStored} checks the stored objects. */
export type Verdict =
  | { readonly kind: 'flows'; readonly comparison: Comparison }
  /** It waits for approval. */
  | { readonly kind: 'held'; readonly reason: HoldReason; readonly comparison: Comparison }
  /** It is another API: neither approval nor policy helps. */
  | { readonly kind: 'refused'; readonly reason: 'IncompatibleSchemaChange'; readonly comparison: Comparison };

export interface Case {
  /** `spec` of the CRD, APIResourceSchema or BoundSchema in use. */
  readonly before: DefinitionSpec;
  /** `spec` of its replacement. */
  readonly after: DefinitionSpec;
  readonly policy: SchemaPolicy;
  /** Whether exactly this `after` is approved, by its {@link schemaHash}. */
  readonly approved?: boolean | undefined;
}

/** Judges one changed schema. Pure; a few milliseconds per megabyte of schema. */
export function judge({ before, after, policy, approved = false }: Case): Verdict {
  const comparison = compareDefinitions(definitionOf(before), definitionOf(after));
  if (comparison.severity === 'incompatible')
    return { kind: 'refused', reason: 'IncompatibleSchemaChange', comparison };
  if (approved) return { kind: 'flows', comparison };
  switch (policy) {
    case 'Always':
      return { kind: 'flows', comparison };
    case 'Never':
      return { kind: 'held', reason: 'SchemaUpdatesOff', comparison };
    case 'Safe':
      return comparison.severity === 'breaking'
        ? { kind: 'held', reason: 'BreakingSchemaChange', comparison }
        : { kind: 'flows', comparison };
  }
}
