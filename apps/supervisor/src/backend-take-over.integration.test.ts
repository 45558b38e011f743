import type { KubeObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { installCRDs, providerCRDs, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, expect, it } from '@jest/globals';

import {
  type ProviderCluster,
  openProviderCluster,
} from '../../../packages/provider/servicenamespace/src/testing/provider-cluster.js';
import {
  recordedProvider,
  recordings,
} from '../../../packages/provider/servicenamespace/src/testing/recorded-provider.js';
import { parseConfig } from '@hawser/config';
import { consumerControllers } from './consumer-controllers.js';

const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] as const;

describeWithControlPlane('consumers of a Go backend', () => {
  let cluster: ProviderCluster | undefined;
  afterEach(async () => {
    await cluster?.close();
    cluster = undefined;
  });

  it.each(recordings('kube-bind-0.8.1-prefixed-cluster', 'kube-bind-0.8.1-none-cluster'))(
    'are taken over: nothing is written but their health, which the Go backend never stores: $folder',
    async (recording) => {
      const provider = (cluster = await openProviderCluster(everything, { load: recordedProvider(recording) }));
      const { client } = provider;
      await installCRDs(client, providerCRDs, { clock: systemClock });
      const kinds = [
        resources.namespaces,
        resources.secrets,
        resources.serviceAccounts,
        resources.roleBindings,
        resources.clusterRoles,
        resources.clusterRoleBindings,
        resources.clusters,
        resources.bindableResourcesRequests,
        resources.apiServiceExports,
        resources.apiServiceNamespaces,
        resources.apiServiceExportRequests,
        resources.apiServiceExportTemplates,
      ];
      const versions = async (): Promise<readonly string[]> =>
        (await Promise.all(kinds.map((resource) => client.list<KubeObject>(resource)))).flatMap(({ items }) =>
          items.map(
            ({ kind, metadata }) =>
              `${kind} ${metadata.namespace ?? ''}/${metadata.name} ${metadata.uid ?? ''} ${metadata.resourceVersion ?? ''}`,
          ),
        );
      const config = parseConfig({ provider: { namespacePrefix: 'kube-bind-', prettyName: 'Lab' } }, 'test').provider;
      // What the recorded kubeconfigs say.
      const endpoint = () => ({ server: 'https://provider.example:6443', caData: 'ca' });
      const before = await versions();
      const [recorded] = (await client.list<KubeObject>(resources.bindableResourcesRequests)).items;
      const request = recorded as KubeObject & {
        readonly spec: object;
        readonly status: { readonly namespace: string };
      };

      const running = await provider.run(...consumerControllers(config, endpoint));
      const writes = (await provider.settledWrites()).map(({ verb, resource, subresource, namespace, name }) => [
        verb,
        resource,
        subresource,
        namespace,
        name,
      ]);
      expect(writes).toEqual([['patch', 'clusterbindings', 'status', request.status.namespace, 'cluster']]);
      expect(await versions()).toEqual(before);
      // Its konnector has not reported since the recording.
      expect(running.events.map(({ event }) => event.reason)).toEqual(['HeartbeatTimeout']);

      // That nothing was written shows something only if it would have been: the same consumer asks again, from where it was first asked for.
      await client.create(resources.bindableResourcesRequests, {
        apiVersion: request.apiVersion,
        kind: request.kind,
        metadata: { name: 'again', namespace: request.metadata.namespace },
        spec: { ...request.spec, kubeconfigSecretRef: { name: 'again', key: 'response' } },
      } as KubeObject);
      await eventually(async () => {
        expect(
          await provider.read(resources.bindableResourcesRequests, {
            namespace: request.metadata.namespace,
            name: 'again',
          }),
        ).toMatchObject({ status: { phase: 'Succeeded', namespace: request.status.namespace } });
      });
      expect(
        (await provider.settledWrites())
          .slice(1)
          .map(({ verb, resource, subresource, name }) => [verb, resource, subresource, name]),
      ).toEqual([
        ['create', 'secrets', undefined, 'again'],
        ['patch', 'bindableresourcesrequests', 'status', 'again'],
      ]);
      expect((await versions()).filter((one) => !one.includes('/again '))).toEqual(before);
    },
  );
});
