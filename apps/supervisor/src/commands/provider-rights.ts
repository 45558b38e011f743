import { consumerPolicy, consumerRoles } from '@hawser/exportrbac';
import { dialects, klutchDialect, providerCRDs as klutchCRDs } from '@hawser/klutch';
import { type Dialect, type GroupResource, kubeBindDialect, providerCRDs } from '@hawser/kube-bind';
import { type NeededRole, rule } from '@hawser/preview';
import type { PolicyRule } from '@hawser/rbac';

import type { Config } from '@hawser/config';

export interface ProviderRightsOptions {
  readonly config: Config['provider'];
  /** Exported resources, from the labels of the CRDs. */
  readonly exported: readonly GroupResource[];
  /** Namespace of the provider role's Lease. */
  readonly namespace: string;
  /** Whether to remove grants of a Go backend to all consumers together. */
  readonly replacesBackend: boolean;
}

const READ = ['get', 'list', 'watch'];
const NAME = 'hawser-provider';

/** Dialects of consumers, from the config. */
export function spokenDialects({ dialects: names }: Pick<Config['provider'], 'dialects'>): readonly Dialect[] {
  return dialects.filter(({ name }) => names.includes(name));
}

/**
 * Rights of the provider role on its cluster (tables in the READMEs of packages/provider). The chart grants exactly
 * these.
 */
export function providerRoles({
  config,
  exported,
  namespace,
  replacesBackend,
}: ProviderRightsOptions): readonly NeededRole<'provider'>[] {
  const { lease, requestNamespaces } = config;
  const spoken = spokenDialects(config);
  return [
    {
      side: 'provider',
      name: NAME,
      rules: controllerRules(config, exported),
    },
    {
      side: 'provider',
      name: `${NAME}-rights`,
      rules: [
        rule(
          'rbac.authorization.k8s.io',
          ['rolebindings', 'clusterrolebindings'],
          [...READ, 'create', 'patch', 'delete'],
        ),
        rule('rbac.authorization.k8s.io', ['clusterroles'], [...READ, ...(replacesBackend ? ['delete'] : [])]),
        ...(replacesBackend ? [rule('rbac.authorization.k8s.io', ['roles'], ['get', 'delete'])] : []),
        ...spoken.flatMap((dialect) => dialectRules(dialect, exported)),
      ],
    },
    {
      side: 'provider',
      name: `${NAME}-leader`,
      namespace: lease.namespace === '' ? namespace : lease.namespace,
      rules: [
        rule('coordination.k8s.io', ['leases'], ['create']),
        rule('coordination.k8s.io', ['leases'], ['get', 'update'], [lease.name ?? NAME]),
      ],
    },
    ...(config.portal === undefined
      ? []
      : [portalRole(config.portal.namespace === '' ? namespace : config.portal.namespace)]),
    ...(requestNamespaces ?? []).map((one) => ({
      side: 'provider' as const,
      name: `${NAME}-onboarding`,
      namespace: one,
      rules: answers,
    })),
  ];
}

/** Further rights for the portal, and for the answers to its requests. */
function portalRole(namespace: string): NeededRole<'provider'> {
  return {
    side: 'provider',
    name: `${NAME}-portal`,
    namespace,
    rules: [
      rule('kube-bind.io', ['bindableresourcesrequests'], ['create']),
      ...answers,
      rule('', ['secrets'], ['update'], ['hawser-portal-keys']),
      rule('coordination.k8s.io', ['leases'], ['create', 'get', 'list', 'watch', 'delete']),
    ],
  };
}

/** Rules for the Secrets that hold answers to requests. */
const answers: readonly PolicyRule[] = [rule('', ['secrets'], ['create', 'get', 'patch'])];

