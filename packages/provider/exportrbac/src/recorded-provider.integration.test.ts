import type { KubeObject } from '@hawser/client';
import { kubeBindDialect, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, expect, it } from '@jest/globals';
import { type ProviderCluster, openProviderCluster } from '../../servicenamespace/src/testing/provider-cluster.js';
import { recordedProvider, recordings } from '../../servicenamespace/src/testing/recorded-provider.js';
import { consumerPolicy, consumerPolicyBinding, policyResources } from './admission-policy.js';
import { consumerRoles } from './consumer-roles.js';
import { createExportRbac } from './export-rbac.js';
import type { BindingObject } from './rbac-objects.js';
import { databases, zones } from './testing/objects.js';
import { rights } from './testing/rights.js';

describeWithControlPlane('rights that the Go backend gave', () => {
  let cluster: ProviderCluster | undefined;
  afterEach(async () => {
    await cluster?.close();
    cluster = undefined;
  });

  it.each(recordings('kube-bind-0.8.1-prefixed-cluster', 'kube-bind-0.8.1-prefixed-namespaced'))(
    'stay while the roles of the operator are missing, and go once the consumer has its own: $folder',
    async (recording) => {
      cluster = await openProviderCluster(rights, { load: recordedProvider(recording) });
      const { client } = cluster;
      const names = async (
        resource: (typeof resources)['clusterRoles' | 'clusterRoleBindings'],
      ): Promise<readonly string[]> =>
        (await client.list<KubeObject>(resource)).items
          .map(({ metadata }) => metadata.name)
          .filter((name) => name.startsWith('kube-bind'))
          .sort();
      const controller = await cluster.run(
        createExportRbac({ dialect: kubeBindDialect, clusterReads: 'shared' }).controller,
      );
      await cluster.settledWrites();
      expect(await names(resources.clusterRoleBindings)).toContain('kube-binder-exports');

      await client.create(policyResources.policies, consumerPolicy(kubeBindDialect));
      await client.create(policyResources.bindings, consumerPolicyBinding(kubeBindDialect));
      for (const role of consumerRoles([databases, zones], kubeBindDialect))
        if (role.metadata.name !== 'kube-binder') await client.create(resources.clusterRoles, role);
      await eventually(
        async () => {
          expect(await names(resources.clusterRoleBindings)).toEqual([
            'kube-bind-oidc-user',
            'kube-binder:kube-bind-v6gv14ju4xw7:objects:zones.example.com',
          ]);
          expect((await names(resources.clusterRoles)).filter((name) => !name.startsWith('kube-binder:'))).toEqual([
            'kube-bind-oidc-user',
            'kube-binder',
          ]);
        },
        { timeoutMs: 60_000 },
      );
      const bindings = (await client.list<BindingObject>(resources.roleBindings)).items.filter(
        ({ subjects }) => subjects?.some(({ name }) => name === 'kube-binder') === true,
      );
      expect(bindings.map(({ metadata, roleRef }) => `${metadata.namespace ?? ''} ${roleRef.name}`).sort()).toEqual([
        'kube-bind-v6gv14ju4xw7 kube-binder',
        'kube-bind-v6gv14ju4xw7-team-a kube-binder:claims:secrets.core',
        'kube-bind-v6gv14ju4xw7-team-a kube-binder:objects:databases.example.com',
      ]);
      expect(controller.events.filter(({ event }) => event.reason === 'BackendRightsRemoved')).toHaveLength(6);
      expect(controller.events.filter(({ event }) => event.type === 'Warning')).toEqual([]);

      // From now on it costs nothing.
      const before = (await cluster.settledWrites()).length;
      await controller.stop();
      const again = await cluster.run(
        createExportRbac({ dialect: kubeBindDialect, clusterReads: 'shared' }).controller,
      );
      expect((await cluster.settledWrites()).length).toBe(before);

      // A backend that still runs makes it again.
      const subjects = [{ kind: 'ServiceAccount', name: 'kube-binder', namespace: 'kube-bind-v6gv14ju4xw7' }];
      const revive = (): Promise<KubeObject> =>
        client.create(resources.clusterRoleBindings, {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name: 'kube-binder-exports' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'kube-binder-exports' },
          subjects,
        } as KubeObject);
      const gone = (): Promise<unknown> =>
        eventually(async () => {
          expect(await names(resources.clusterRoleBindings)).not.toContain('kube-binder-exports');
        });
      await revive();
      await gone();
      await revive();
      await gone();
      await eventually(() => {
        expect(again.events.map(({ event }) => event.reason)).toContain('BackendStillRunning');
      });
    },
  );
});
