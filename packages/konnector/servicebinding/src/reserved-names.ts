import {
  type APIServiceBinding,
  type CustomResourceDefinition,
  type NewCondition,
  conditionTypes,
  falseCondition,
  getCondition,
  trueCondition,
} from '@hawser/kube-bind';
import type { ResourceAction } from './resource-action.js';

type Spec = CustomResourceDefinition['spec'];

/**
 * Categories that people use for their own objects: `kubectl delete all --all` would delete bound objects, and with
 * them their copies.
 */
const reservedCategories: ReadonlySet<string> = new Set(['all', 'api-extensions', 'kube-bindings']);

/** Names that people type for resources of Kubernetes: short names, and names that CRDs could take as short ones. */
const reservedShortNames: ReadonlySet<string> = new Set([
  'cm',
  'cs',
  'ep',
  'ev',
  'limits',
  'no',
  'ns',
  'po',
  'pv',
  'pvc',
  'quota',
  'rc',
  'sa',
  'svc',
  'crd',
  'crds',
  'deploy',
  'ds',
  'rs',
  'sts',
  'hpa',
  'cj',
  'csr',
  'ing',
  'netpol',
  'pdb',
  'pc',
  'sc',
  'vac',
  'gtw',
  ...[
    'bindings',
    'configmaps',
    'endpoints',
    'events',
    'namespaces',
    'nodes',
    'persistentvolumeclaims',
    'persistentvolumes',
    'pods',
    'replicationcontrollers',
    'secrets',
    'serviceaccounts',
    'services',
    'deployments',
    'daemonsets',
    'statefulsets',
    'replicasets',
    'jobs',
    'cronjobs',
    'ingresses',
    'networkpolicies',
    'roles',
    'rolebindings',
    'clusterroles',
    'clusterrolebindings',
    'customresourcedefinitions',
    'leases',
  ].flatMap((plural) => [plural, singularOf(plural)]),
]);

function singularOf(plural: string): string {
  return plural.replace(/ies$/u, 'y').replace(/(?<=ss)es$|(?<=[^s])s$/u, '');
}

/** Removes short names and categories reserved for Kubernetes from a CRD's spec; also returns them. */
export function withoutReservedNames(spec: Spec): { readonly spec: Spec; readonly dropped: readonly string[] } {
  const { shortNames = [], categories = [] } = spec.names;
  const dropped = [
    ...shortNames.filter((name) => reservedShortNames.has(name)).map((name) => `short name ${name}`),
    ...categories.filter((name) => reservedCategories.has(name)).map((name) => `category ${name}`),
  ];
  if (dropped.length === 0) return { spec, dropped };
  const kept = {
    shortNames: shortNames.filter((name) => !reservedShortNames.has(name)),
    categories: categories.filter((name) => !reservedCategories.has(name)),
  };
  return { spec: { ...spec, names: { ...spec.names, ...kept } }, dropped };
}

/**
 * The wanted condition `NamesAccepted` of a binding; undefined: none. Its severity is empty: the API works without
 * those names.
 */
export function namesCondition(
  binding: APIServiceBinding,
  resources: readonly ResourceAction[],
): NewCondition | undefined {
  const type = conditionTypes.namesAccepted;
  const without = resources.flatMap((action) =>
    'wanted' in action && action.wanted.dropped !== undefined && action.wanted.dropped.length > 0
      ? [`${action.name} (${action.wanted.dropped.join(', ')})`]
      : [],
  );
  if (without.length === 0)
    return getCondition(binding.status?.conditions, type) === undefined ? undefined : trueCondition(type);
  const list = without.join('; ');
  return falseCondition(
    type,
    'ReservedNamesDropped',
    '',
    `The provider asks for names that stay those of Kubernetes; the CRDs are installed without them: ${list}.`,
  );
}
