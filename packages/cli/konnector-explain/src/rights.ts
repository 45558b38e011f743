import type { SyncConfig } from '@hawser/apiserviceexport';
import {
  type Dialect,
  aggregateToKonnector,
  boundRoleName,
  boundRules,
  claimedRules,
  copyVerbs,
  hawserAnnotations,
} from '@hawser/kube-bind';
import { type NeededRole as AnyRole, rule } from '@hawser/preview';
import type { PolicyRule } from '@hawser/rbac';

import type { BindingView } from './binding-view.js';

/** Rights of a konnector in one place, as one role. */
export type NeededRole = AnyRole<'consumer' | 'provider'>;

/** As in the konnector's settings. */
export interface RightsSettings {
  readonly dialect: Dialect;
  /** It removes unused stored versions from CRDs. */
  readonly migrates: boolean;
  /** It makes consumer objects for objects made on the provider. */
  readonly adopts: boolean;
  /** Several konnectors share the work. */
  readonly shares: boolean;
}

/**
 * Needs of every konnector on its consumer, independent of bindings. `namespace`: its own. `serves`: includes the needs
 * of bindings of the dialect.
 */
export function konnectorRoles(
  namespace: string,
  { dialect, migrates, shares }: Pick<RightsSettings, 'dialect' | 'migrates' | 'shares'>,
  serves = true,
): readonly NeededRole[] {
  const { apiGroup, names } = dialect;
  const ofDialect: NeededRole[] = [
    {
      side: 'consumer',
      name: 'hawser-konnector',
      rules: [
        ...(dialect.name === 'kube-bind'
          ? BINDINGS_AND_BUNDLES
          : [
              rule(apiGroup, ['apiservicebindings'], ['get', 'list', 'watch', 'patch']),
              rule(apiGroup, ['apiservicebindings/status'], ['patch']),
            ]),
        rule('apiextensions.k8s.io', ['customresourcedefinitions'], ['get', 'list', 'watch', 'create', 'patch']),
        ...(migrates ? [rule('apiextensions.k8s.io', ['customresourcedefinitions/status'], ['patch'])] : []),
        rule('', ['namespaces'], ['get', 'list', 'watch', 'create']),
        rule('', ['events'], ['create', 'patch']),
      ],
    },
  ];
  return [
    ...(serves ? ofDialect : []),
    {
      side: 'consumer',
      name: 'hawser-konnector-leader',
      namespace,
      rules: [
        rule('coordination.k8s.io', ['leases'], ['create']),
        rule('coordination.k8s.io', ['leases'], ['get', 'update'], [names.konnectorLease]),
        // Leases of shards and processes: names of processes are unknown in advance.
        ...(shares ? [rule('coordination.k8s.io', ['leases'], ['get', 'list', 'watch', 'update', 'delete'])] : []),
        // Records objects orphaned when a binding was broken open.
        rule('', ['configmaps'], ['create', 'patch']),
      ],
    },
  ];
}

/** Bundles make bindings, and delete them. */
const BINDINGS_AND_BUNDLES: readonly PolicyRule[] = [
  rule('kube-bind.io', ['apiservicebindings'], ['get', 'list', 'watch', 'patch', 'create', 'delete']),
  rule('kube-bind.io', ['apiservicebindingbundles'], ['get', 'list', 'watch', 'patch']),
  rule('kube-bind.io', ['apiservicebindings/status', 'apiservicebindingbundles/status'], ['patch']),
];

/** Additional needs of one binding on both sides. While the provider is unreachable, its needs are unknown. */
export function bindingRoles(
  view: BindingView,
  settings: Pick<RightsSettings, 'dialect' | 'adopts'>,
): readonly NeededRole[] {
  return [...onConsumer(view, settings), ...onProvider(view, settings.dialect)];
}