/** Rights of the controllers, besides the right to grant. */
function controllerRules(config: Config['provider'], exported: readonly GroupResource[]): readonly PolicyRule[] {
  const { consumerLimits, requestNamespaces, withdrawnObjects } = config;
  const limited = Object.keys(consumerLimits).length > 0;
  return [
    ...contractRules,
    // On behalf of consumers whose users bind in a browser.
    ...(config.portal === undefined
      ? []
      : [
          rule('kube-bind.io', ['apiserviceexportrequests'], ['create']),
          // Grants, and changes by people to their clusters' credentials.
          rule('kube-bind.io', ['clusterbindings'], ['patch']),
        ]),
    ...(spokenDialects(config).includes(klutchDialect) ? klutchRules(config.portal !== undefined) : []),
    // Consumers' objects are validated against a changed schema, and counted or deleted once their export has ended.
    ...exported.map(({ group = '', resource }) =>
      rule(group, [resource], ['list', ...(withdrawnObjects.policy === 'Delete' ? ['delete'] : [])]),
    ),
    rule('apiextensions.k8s.io', ['customresourcedefinitions'], [...READ, 'create']),
    rule(
      'apiextensions.k8s.io',
      ['customresourcedefinitions'],
      ['patch'],
      providerCRDs.map(({ metadata: { name } }) => name),
    ),
    rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
    rule('', ['namespaces'], [...READ, 'create']),
    rule('', ['events'], ['create', 'patch', ...(config.portal === undefined ? [] : ['list'])]),
    rule('', ['serviceaccounts', 'secrets'], ['create']),
    ...credentialRules(kubeBindDialect),
    rule('', ['secrets'], [...READ, 'patch', 'delete'], ['kubeconfig']),
    // Consumers choose the names of the answers: without a namespace limit this is the right to read every Secret.
    ...(requestNamespaces === undefined ? answers : []),
    ...(limited
      ? [
          rule('', ['resourcequotas', 'limitranges'], ['create']),
          rule('', ['resourcequotas', 'limitranges'], [...READ, 'patch'], ['hawser']),
        ]
      : []),
  ];
}

const contractRules: readonly PolicyRule[] = [
  rule('kube-bind.io', ['apiserviceexportrequests'], READ),
  rule('kube-bind.io', ['apiserviceexports', 'boundschemas', 'apiservicenamespaces'], [...READ, 'create', 'patch']),
  rule(
    'kube-bind.io',
    ['apiserviceexportrequests/status', 'apiserviceexports/status', 'apiservicenamespaces/status'],
    ['patch'],
  ),
  rule('kube-bind.io', ['apiserviceexporttemplates', 'collections'], READ),
  rule('kube-bind.io', ['clusterbindings'], [...READ, 'create']),
  rule('kube-bind.io', ['apiserviceexporttemplates/status', 'collections/status'], ['patch']),
  rule('kube-bind.io', ['apiserviceexports/finalizers'], ['update']),
  rule('kube-bind.io', ['clusters'], [...READ, 'create']),
  rule(
    'kube-bind.io',
    ['clusterbindings/status', 'clusters/status', 'bindableresourcesrequests/status'],
    ['get', 'patch'],
  ),
  rule('kube-bind.io', ['bindableresourcesrequests'], [...READ, 'delete']),
];

/** Rules for consumers' ServiceAccounts and their token Secrets. */
function credentialRules({ names: { binder } }: Dialect): readonly PolicyRule[] {
  return [
    rule('', ['serviceaccounts'], [...READ, 'delete'], [binder]),
    rule('', ['serviceaccounts/token'], ['create'], [binder]),
    rule('', ['secrets'], [...READ, 'patch', 'delete'], [binder, `${binder}-next`]),
  ];
}

/** `hasPortal`: people onboard consumers, and the portal records what they bound. */
const klutchRules = (hasPortal: boolean): readonly PolicyRule[] => [
  rule('klutch.anynines.com', ['apiserviceexportrequests', 'clusterbindings'], READ),
  ...(hasPortal ? [rule('klutch.anynines.com', ['clusterbindings'], ['create', 'patch'])] : []),
  rule('klutch.anynines.com', ['apiservicenamespaces'], [...READ, 'patch']),
  rule('klutch.anynines.com', ['apiserviceexports'], [...READ, 'create', 'patch']),
  rule(
    'klutch.anynines.com',
    ['apiserviceexportrequests/status', 'apiserviceexports/status', 'apiservicenamespaces/status'],
    ['patch'],
  ),
  rule('klutch.anynines.com', ['clusterbindings/status'], ['get', 'patch']),
  ...credentialRules(klutchDialect),
  rule('example-backend.klutch.anynines.com', ['apiserviceexporttemplates'], READ),
  rule(
    'apiextensions.k8s.io',
    ['customresourcedefinitions'],
    ['patch'],
    klutchCRDs.map(({ metadata: { name } }) => name),
  ),
];

/** Binds existing roles, and holds none of the rights that they grant. */
function dialectRules(dialect: Dialect, exported: readonly GroupResource[]): readonly PolicyRule[] {
  return [
    rule(
      'rbac.authorization.k8s.io',
      ['clusterroles'],
      ['bind'],
      consumerRoles(exported, dialect).map(({ metadata: { name } }) => name),
    ),
    rule('admissionregistration.k8s.io', ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'], READ, [
      consumerPolicy(dialect).metadata.name,
    ]),
  ];
}
