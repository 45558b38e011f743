import {
  type APIServiceBinding,
  type Condition,
  type NewCondition,
  conditionTypes,
  falseCondition,
  finalizers,
  getCondition,
  hawserAnnotations,
  releasedBecause,
  unbindPolicyOf,
  unbindingUnder,
} from '@hawser/kube-bind';

import type { ObjectLeft, Observed, ResourceLeft } from './observed.js';
import { UNBOUND, type UnboundReason } from './reasons.js';

/** One step of an unbinding, or of its preparation. Closed; only `act` carries it out. */
export type Action =
  | { readonly type: 'addFinalizer' }
  | { readonly type: 'removeFinalizer' }
  /** Delete objects on the consumer; their sync deletes the copies first. */
  | { readonly type: 'deleteObjects'; readonly left: ResourceLeft; readonly objects: readonly ObjectLeft[] }
  | { readonly type: 'deleteCRD'; readonly crd: ResourceLeft['crd'] }
  /** Record what is released although its copies may still exist. */
  | { readonly type: 'recordOrphans'; readonly reason: string; readonly left: readonly ResourceLeft[] };

export interface Decision {
  /** In this order. */
  readonly actions: readonly Action[];
  /** The wanted {@link UNBOUND} condition; undefined: none. */
  readonly condition: NewCondition | undefined;
  /** Look again after this many milliseconds without an event. */
  readonly requeueAfterMs?: number;
}

const LOOK_AGAIN_MS = 2_000;
const LOOK_AGAIN_CAP_MS = 60_000;
const UNDONE_RETRY_MS = 300_000;
const EXAMPLES = 3;

/** Whether the decision needs a read of what is left on the consumer. */
export function needsObjects({ metadata }: APIServiceBinding): boolean {
  const released =
    metadata.deletionTimestamp !== undefined &&
    hasFinalizer(metadata.finalizers) &&
    releasedBecause(metadata) !== undefined;
  return released || unbindingUnder(metadata) !== undefined;
}

/** Decides about one binding. Pure. */
export function decide(observed: Observed): Decision {
  const {
    binding: { metadata },
    left,
  } = observed;
  const ours = hasFinalizer(metadata.finalizers);
  const letGo: readonly Action[] = ours ? [{ type: 'removeFinalizer' }] : [];
  const { policy, unknown } = unbindPolicyOf(metadata);
  if (metadata.deletionTimestamp === undefined) {
    if (policy === 'Orphan') return { actions: letGo, condition: undefined };
    return {
      actions: ours ? [] : [{ type: 'addFinalizer' }],
      condition: unknown === undefined ? undefined : unknownPolicy(unknown),
    };
  }
  // Nothing of ours holds it: there is nothing to report.
  if (!ours) return { actions: [], condition: undefined };
  const reason = releasedBecause(metadata);
  if (reason !== undefined) {
    const orphans = left.filter(({ objects }) => objects.length > 0);
    return {
      actions: [...(orphans.length === 0 ? [] : [{ type: 'recordOrphans', reason, left: orphans } as const]), ...letGo],
      condition: undefined,
    };
  }
  switch (policy) {
    case 'Orphan':
      return { actions: letGo, condition: undefined };
    case 'Block':
      return decideBlock(observed, unknown, letGo);
    case 'Delete':
      return decideDelete(observed, letGo);
  }
}

function decideBlock({ binding, left }: Observed, unknown: string | undefined, letGo: readonly Action[]): Decision {
  if (countOf(left) === 0) return { actions: letGo, condition: undefined };
  if (unknown !== undefined) return { actions: [], condition: unknownPolicy(unknown), requeueAfterMs: LOOK_AGAIN_MS };
  const goingCrds = left.filter(({ crd, objects }) => crd.deleting && objects.length > 0).map(({ crd }) => crd.name);
  const remedy =
    goingCrds.length > 0
      ? `${goingCrds.join(', ')} is being deleted, which cannot be taken back: annotate the binding with ${hawserAnnotations.unbindPolicy}=Orphan to keep the copies on the provider, or =Delete to delete them.`
      : `Delete them, or annotate the binding with ${hawserAnnotations.unbindPolicy}=Delete to have them deleted, or =Orphan to let go of them.`;
  return {
    actions: [],
    condition: waiting(
      'ObjectsLeft',
      `${countText(left)} Unbinding waits until they are deleted. ${firstText(left)} ${remedy}${inSyncText(binding)}`,
    ),
    requeueAfterMs: lookAgainAfter(left),
  };
}