function onConsumer(
  { binding, secret, plans, claims }: BindingView,
  { adopts }: Pick<RightsSettings, 'adopts'>,
): readonly NeededRole[] {
  const { name } = binding.metadata;
  const deletes = binding.metadata.annotations?.[hawserAnnotations.unbindPolicy] === 'Delete';
  const more = [...(adopts ? ['create'] : []), ...(deletes ? ['delete'] : [])];
  const objects = configsOf(plans).flatMap(({ group, plural }) => boundRules({ group, resource: plural }, more));
  const names = configsOf(plans).map(({ group, plural }) => `${plural}.${group}`);
  // Then the CRD goes with its objects, while the binding stays.
  const crds =
    deletes && names.length > 0 ? [rule('apiextensions.k8s.io', ['customresourcedefinitions'], ['delete'], names)] : [];
  const rules = [...objects, ...crds, ...claimedRules(claims)];
  const bound: readonly NeededRole[] =
    rules.length === 0 ? [] : [{ side: 'consumer', name: boundRoleName(name), labels: aggregateToKonnector, rules }];
  if (secret.ref === undefined) return bound;
  const { namespace, name: secretName } = secret.ref;
  // The field selector of list and watch names it, so the rule may name it, too.
  const kubeconfig = [
    rule('', ['secrets'], ['list', 'watch', 'patch'], [secretName]),
    rule('', ['secrets'], ['create']),
  ];
  return [...bound, { side: 'consumer', name: `hawser-kubeconfig-${name}`, namespace, rules: kubeconfig }];
}

function onProvider({ binding, provider, plans, claims }: BindingView, dialect: Dialect): readonly NeededRole[] {
  if (provider === undefined) return [];
  const { clusterNamespace, serviceNamespaces } = provider;
  const { name } = binding.metadata;
  const providerNamespaces = serviceNamespaces.flatMap(({ status }) =>
    status?.namespace === undefined || status.namespace === '' ? [] : [status.namespace],
  );
  const claimed = claimedRules(claims);
  const [inCluster, namespacedRules, inOwn]: [PolicyRule[], PolicyRule[], PolicyRule[]] = [
    [],
    [...claimed],
    [...contractOf(clusterNamespace, dialect)],
  ];
  for (const { group, plural, isolation, informerScope } of configsOf(plans)) {
    switch (isolation) {
      case 'None':
      case 'Prefixed':
      case 'Identity':
        inCluster.push(rule(group, [plural], copyVerbs));
        break;
      case 'Namespaced':
        inOwn.push(rule(group, [plural], copyVerbs));
        break;
      case 'ServiceNamespace':
        if (informerScope === 'Cluster') inCluster.push(rule(group, [plural], ['list', 'watch']));
        namespacedRules.push(rule(group, [plural], copyVerbs));
        break;
    }
  }
  const role = `${dialect.names.binder}-${name}`;
  return [
    { side: 'provider', name: role, namespace: clusterNamespace, rules: inOwn },
    ...(inCluster.length === 0
      ? []
      : [{ side: 'provider' as const, name: `${role}-${clusterNamespace}`, rules: inCluster }]),
    ...(namespacedRules.length === 0
      ? []
      : providerNamespaces.map((namespace) => ({
          side: 'provider' as const,
          name: role,
          namespace,
          rules: namespacedRules,
        }))),
  ];
}

/** In the cluster namespace, independent of bindings. */
function contractOf(clusterNamespace: string, { apiGroup, schema }: Dialect): readonly PolicyRule[] {
  const kinds = ['clusterbindings', 'apiserviceexports', ...(schema === 'BoundSchemas' ? ['boundschemas'] : [])];
  return [
    rule(apiGroup, kinds, ['get', 'list', 'watch']),
    rule(
      apiGroup,
      kinds.map((kind) => `${kind}/status`),
      ['patch'],
    ),
    rule(apiGroup, ['apiserviceexportrequests'], ['get', 'list', 'watch']),
    rule(apiGroup, ['apiservicenamespaces'], ['get', 'list', 'watch', 'create', 'delete']),
    rule('', ['secrets'], ['get', 'list', 'watch']),
    rule('', ['namespaces'], ['get'], [clusterNamespace]),
  ];
}

function configsOf(plans: BindingView['plans']): readonly SyncConfig[] {
  return plans.flatMap((plan) => (plan.kind === 'run' ? [plan.config] : []));
}
