import type { CustomResourceDefinition } from '@hawser/kube-bind';

const text = { type: 'string' };
const map = { type: 'object', additionalProperties: text };
const object = (properties: object, ...required: readonly string[]): object => ({
  type: 'object',
  properties,
  required,
});
const list = (items: object): object => ({ type: 'array', items });

/**
 * The two kinds of the Prometheus operator, as far as our charts use them: strict validation refuses any other field.
 */
export const monitoringCrds: readonly CustomResourceDefinition[] = [
  crd(
    'servicemonitors',
    'ServiceMonitor',
    object(
      {
        jobLabel: text,
        namespaceSelector: object({ matchNames: list(text) }),
        selector: object({ matchLabels: map }, 'matchLabels'),
        endpoints: list(
          object(
            {
              port: text,
              path: text,
              interval: { ...text, pattern: '^(([0-9]+)y)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?$' },
            },
            'port',
          ),
        ),
      },
      'selector',
      'endpoints',
    ),
  ),
  crd(
    'prometheusrules',
    'PrometheusRule',
    object(
      {
        groups: list(
          object(
            {
              name: text,
              rules: list(
                object(
                  {
                    alert: text,
                    expr: text,
                    for: { ...text, pattern: '^([0-9]+[smhd])+$' },
                    labels: map,
                    annotations: map,
                  },
                  'expr',
                ),
              ),
            },
            'name',
            'rules',
          ),
        ),
      },
      'groups',
    ),
  ),
];

function crd(plural: string, kind: string, spec: object): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.monitoring.coreos.com` },
    spec: {
      group: 'monitoring.coreos.com',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec } } },
        },
      ],
    },
  };
}