/** Objects first, then the CRD, which takes the objects created meanwhile; then the finalizer. */
function decideDelete({ binding, left }: Observed, letGo: readonly Action[]): Decision {
  if (left.length === 0) return { actions: letGo, condition: undefined };
  const deletions = left.flatMap((one): Action[] => {
    const objects = one.objects.filter(({ deletingSince }) => deletingSince === undefined);
    return objects.length === 0 ? [] : [{ type: 'deleteObjects', left: one, objects }];
  });
  const crds = left
    .filter(({ crd, objects }) => objects.length === 0 && !crd.deleting)
    .map(({ crd }): Action => ({ type: 'deleteCRD', crd }));
  const obstacle = obstacleOf(binding);
  const breakOpen = `To let go of what is left, annotate the binding with ${hawserAnnotations.release}=<reason>; what becomes orphaned is recorded.`;
  const condition =
    obstacle !== undefined && countOf(left) > 0
      ? waiting(
          'ProviderUnavailable',
          `${countText(left)} Their copies cannot be deleted: ${obstacle} This is tried again by itself. ${firstText(left)} ${breakOpen}`,
        )
      : waiting(
          'DeletingObjects',
          `${countText(left)} They are being deleted, each with its copy. ${firstText(left)} ${breakOpen}${inSyncText(binding)}`,
        );
  return { actions: [...deletions, ...crds], condition, requeueAfterMs: lookAgainAfter(left) };
}

function unknownPolicy(value: string): NewCondition {
  return waiting(
    'UnknownUnbindPolicy',
    `Annotation ${hawserAnnotations.unbindPolicy} says "${value.slice(0, 60)}", which is none of Orphan, Delete and Block. It counts as Block, so that nothing is lost. Correct it.`,
  );
}

/** Without severity: it must never count in `Ready`, neither ours nor a Go konnector's. */
function waiting(reason: UnboundReason, message: string): NewCondition {
  return falseCondition(UNBOUND, reason, '', message.trim());
}

/** The API server accepted the finalizer, and its answer lacks it. */
export function finalizerUndone({ metadata: { name } }: APIServiceBinding): Decision {
  const message = `An admission webhook or policy of this cluster takes finalizer "${finalizers.unbind}" off APIServiceBinding ${name}. Without the finalizer, annotation ${hawserAnnotations.unbindPolicy} has no effect: a deletion of the binding leaves the copies on the provider. The operator of this cluster has to let the konnector set the finalizer. The konnector tries again within 5 min.`;
  return { actions: [], condition: waiting('WritesUndone', message), requeueAfterMs: UNDONE_RETRY_MS };
}

/** The consumer's API server refuses a request that unbinding needs. */
export function forbidden(message: string): NewCondition {
  return waiting(
    'ForbiddenOnConsumer',
    `${message} Unbinding goes on once the administrator of this cluster has granted the konnector this right (chart: unbinding).`,
  );
}

export function hasFinalizer(list: readonly string[] | undefined): boolean {
  return list?.includes(finalizers.unbind) ?? false;
}

function countOf(left: readonly ResourceLeft[]): number {
  return left.reduce((sum, { objects }) => sum + objects.length, 0);
}

function countText(left: readonly ResourceLeft[]): string {
  const count = countOf(left);
  const each = left
    .filter(({ objects }) => objects.length > 0)
    .map(({ crd, objects }) => `${objects.length} ${crd.name}`);
  return count === 0
    ? 'No object is left.'
    : `${count} ${count === 1 ? 'object is' : 'objects are'} left: ${each.join(', ')}.`;
}

/** Names the blockers: first objects that have been terminating longest, then objects that are not deleted yet. */
function firstText(left: readonly ResourceLeft[]): string {
  const all = left.flatMap(({ crd, objects }) => objects.map((object) => ({ crd: crd.name, ...object })));
  const first = all
    .toSorted((a, b) => compare(a.deletingSince ?? '~', b.deletingSince ?? '~') || compare(a.name, b.name))
    .slice(0, EXAMPLES);
  if (first.length === 0) return '';
  return `First: ${first.map(({ crd, name, deletingSince, finalizers: holding }) => `${crd} ${name}${deletingSince === undefined ? '' : ` (deleted ${deletingSince}, held by ${holding.join(', ') || 'no finalizer'})`}`).join('; ')}.`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Longer intervals for more objects. */
function lookAgainAfter(left: readonly ResourceLeft[]): number {
  return Math.min(LOOK_AGAIN_CAP_MS, Math.max(LOOK_AGAIN_MS, countOf(left)));
}

/** Why the provider is unusable, by the conditions of the other controllers. */
function obstacleOf({ status }: APIServiceBinding): string | undefined {
  for (const type of [conditionTypes.secretValid, conditionTypes.informersSynced, conditionTypes.heartbeating]) {
    const condition: Condition | undefined = getCondition(status?.conditions, type);
    if (condition?.status === 'False') return `${type} is False: ${condition.message ?? condition.reason ?? ''}`;
  }
  return undefined;
}

/** The sync's report on single objects. */
function inSyncText({ status }: APIServiceBinding): string {
  const condition = getCondition(status?.conditions, 'ObjectsInSync');
  return condition?.status === 'False' ? ` ObjectsInSync: ${(condition.message ?? '').slice(0, 300)}` : '';
}
