import { type KubeObject, isTerminating } from '@hawser/client';
import { type APIServiceBinding, finalizers } from '@hawser/klutch';
import {
  finalizers as kubeBindFinalizers,
  getCondition,
  hawserAnnotations,
  type NewCondition,
  releasedBecause,
} from '@hawser/kube-bind';
import type { Action, ChildKind } from './decision.js';
import { deletionPolicyOf } from './deletion-policy.js';
import { childLabels, ownNames } from './marks.js';
import type { ObservedDeletion } from './observed.js';
import { type Problem, problemCondition } from './problem.js';

export interface DeletionDecision {
  /** In this order; then everything is observed again. */
  readonly actions: readonly Action[];
  readonly condition: NewCondition | undefined;
  /**
   * What stays after the finalizer is removed, each as `namespace NAME`; undefined: the finalizer is not removed yet.
   */
  readonly stays: readonly string[] | undefined;
}

/**
 * The next step of deleting an AppClusterBinding (spec/klutch.md §13): its bindings, its konnector, the konnector's
 * rights, then, by its deletion policy, the namespaces. Each is gone before the next one is touched. Pure.
 */
export function decideDeletion(observed: ObservedDeletion): DeletionDecision {
  const { binding } = observed;
  if (releasedBecause(binding.metadata) !== undefined) return finish(observed, []);
  const { policy, unknown } = deletionPolicyOf(binding);
  const held = policy === 'Block' ? instances(observed, unknown) : undefined;
  if (held !== undefined) return { actions: [], condition: problemCondition(held), stays: undefined };
  const first =
    next(observed.bindings.map((one) => ['binding', one] as const)) ??
    next([['deployment', observed.deployment]]) ??
    next([['clusterRoleBinding', observed.clusterRoleBinding]]) ??
    next([['clusterRole', observed.clusterRole]]);
  if (first !== undefined) return first;
  if (policy === 'Orphan') {
    // Unused credentials and rights do not stay.
    return (
      next([
        ['roleBinding', observed.roleBinding],
        ['mirror', observed.mirror],
        ['account', observed.account],
      ]) ?? finish(observed, noteActions(observed))
    );
  }
  // While its record exists, a deleted namespace is recreated, so both go in one step. The record goes second: an
  // annotation still identifies a namespace without a record.
  const namespaces = observed.serviceNamespaces.map(({ namespace }) => ['serviceNamespace', namespace] as const);
  return (
    next([...namespaces, ...observed.records.map((record) => ['record', record] as const)]) ??
    next([['rootNamespace', observed.root]]) ??
    finish(observed, [])
  );
}

/** Deletes existing objects, and waits for terminating ones; undefined: all are gone. */
function next(parts: readonly (readonly [ChildKind, KubeObject | undefined])[]): DeletionDecision | undefined {
  const there = parts.flatMap(([child, object]) => (object === undefined ? [] : [{ child, object }]));
  const [first] = there;
  if (first === undefined) return undefined;
  const actions = there
    .filter(({ object }) => !isTerminating(object))
    .map(({ child, object }): Action => ({ type: 'delete', child, object }));
  return {
    actions,
    condition: problemCondition({
      kind: 'waiting',
      what: `${words[first.child]} "${first.object.metadata.name}"${there.length === 1 ? '' : ` and ${there.length - 1} more`}`,
      held: heldText(there.map(({ object }) => object)),
    }),
    stays: undefined,
  };
}

/**
 * The konnector's report about a binding that it unbinds by its policy; else the finalizers of the first held binding.
 */
function heldText(objects: readonly KubeObject[]): string | undefined {
  const held = objects.find(({ metadata }) => (metadata.finalizers ?? []).length > 0);
  if (held === undefined) return undefined;
  const { name, finalizers: by = [] } = held.metadata;
  const unbound = getCondition((held as APIServiceBinding).status?.conditions, 'Unbound')?.message;
  const advice = by.includes(kubeBindFinalizers.unbind)
    ? `The konnector unbinds it by its policy, and has to run for that; to let go of what is left, annotate it with ${hawserAnnotations.release}=<reason>.${unbound === undefined ? '' : ` Unbound: ${unbound}`}`
    : '';
  return `"${name}" is held by ${by.join(', ')}. ${advice}`.trim();
}

const words: Readonly<Record<ChildKind, string>> = {
  rootNamespace: 'namespace',
  serviceNamespace: 'namespace',
  record: 'APIServiceNamespace',
  account: 'ServiceAccount',
  mirror: 'Secret',
  clusterBinding: 'ClusterBinding',
  roleBinding: 'RoleBinding',
  clusterRoleBinding: 'ClusterRoleBinding',
  clusterRole: 'ClusterRole',
  binding: 'APIServiceBinding',
  request: 'APIServiceExportRequest',
  export: 'APIServiceExport',
  deployment: 'Deployment',
  note: 'ConfigMap',
};

function instances(
  { serviceNamespaces, clusterScoped, unknown: message }: ObservedDeletion,
  unknownPolicy: string | undefined,
): Problem | undefined {
  const found = [
    ...serviceNamespaces.flatMap(({ namespace, holds }) =>
      holds === undefined ? [] : [`${holds} in namespace ${namespace.metadata.name}`],
    ),
    ...clusterScoped,
  ];
  if (found.length > 0)
    return {
      kind: 'instancesRemain',
      instances: found.length > 10 ? [...found.slice(0, 10), `and ${found.length - 10} more`] : found,
      unknownPolicy,
    };
  return message === undefined ? undefined : { kind: 'instancesUnknown', message };
}

function finish(observed: ObservedDeletion, before: readonly Action[]): DeletionDecision {
  const kept = (observed.binding.metadata.finalizers ?? []).filter(
    (one) => one !== finalizers.appClusterBindingCleanup,
  );
  return {
    actions: [...before, { type: 'setFinalizers', finalizers: kept }],
    condition: undefined,
    stays: staying(observed),
  };
}

/** Everything that still exists. Under `Orphan` the root namespace holds the exports and the records of the others. */
function staying({ root, serviceNamespaces }: ObservedDeletion): readonly string[] {
  return [root, ...serviceNamespaces.map(({ namespace }) => namespace)].flatMap((one) =>
    one === undefined ? [] : [`namespace ${one.metadata.name}`],
  );
}

/** Records what the AppClusterBinding leaves behind, at that place: the AppClusterBinding itself is gone afterwards. */
function noteActions(observed: ObservedDeletion): readonly Action[] {
  const { binding, root, note } = observed;
  if (root === undefined || isTerminating(root)) return [];
  const { namespace = '', name, uid = '' } = binding.metadata;
  const data = { appClusterBinding: `${namespace}/${name}`, uid, stays: staying(observed).join('\n') };
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: ownNames.note, namespace: root.metadata.name, labels: childLabels(binding) },
    data,
  };
  return [
    note === undefined
      ? { type: 'create', child: 'note', object }
      : { type: 'patch', child: 'note', object: note, patch: { data } },
  ];
}
