import { isTerminating } from '@hawser/client';
import { equal } from '@hawser/json';
import {
  apiVersion,
  type AppClusterBinding,
  type ClusterBinding,
  finalizers,
  fixedNames,
  konnectorClusterRoleName,
  rootNamespaceName,
} from '@hawser/klutch';
import { type NewCondition, type Secret, trueCondition } from '@hawser/kube-bind';
import { decideAPIs } from './decide-apis.js';
import type { Action, ChildKind, Decision } from './decision.js';
import { readSource } from './kubeconfig-source.js';
import { decideKonnector } from './konnector-deployment.js';
import { childLabels, isChildOf, ownerKeyOf, revisionAnnotation } from './marks.js';
import type { Observed, RightsBinding, Settings, Subject } from './observed.js';
import { conditionTypes, type Problem, problemCondition } from './problem.js';

/** Longest name of a namespace. */
const longestName = 63;
const rbac = 'rbac.authorization.k8s.io';

/**
 * ClusterRoles from the provider's operator: the konnector's rights in its root namespace, and in the whole cluster.
 */
export const konnectorRoles = { rootNamespace: fixedNames.controlPlaneRole, cluster: 'klutch-konnector' } as const;

export function rootOf({ metadata }: AppClusterBinding): string {
  return rootNamespaceName(metadata.namespace ?? '', metadata.name);
}

/** Name of the ClusterRoleBinding for the konnector's cluster-wide rights. */
export function clusterWideOf({ metadata }: AppClusterBinding): string {
  return konnectorClusterRoleName(metadata.namespace ?? '', metadata.name);
}

/** Decides about one AppClusterBinding that is not being deleted (spec/klutch.md §13). Pure. */
export function decide(settings: Settings, observed: Observed): Decision {
  const { binding } = observed;
  // Finalizer first: everything created later must be deleted.
  if (binding.metadata.finalizers?.includes(finalizers.appClusterBindingCleanup) !== true) {
    return {
      actions: [
        {
          type: 'setFinalizers',
          finalizers: [...(binding.metadata.finalizers ?? []), finalizers.appClusterBindingCleanup],
        },
      ],
      conditions: [],
      without: [],
    };
  }
  const source = readSource(binding, observed.source);
  // Existing objects stay unchanged.
  if (!source.ok) return { actions: [], conditions: [problemCondition(source.problem)], without: [] };
  const secretValid = trueCondition(conditionTypes.secretValid);
  const name = rootOf(binding);
  const problem = rootProblem(observed, name);
  if (problem !== undefined) return { actions: [], conditions: [secretValid, problemCondition(problem)], without: [] };
  if (observed.root === undefined) {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: childLabels(binding) } };
    return { actions: [{ type: 'create', child: 'rootNamespace', object }], conditions: [secretValid], without: [] };
  }
  const rights = decideRights(observed, name);
  const apis = decideAPIs(observed, name);
  const konnector = decideKonnector(settings, observed, name);
  const conditions: NewCondition[] = [
    secretValid,
    rights.problem === undefined ? trueCondition(conditionTypes.rootNamespaceReady) : problemCondition(rights.problem),
    apis.problem === undefined ? trueCondition(conditionTypes.apisBound) : problemCondition(apis.problem),
  ];
  switch (konnector.kind) {
    case 'none':
      break;
    case 'problem':
      conditions.push(problemCondition(konnector.problem));
      break;
    case 'deployed':
      conditions.push(trueCondition(conditionTypes.konnectorDeployed));
      break;
  }
  return {
    // A konnector starts when it can read what it needs.
    actions: [
      ...decideRoot(settings, observed, name, source.data, source.version),
      ...rights.actions,
      ...apis.actions,
      ...konnector.actions,
    ],
    conditions,
    without: konnector.kind === 'none' ? [conditionTypes.konnectorDeployed] : [],
  };
}

