import { expect } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import { toAPIResourceSchema } from './to-api-resource-schema.js';

roughEdge(
  'RE-24',
  'an API in a group of Kubernetes takes along what says that it was approved, without which kcp refuses it',
  () => {
    const approved = { 'api-approved.kubernetes.io': 'https://example.com/1' };
    const { metadata } = toAPIResourceSchema(
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'things.gateway.networking.k8s.io', annotations: approved },
        spec: {
          group: 'gateway.networking.k8s.io',
          scope: 'Namespaced',
          names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      },
      { agentName: 'lab' },
    );
    expect(metadata.annotations).toMatchObject(approved);
  },
);
