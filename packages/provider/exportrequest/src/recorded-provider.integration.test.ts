import type { KubeObject } from '@hawser/client';
import { type BoundSchema, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, expect, it } from '@jest/globals';
import { createExportController } from './export-controller.js';
import { createExportRequestController } from './export-request-controller.js';
import { type ProviderCluster, openProviderCluster } from '../../servicenamespace/src/testing/provider-cluster.js';
import { recordedProvider, recordings } from '../../servicenamespace/src/testing/recorded-provider.js';
import { rights } from './testing/rights.js';

describeWithControlPlane('objects of the Go backend', () => {
  let cluster: ProviderCluster | undefined;
  afterEach(async () => {
    await cluster?.close();
    cluster = undefined;
  });

  it.each(recordings('kube-bind-0.8.1-prefixed-namespaced', 'kube-bind-0.8.1-namespaced-cluster'))(
    'are taken over without a write, and followed afterwards: $folder',
    async (recording) => {
      cluster = await openProviderCluster(rights, { load: recordedProvider(recording) });
      const { client } = cluster;
      const kinds = [
        resources.apiServiceExportRequests,
        resources.apiServiceExports,
        resources.boundSchemas,
        resources.apiServiceNamespaces,
      ];
      const versions = async (): Promise<readonly string[]> => {
        const lists = await Promise.all(kinds.map((resource) => client.list<KubeObject>(resource)));
        return lists.flatMap(({ items }) =>
          items.map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion ?? ''}`),
        );
      };
      const before = await versions();
      expect(before).toHaveLength(7);

      await cluster.run(createExportRequestController(recording), createExportController());
      expect(await cluster.settledWrites()).toEqual([]);
      expect(await versions()).toEqual(before);

      // That nothing was written shows something only if a difference would have been noticed.
      await client.patch(
        resources.customResourceDefinitions,
        { name: 'databases.example.com' },
        {
          type: 'json',
          operations: [
            {
              op: 'add',
              path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/added',
              value: { type: 'string' },
            },
          ],
        },
      );
      await eventually(async () => {
        const { items } = await client.list<BoundSchema>(resources.boundSchemas);
        expect(items.map(({ spec }) => JSON.stringify(spec?.versions).includes('"added"'))).toEqual([true, false]);
      });
      expect(
        (await cluster.settledWrites()).map(({ verb, resource, name }) => `${verb} ${resource} ${name ?? ''}`),
      ).toEqual(['patch boundschemas databases.example.com', 'patch apiserviceexports databases']);
    },
  );
});
