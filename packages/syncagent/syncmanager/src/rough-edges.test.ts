import { expect } from '@jest/globals';
import { EXPORT, crontabs, publish, startAgentWorld } from '@hawser/agent-world';
import { createAPIResourceSchema } from '@hawser/apiresourceschema';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import type { APIResourceSchema } from '@hawser/kcp-api';
import { createSyncagentAPIExport } from '@hawser/syncagent-apiexport';
import { resources } from '@hawser/syncagent-api';
import { eventually, roughEdge } from '@hawser/testenv';
import { createSyncmanager } from './index.js';
import { publishedKinds } from './published-kinds.js';
import { RecordingSync } from './testing/recording-sync.js';

roughEdge('RE-1', 'a PublishedResource that changes has one sync, and not one more', async () => {
  const agent = { name: 'textor', exportName: EXPORT, namespace: 'default' };
  const world = await startAgentWorld();
  const syncs: RecordingSync[] = [];
  try {
    await world.service.create(customResourceDefinitions, crontabs());
    await world.start(createAPIResourceSchema({ agent, discover: (source) => world.discover(source) }));
    await world.start(createSyncagentAPIExport({ agent }));
    await world.start(
      createSyncmanager({
        agent,
        endpointSlice: EXPORT,
        hosts: world.hosts,
        discover: (source) => world.discover(source),
        createSync: (request) => {
          const sync = new RecordingSync(request);
          syncs.push(sync);
          return sync;
        },
      }),
    );
    await world.service.create(resources.publishedResources, publish('a'));
    await eventually(async () => {
      expect((await world.export()).spec?.resources).toHaveLength(1);
    });
    await world.bind('root:team-1');
    await eventually(() => {
      expect(syncs[0]?.state).toBe('started');
    });
    await world.service.patch(
      resources.publishedResources,
      { name: 'a' },
      { type: 'merge', patch: { spec: { naming: { name: 'changed' } } } },
    );
    await eventually(() => {
      expect(syncs[1]?.state).toBe('started');
    });
    expect(syncs.map(({ state }) => state)).toEqual(['stopped', 'started']);
  } finally {
    await Promise.all(syncs.map((sync) => sync.stop()));
    await world.close();
  }
});

roughEdge('RE-23', 'what is published as one version is not written as another', () => {
  const version = (name: string, storage: boolean) => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: 'object' } },
  });
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const crd: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [version('v1', false), version('v2', true)] },
  };
  const schema: APIResourceSchema = {
    apiVersion: 'apis.kcp.io/v1alpha1',
    kind: 'APIResourceSchema',
    metadata: { name: 'x.things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names,
      versions: [{ name: 'v1', served: true, storage: true, schema: { type: 'object' } }],
    },
  };
  expect(
    publishedKinds({ resource: { apiGroup: 'example.com', kind: 'Thing', versions: ['v1'] } }, crd, schema)?.service
      .resource.version,
  ).toBe('v1');
});
