import type { SampleApi } from './sample-api.js';
import { crdOf } from './crd-of.js';
import type { CustomResourceDefinition } from '@hawser/kube-bind';

/** The API of demo, e2e and bench: a small database service. */
export const databases: SampleApi = {
  group: 'example.com',
  plural: 'databases',
  kind: 'Database',
  scope: 'Namespaced',
};

/** Its CRD, as the service owner installs it, marked as exported. */
export function sampleCrd(api: SampleApi): CustomResourceDefinition {
  return crdOf(api, {
    labels: { 'kube-bind.io/exported': 'true' },
    properties: {
      spec: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: {
          size: { type: 'string', enum: ['small', 'medium', 'large'] },
          replicas: { type: 'integer', minimum: 0, maximum: 9 },
        },
      },
      status: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { phase: { type: 'string' }, endpoint: { type: 'string' } },
      },
    },
    additionalPrinterColumns: [
      { name: 'Size', type: 'string', jsonPath: '.spec.size' },
      { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
  });
}
