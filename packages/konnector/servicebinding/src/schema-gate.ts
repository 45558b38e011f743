import { type Client, isApiError, type KubeObject } from '@hawser/client';
import { type CustomResourceDefinition, hawserAnnotations, storedResource } from '@hawser/kube-bind';
import { bySeverity, describeChanges, explainChange } from '@hawser/schemadiff';
import {
  type SchemaPolicy,
  type Verdict,
  checkStored,
  describeFaults,
  judge,
  parseSchemaPolicy,
} from '@hawser/schemagate';
import type { GateTerms, Hold } from './hold.js';
import type { WantedCRD } from './wanted-crd.js';

/** The terms of a binding: annotation `hawser.dev/schema-update`, else `policy`, and `hawser.dev/schema-approved`. */
export function gateTerms(
  { metadata: { annotations = {} } }: Pick<KubeObject, 'metadata'>,
  wanted: Pick<WantedCRD, 'hash'>,
  policy: SchemaPolicy,
): GateTerms {
  return {
    policy: parseSchemaPolicy(annotations[hawserAnnotations.schemaUpdate]) ?? policy,
    approved: approvedHashes(annotations[hawserAnnotations.schemaApproved]).includes(wanted.hash),
  };
}

/** The approved hashes of an annotation. */
export function approvedHashes(annotation: string | undefined): readonly string[] {
  return (annotation ?? '').split(/[\s,]+/u).filter((hash) => hash !== '');
}

/**
 * Whether a changed schema must wait: by its shape, and, where that is safe, by the consumer's stored objects. Reads
 * these page by page and judges them as if they were created under it. Undefined: install it. A provider without a gate
 * of its own may send any schema.
 */
export async function readGate(
  consumer: Pick<Client, 'list' | 'name'>,
  live: CustomResourceDefinition,
  wanted: WantedCRD,
  terms: GateTerms,
  signal: AbortSignal,
): Promise<Hold | undefined> {
  const verdict = judge({ before: live.spec, after: wanted.spec, ...terms });
  if (verdict.kind !== 'flows') return holdOf(verdict, wanted);
  if (terms.policy !== 'Safe' || terms.approved || verdict.comparison.changes.length === 0) return undefined;
  const resource = storedResource(live.spec);
  // Unreadable, so without users.
  if (resource === undefined) return undefined;
  const changes = describeChanges(verdict.comparison.changes);
  try {
    const faults = describeFaults(await checkStored(consumer, resource, wanted.spec, { signal }));
    return faults === undefined
      ? undefined
      : {
          reason: 'StoredObjectsInvalid',
          hash: wanted.hash,
          message: `${faults} The change: ${changes} Correct the objects: it is looked at again every 10 minutes.`,
        };
  } catch (error) {
    if (!isApiError(error) || error.code === 'Aborted') throw error;
    return {
      reason: 'StoredObjectsUnread',
      hash: wanted.hash,
      message: `The change is safe by its shape, but the stored objects cannot be checked: ${error.message}. The change: ${changes}`,
    };
  }
}

function holdOf(verdict: Exclude<Verdict, { kind: 'flows' }>, wanted: WantedCRD): Hold {
  const { changes } = verdict.comparison;
  const text = describeChanges(changes);
  const [worst] = bySeverity(changes);
  switch (verdict.kind) {
    case 'refused':
      return {
        reason: verdict.reason,
        message: `No approval helps, since stored objects do not fit it: ${text}${worst === undefined ? '' : ` ${explainChange(worst).remedy}`}`,
      };
    case 'held':
      return {
        reason: verdict.reason,
        hash: wanted.hash,
        message: text === '' ? 'Its words and columns have changed, and nothing that objects depend on.' : text,
      };
  }
}
