import type { KubeObject, OwnerReference } from '@hawser/client';
import { type Connection, annotations as core, labels as coreLabels, pairDialect } from '@hawser/core-kbind';
import { kubeBindDialect } from '@hawser/kube-bind';

/** Generation whose marks a pair bears: `v1` is `kube-bind.io`, `v2` is `core.kbind.io`. */
export type Generation = 'v1' | 'v2';

/** An object of the consumer, and the provider's object of the same name. Only metadata counts. */
export interface Pair {
  readonly object: KubeObject;
  readonly copy: KubeObject | undefined;
}

/** Values for the marks of both generations. */
export interface MarkTerms {
  /** Cluster namespace on the provider for this consumer. */
  readonly clusterNamespace: string;
  /** Undefined: not known, so no copy gets an owner. */
  readonly clusterNamespaceUid: string | undefined;
  /** Uid of the consumer cluster, as the Connection has pinned it. */
  readonly clusterUid: string;
}

/** The uid of this cluster. All Connections pin the same one. Empty: none has pinned it yet. */
export function pinnedUid(connections: readonly Connection[]): string {
  return connections.map(({ status }) => status?.localClusterUID ?? '').find((uid) => uid !== '') ?? '';
}

/** Merge patches of metadata; undefined: nothing to change. */
export interface PairPatches {
  readonly object: object | undefined;
  readonly copy: object | undefined;
}

const v1 = kubeBindDialect;
const v1Keys = Object.keys(v1.marks.ofCopy({ clusterNamespace: '', consumerNamespace: '', consumerUID: '' }));
const v2Keys: readonly string[] = [core.consumerClusterUID, core.consumerObjectUID];
const noteKeys = Object.values(v1.marks.copyAt ?? {});

/**
 * Whether the copy bears the marks of this very object in that generation (spec/konnector.md §9.3, spec/kbind-v2.md
 * §17.3).
 */
export function isCopyOf({ object, copy }: Pair, generation: Generation, terms: MarkTerms): boolean {
  const found = copy?.metadata.annotations ?? {};
  const { uid, namespace: consumerNamespace = '' } = object.metadata;
  if (copy === undefined || uid === undefined) return false;
  return generation === 'v1'
    ? v1.marks.isOfConsumer(copy, { clusterNamespace: terms.clusterNamespace, consumerNamespace }) &&
        found[v1.marks.consumerUID] === uid
    : found[core.consumerClusterUID] === terms.clusterUid && found[core.consumerObjectUID] === uid;
}

/**
 * Turns the marks of a pair into those of `to`: one write for the object and one for the copy, each at once from one
 * generation to the other. Leaves a copy alone that does not bear the marks of its object. Leaves an object alone
 * during its deletion: it can get no finalizer. Pure.
 */
export function swapOf(pair: Pair, to: Generation, terms: MarkTerms): PairPatches {
  const { object, copy } = pair;
  if (object.metadata.deletionTimestamp !== undefined) return { object: undefined, copy: undefined };
  const from = to === 'v2' ? 'v1' : 'v2';
  const isOurs = isCopyOf(pair, from, terms) || isCopyOf(pair, to, terms);
  return {
    object: objectPatch(object, isOurs ? copy : undefined, to),
    copy: copy !== undefined && isCopyOf(pair, from, terms) ? copyPatch(object, copy, to, terms) : undefined,
  };
}

function objectPatch(object: KubeObject, copy: KubeObject | undefined, to: Generation): object | undefined {
  const { uid, resourceVersion, finalizers = [], annotations = {} } = object.metadata;
  const [old, own] = to === 'v2' ? [v1.finalizer, pairDialect.finalizer] : [pairDialect.finalizer, v1.finalizer];
  const swapped = finalizers.includes(old)
    ? [...finalizers.filter((one) => one !== old && one !== own), own]
    : undefined;
  const notes = to === 'v2' ? without(annotations, noteKeys) : notesOf(annotations, copy);
  return swapped === undefined && Object.keys(notes).length === 0
    ? undefined
    : {
        metadata: {
          uid,
          resourceVersion,
          ...(swapped === undefined ? {} : { finalizers: swapped }),
          ...(Object.keys(notes).length === 0 ? {} : { annotations: notes }),
        },
      };
}

/** Sets the older generation's annotations on an object with a copy, and removes those of the newer one. */
function notesOf(found: Readonly<Record<string, string>>, copy: KubeObject | undefined): Record<string, string | null> {
  const gone = without(found, [core.conflict, core.servedBy]);
  const { copyAt } = v1.marks;
  if (copy === undefined || copyAt === undefined) return gone;
  const wanted = { [copyAt.namespace]: copy.metadata.namespace ?? '', [copyAt.uid]: copy.metadata.uid ?? '' };
  return { ...gone, ...Object.fromEntries(Object.entries(wanted).filter(([key, value]) => found[key] !== value)) };
}

function copyPatch(object: KubeObject, copy: KubeObject, to: Generation, terms: MarkTerms): object {
  const { uid, resourceVersion, annotations = {}, ownerReferences = [] } = copy.metadata;
  const { uid: consumerUID = '', namespace: consumerNamespace = '' } = object.metadata;
  const { clusterNamespace, clusterUid } = terms;
  const own = (to === 'v2' ? pairDialect : v1).marks;
  const marks = {
    ...own.ofCopy({ clusterNamespace, consumerNamespace, consumerUID }),
    ...(to === 'v2' ? { [own.consumerCluster]: clusterUid } : {}),
  };
  return {
    metadata: {
      uid,
      resourceVersion,
      labels: { [coreLabels.managed]: to === 'v2' ? 'true' : null },
      annotations: { ...without(annotations, to === 'v2' ? v1Keys : v2Keys), ...marks },
      ...owners(copy, ownerReferences, to, terms),
    },
  };
}

/**
 * The namespace of its consumer owns a cluster-scoped copy of the older generation. So that copy would go with the
 * namespace.
 */
function owners(
  { metadata }: KubeObject,
  found: readonly OwnerReference[],
  to: Generation,
  { clusterNamespace: name, clusterNamespaceUid: uid }: MarkTerms,
): object {
  if (uid === undefined || metadata.namespace !== undefined) return {};
  const others = found.filter((owner) => owner.uid !== uid);
  if (to === 'v2') return others.length === found.length ? {} : { ownerReferences: others };
  return { ownerReferences: [...others, { apiVersion: 'v1', kind: 'Namespace', name, uid }] };
}

/** Removes the keys that are there, as a merge patch. */
export function without(found: Readonly<Record<string, string>> = {}, keys: readonly string[]): Record<string, null> {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(found, key)).map((key) => [key, null]));
}
