import { hawserAnnotations } from '@hawser/kube-bind';
import { type Comparison, bySeverity, describeChanges, explainChange } from '@hawser/schemadiff';

/** Why a changed CRD does not reach a consumer. Of several reasons the first in this order is named. */
export const holdReasons = [
  'IncompatibleSchemaChange',
  'SchemaSourceGone',
  'SchemaUnusable',
  'SchemaRolledBack',
  'StoredObjectsInvalid',
  'BreakingSchemaChange',
  'RolloutStopped',
  'StoredObjectsUnread',
  'RolloutWaits',
  'SchemaUpdatesOff',
] as const;
export type HoldReason = (typeof holdReasons)[number];

/** One resource of an export whose consumer keeps its present schema. */
export interface Hold {
  /** `<plural>.<group>` */
  readonly resource: string;
  readonly reason: HoldReason;
  readonly message: string;
  /** The waiting schema, if there is one. */
  readonly candidate: string | undefined;
  /** `event`: the next change leads to a new look; `again`: no event reports the end of the cause. */
  readonly until: 'event' | 'again';
}

const kept = 'The consumer keeps the schema that it has.';

/** How to approve a schema. */
export function approval(hash: string): string {
  return `To let it through, the provider approves it: hawser schema approve, or annotation ${hawserAnnotations.schemaApproved}=${hash} on the APIServiceExport.`;
}

export function fieldsOf({ changes }: Comparison): string {
  return changes.length === 0
    ? 'Its words and columns have changed, and nothing that objects depend on.'
    : describeChanges(changes);
}

export const holds = {
  gone: (resource: string): Hold => ({
    resource,
    reason: 'SchemaSourceGone',
    candidate: undefined,
    until: 'event',
    message: `${resource}: the CRD is gone, or not exported any more (label kube-bind.io/exported=true; in Klutch there is none). ${kept} Nothing is deleted. The provider must restore it, or have the consumer unbind.`,
  }),
  unusable: (resource: string, why: string): Hold => ({
    resource,
    reason: 'SchemaUnusable',
    candidate: undefined,
    until: 'event',
    message: `${resource}: the CRD cannot be offered: ${why} ${kept} The provider must correct the CRD.`,
  }),
  rolledBack: (resource: string, hash: string): Hold => ({
    resource,
    reason: 'SchemaRolledBack',
    candidate: hash,
    until: 'event',
    message: `${resource}: the changed schema was rejected by the provider. ${kept} To try it again, the provider removes annotation ${hawserAnnotations.schemaRejected} from the APIServiceExport, or changes the CRD.`,
  }),
  notKept: (resource: string, hash: string): Hold => ({
    resource,
    reason: 'SchemaRolledBack',
    candidate: hash,
    until: 'event',
    message: `${resource}: the provider has rejected the schema that the consumer has, but the one before was not kept (it is too long, or the consumer never had another). ${kept} The provider must put the CRD back as it was.`,
  }),
  incompatible: (resource: string, hash: string, comparison: Comparison): Hold => {
    const [worst] = bySeverity(comparison.changes);
    return {
      resource,
      reason: 'IncompatibleSchemaChange',
      candidate: hash,
      until: 'event',
      message: `${resource}: ${fieldsOf(comparison)} ${kept} No approval helps.${worst === undefined ? '' : ` ${explainChange(worst).remedy}`}`,
    };
  },
  breaking: (resource: string, hash: string, comparison: Comparison): Hold => ({
    resource,
    reason: 'BreakingSchemaChange',
    candidate: hash,
    until: 'event',
    message: `${resource}: ${fieldsOf(comparison)} ${kept} ${approval(hash)}`,
  }),
  off: (resource: string, hash: string, comparison: Comparison): Hold => ({
    resource,
    reason: 'SchemaUpdatesOff',
    candidate: hash,
    until: 'event',
    message: `${resource}: the policy is Never. ${fieldsOf(comparison)} ${kept} ${approval(hash)}`,
  }),
  invalid: (resource: string, hash: string, faults: string, comparison: Comparison): Hold => ({
    resource,
    reason: 'StoredObjectsInvalid',
    candidate: hash,
    until: 'again',
    message: `${resource}: ${faults} ${kept} The change: ${fieldsOf(comparison)} The consumer must correct the objects: they are looked at again every few minutes. ${approval(hash)}`,
  }),
  unread: (resource: string, hash: string, error: string): Hold => ({
    resource,
    reason: 'StoredObjectsUnread',
    candidate: hash,
    until: 'again',
    message: `${resource}: the stored objects cannot be held against the changed schema: ${error}. ${kept} The operator of the provider must grant get and list. ${approval(hash)}`,
  }),
  unsettled: (resource: string): Hold => ({
    resource,
    reason: 'StoredObjectsUnread',
    candidate: undefined,
    until: 'again',
    message: `${resource}: the CRD has changed each time while the stored objects were held against it. ${kept} The objects are read again, ever less often. The provider must let the CRD stay as it is.`,
  }),
  waits: (resource: string, hash: string, step: number, steps: number, missing: number): Hold => ({
    resource,
    reason: 'RolloutWaits',
    candidate: hash,
    until: 'event',
    message: `${resource}: the schema is rolled out in ${steps} steps, and this is step ${step}; ${missing} consumers of earlier steps do not have it, or have not reported that they serve it. ${kept} For those that cannot report, the provider sets annotation ${hawserAnnotations.schemaProven}=${hash} on their APIServiceExport.`,
  }),
  stopped: (resource: string, hash: string, failed: number): Hold => ({
    resource,
    reason: 'RolloutStopped',
    candidate: hash,
    until: 'event',
    message: `${resource}: the roll-out of the schema has stopped: ${failed} consumers cannot apply it. ${kept} The provider sees them with hawser schema status; it mends the cause, or rejects the schema with annotation ${hawserAnnotations.schemaRejected}=${hash}.`,
  }),
} as const;
