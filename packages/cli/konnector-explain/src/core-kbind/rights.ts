import { type Binding, type Connection, fixedNames, parseAPIName } from '@hawser/core-kbind';
import { aggregateToKonnector, boundRoleName, boundRules, copyVerbs } from '@hawser/kube-bind';
import { rule } from '@hawser/preview';

import type { NeededRole } from '../rights.js';

/** Needs of a konnector on its consumer for `core.kbind.io`, independent of bindings. */
export const coreKbindRoles: readonly NeededRole[] = [
  {
    side: 'consumer',
    name: 'hawser-konnector-core-kbind',
    rules: [
      rule('core.kbind.io', ['connections', 'clusterbindings', 'bindings'], ['get', 'list', 'watch', 'patch']),
      // For the ClusterBinding that autoBind of a Connection keeps.
      rule('core.kbind.io', ['clusterbindings'], ['create', 'delete']),
      rule('core.kbind.io', ['connections/status', 'clusterbindings/status', 'bindings/status'], ['patch']),
      // With the last ClusterBinding, its CRDs go, too.
      rule(
        'apiextensions.k8s.io',
        ['customresourcedefinitions'],
        ['get', 'list', 'watch', 'create', 'patch', 'delete'],
      ),
      rule('', ['namespaces'], ['get'], ['kube-system']),
      rule('', ['events'], ['create', 'patch']),
    ],
  },
];

/** Additional needs of a Connection: its Secret, and the rights that every provider has to grant. */
export function connectionRoles({ metadata: { name }, spec }: Connection): readonly NeededRole[] {
  const { namespace, name: secret } = spec.kubeconfigSecretRef;
  return [
    {
      side: 'consumer',
      name: `hawser-kubeconfig-${name}`,
      namespace,
      // The field selector of list and watch names it, so the rule may name it, too.
      rules: [rule('', ['secrets'], ['list', 'watch', 'patch'], [secret])],
    },
    {
      side: 'provider',
      name: `hawser-connection-${name}`,
      rules: [
        rule('', ['namespaces'], ['get'], ['kube-system']),
        rule('apiextensions.k8s.io', ['customresourcedefinitions'], ['list', 'watch']),
      ],
    },
    {
      side: 'provider',
      name: `hawser-heartbeat-${name}`,
      namespace: fixedNames.namespace,
      rules: [rule('coordination.k8s.io', ['leases'], ['get', 'create', 'patch', 'delete'])],
    },
  ];
}

/** Additional needs of a binding on both sides; for a Binding, in its namespace alone. */
export function kbindBindingRoles({ metadata: { namespace, name }, spec }: Binding): readonly NeededRole[] {
  const apis = spec.apis.flatMap((api) => parseAPIName(api.name) ?? []);
  if (apis.length === 0) return [];
  const scope = namespace === undefined ? {} : { namespace };
  const called = namespace === undefined ? `clusterbinding-${name}` : `binding-${name}`;
  const labels = namespace === undefined ? { labels: aggregateToKonnector } : {};
  return [
    {
      side: 'consumer',
      name: boundRoleName(called),
      ...scope,
      ...labels,
      rules: apis.flatMap((api) => boundRules(api)),
    },
    {
      side: 'provider',
      name: `hawser-${called}`,
      ...scope,
      rules: apis.map(({ group, resource }) => rule(group, [resource], copyVerbs)),
    },
    // The konnector makes a missing namespace.
    { side: 'provider', name: `hawser-namespaces-${called}`, rules: [namespacesThatAreMade] },
    ...relatedRoles(called, spec, { scope, labels }),
  ];
}

const namespacesThatAreMade = rule('', ['namespaces'], ['get', 'create']);
const relatedVerbs = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

/**
 * The konnector reads Secrets and ConfigMaps on one side and writes them on the other. On both sides it collects copies
 * of former rules.
 */
function relatedRoles(
  called: string,
  { relatedResources = [] }: Binding['spec'],
  { scope, labels }: { readonly scope: { readonly namespace?: string }; readonly labels: object },
): readonly NeededRole[] {
  const kinds = [...new Set(relatedResources.map(({ resource }) => resource))];
  if (kinds.length === 0) return [];
  const rules = [rule('', kinds, relatedVerbs)];
  const comes = relatedResources.some(({ direction }) => direction === 'FromProvider');
  return [
    { side: 'consumer', name: boundRoleName(`related-${called}`), ...scope, ...labels, rules },
    { side: 'provider', name: `hawser-related-${called}`, ...scope, rules },
    ...(comes && scope.namespace === undefined
      ? [
          {
            side: 'consumer' as const,
            name: boundRoleName(`related-namespaces-${called}`),
            ...labels,
            rules: [namespacesThatAreMade],
          },
        ]
      : []),
  ];
}
