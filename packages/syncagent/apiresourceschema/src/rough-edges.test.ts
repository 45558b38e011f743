import { expect } from '@jest/globals';
import type { APIResourceSchema } from '@hawser/kcp-api';
import { roughEdge } from '@hawser/testenv';
import { decide } from './decide.js';

roughEdge('RE-26', 'two agents with the same schema do not write their names over each other', () => {
  const candidate: APIResourceSchema = {
    apiVersion: 'apis.kcp.io/v1alpha1',
    kind: 'APIResourceSchema',
    metadata: { name: 'v1.things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { type: 'object' } }],
    },
  };
  const name = { 'syncagent.kcp.io/agent-name': 'other' };
  const decision = decide({
    publishedResource: {
      apiVersion: 'syncagent.kcp.io/v1alpha1',
      kind: 'PublishedResource',
      metadata: { name: 'p' },
      spec: { resource: { apiGroup: 'example.com', kind: 'Thing' } },
    },
    agentName: 'lab',
    candidate,
    present: { metadata: { name: 'v1.things.example.com', labels: name, annotations: name } },
    presentSpec: candidate.spec,
    published: undefined,
  });
  expect(decision).toEqual({ kind: 'publish', act: 'nothing' });
});
