import type { KubeObject } from '@hawser/client';
import { kubeBindDialect, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, expect, it } from '@jest/globals';
import { createServiceNamespaceController } from './service-namespace-controller.js';
import { type ProviderCluster, openProviderCluster } from './testing/provider-cluster.js';
import { recordedProvider, recordings } from './testing/recorded-provider.js';
import { rights } from './testing/rights.js';

describeWithControlPlane('service namespaces of the Go backend', () => {
  let cluster: ProviderCluster | undefined;
  afterEach(async () => {
    await cluster?.close();
    cluster = undefined;
  });

  it.each(recordings('kube-bind-0.8.1-prefixed-cluster', 'kube-bind-0.8.1-none-cluster'))(
    'are taken over without a write, and never reclaimed: $folder',
    async (recording) => {
      cluster = await openProviderCluster(rights, { load: recordedProvider(recording) });
      const { client } = cluster;
      const [mapped] = (
        await client.list<KubeObject & { readonly status?: { readonly namespace?: string } }>(
          resources.apiServiceNamespaces,
        )
      ).items;
      if (mapped?.status?.namespace === undefined) throw new Error('the recording has no assigned APIServiceNamespace');
      const controller = await cluster.run(
        createServiceNamespaceController({
          dialect: kubeBindDialect,
          isolation: recording.isolation,
          reclaim: 'WhenEmpty',
          reclaimRetryMs: 50,
        }),
      );
      expect(await cluster.settledWrites()).toEqual([]);

      await client.delete(resources.apiServiceNamespaces, {
        namespace: mapped.metadata.namespace,
        name: mapped.metadata.name,
      });
      expect(await cluster.settledWrites()).toEqual([]);
      expect(
        (await cluster.read(resources.namespaces, { name: mapped.status.namespace }))?.metadata.deletionTimestamp,
      ).toBeUndefined();

      // The next APIServiceNamespace of that name gets the same namespace.
      await client.create(resources.apiServiceNamespaces, {
        apiVersion: mapped.apiVersion,
        kind: mapped.kind,
        metadata: { name: mapped.metadata.name, namespace: mapped.metadata.namespace },
      });
      await eventually(async () => {
        expect(
          await cluster?.read(resources.apiServiceNamespaces, {
            namespace: mapped.metadata.namespace,
            name: mapped.metadata.name,
          }),
        ).toMatchObject({ status: { namespace: mapped.status?.namespace } });
      });
      expect(
        (await cluster.settledWrites()).map(({ verb, resource, subresource }) => [verb, resource, subresource]),
      ).toEqual([['patch', 'apiservicenamespaces', 'status']]);
      expect(controller.events).toEqual([]);
    },
  );
});
