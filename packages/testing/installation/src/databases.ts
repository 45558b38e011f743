import type { CustomResourceDefinition } from '@hawser/kube-bind';

export interface SampleApi {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
}

/** The API that demo, e2e and bench offer: a small database service. */
export const databases: SampleApi = { group: 'example.com', plural: 'databases', kind: 'Database', scope: 'Namespaced' };

/** Its CRD as the service owner installs it, marked as exported. */
export function sampleCrd({ group, plural, kind, scope }: SampleApi): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: { 'kube-bind.io/exported': 'true' } },
    spec: {
      group,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      scope,
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  'x-kubernetes-preserve-unknown-fields': true,
                  properties: { size: { type: 'string', enum: ['small', 'medium', 'large'] }, replicas: { type: 'integer', minimum: 0, maximum: 9 } },
                },
                status: {
                  type: 'object',
                  'x-kubernetes-preserve-unknown-fields': true,
                  properties: { phase: { type: 'string' }, endpoint: { type: 'string' } },
                },
              },
            },
          },
          subresources: { status: {} },
          additionalPrinterColumns: [
            { name: 'Size', type: 'string', jsonPath: '.spec.size' },
            { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
        },
      ],
    },
  };
}