function rootProblem({ binding, root }: Observed, name: string): Problem | undefined {
  if (name.length > longestName) return { kind: 'nameTooLong', name, longest: longestName };
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u.test(name)) return { kind: 'nameInvalid', name };
  if (root === undefined) return undefined;
  // The names of two AppClusterBindings can collide: "a-b" in "c", and "b" in "c-a".
  if (!isChildOf(root, binding))
    return {
      kind: 'namespaceConflict',
      name,
      owner: ownerKeyOf(root),
      labels: Object.entries(childLabels(binding))
        .map(([key, value]) => `${key}=${value}`)
        .join(' and '),
    };
  return isTerminating(root) ? { kind: 'namespaceTerminating', name } : undefined;
}

function decideRoot(
  { prettyName }: Settings,
  { binding, account, mirror, clusterBinding }: Observed,
  root: string,
  data: string,
  version: string,
): readonly Action[] {
  const metadata = (
    name: string,
  ): { readonly name: string; readonly namespace: string; readonly labels: Readonly<Record<string, string>> } => ({
    name,
    namespace: root,
    labels: childLabels(binding),
  });
  const actions: Action[] = [];
  if (account === undefined)
    actions.push({
      type: 'create',
      child: 'account',
      object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata(fixedNames.binder) },
    });
  const content = { [fixedNames.kubeconfigKey]: data };
  if (mirror === undefined) {
    const object: Secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...metadata(fixedNames.kubeconfigSecret), annotations: { [revisionAnnotation]: version } },
      type: 'Opaque',
      data: content,
    };
    actions.push({ type: 'create', child: 'mirror', object });
  } else if (mirror.data?.[fixedNames.kubeconfigKey] !== data) {
    actions.push({
      type: 'patch',
      child: 'mirror',
      object: mirror,
      patch: { metadata: { annotations: { [revisionAnnotation]: version } }, data: content },
    });
  }
  if (clusterBinding === undefined) {
    const object: ClusterBinding = {
      apiVersion,
      kind: 'ClusterBinding',
      metadata: metadata(fixedNames.clusterBinding),
      spec: {
        kubeconfigSecretRef: { name: fixedNames.kubeconfigSecret, key: fixedNames.kubeconfigKey },
        providerPrettyName: prettyName,
      },
    };
    actions.push({ type: 'create', child: 'clusterBinding', object });
  }
  return actions;
}

function decideRights(
  { binding, roleBinding, clusterRoleBinding }: Observed,
  root: string,
): { readonly actions: readonly Action[]; readonly problem: Problem | undefined } {
  const subjects: readonly Subject[] = [{ kind: 'ServiceAccount', name: fixedNames.binder, namespace: root }];
  const clusterWide = clusterWideOf(binding);
  const wanted = (kind: string, name: string, role: string, namespace?: string): RightsBinding => ({
    apiVersion: `${rbac}/v1`,
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels: childLabels(binding) },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
    subjects,
  });
  const inRoot = decideRightsBinding(
    'roleBinding',
    wanted('RoleBinding', fixedNames.controlPlaneRole, konnectorRoles.rootNamespace, root),
    roleBinding,
  );
  // A foreign one may grant another consumer's rights.
  if (clusterRoleBinding !== undefined && !isChildOf(clusterRoleBinding, binding))
    return { actions: inRoot, problem: { kind: 'rightsConflict', name: clusterWide } };
  return {
    actions: [
      ...inRoot,
      ...decideRightsBinding(
        'clusterRoleBinding',
        wanted('ClusterRoleBinding', clusterWide, konnectorRoles.cluster),
        clusterRoleBinding,
      ),
    ],
    problem: undefined,
  };
}

/** The role of a binding is immutable: Klutch's binding, with a role of its own, is recreated. */
function decideRightsBinding(
  child: ChildKind,
  wanted: RightsBinding,
  found: RightsBinding | undefined,
): readonly Action[] {
  if (found === undefined) return [{ type: 'create', child, object: wanted }];
  if (isTerminating(found)) return [];
  if (found.roleRef.kind !== wanted.roleRef.kind || found.roleRef.name !== wanted.roleRef.name)
    return [{ type: 'delete', child, object: found }];
  const named = (found.subjects ?? []).map(({ kind, name, namespace }) => ({ kind, name, namespace }));
  return equal(named, wanted.subjects)
    ? []
    : [{ type: 'patch', child, object: found, patch: { subjects: wanted.subjects } }];
}
