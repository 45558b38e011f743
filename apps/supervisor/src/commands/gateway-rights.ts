import { consumerPolicyName } from '@hawser/exportrbac';
import type { Dialect, GroupResource } from '@hawser/kube-bind';
import { type NeededRole, rule } from '@hawser/preview';

const WATCH = ['list', 'watch'];

/**
 * Rights of the gateway on the provider (table in the README of packages/provider/gateway). The chart grants exactly
 * these. Pure.
 */
export function gatewayRoles(
  dialects: readonly Dialect[],
  exported: readonly GroupResource[],
): readonly NeededRole<'provider'>[] {
  return [
    {
      side: 'provider',
      name: 'hawser-gateway',
      rules: [
        rule('authentication.k8s.io', ['tokenreviews'], ['create']),
        ...dialects.flatMap((dialect) => [
          rule(
            dialect.apiGroup,
            [
              'apiserviceexports',
              ...(dialect.schema === 'BoundSchemas' ? ['boundschemas'] : []),
              'apiservicenamespaces',
            ],
            WATCH,
          ),
          rule(
            'admissionregistration.k8s.io',
            ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
            WATCH,
            [consumerPolicyName(dialect)],
          ),
        ]),
        rule('', ['namespaces', 'serviceaccounts'], WATCH),
        ...exported.map(({ group = '', resource }) => rule(group, [resource], ['get', ...WATCH])),
      ],
    },
  ];
}
