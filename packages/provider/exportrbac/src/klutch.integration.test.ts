import type { KubeObject, Resource, UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type APIServiceNamespace, dialects, installCRDs, klutchDialect, providerCRDs } from '@hawser/klutch';
import { resources } from '@hawser/kube-bind';
import { createServiceNamespaceController } from '../../servicenamespace/src/index.js';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../servicenamespace/src/testing/provider-cluster.js';
import { rights as namespaceRights } from '../../servicenamespace/src/testing/rights.js';
import { namespacePolicy, namespacePolicyBinding, policyResources } from './admission-policy.js';
import { consumerRoles } from './consumer-roles.js';
import { createExportRbac } from './export-rbac.js';
import type { BindingObject } from './rbac-objects.js';
import { databases, inlineExportOf } from './testing/objects.js';
import { rights } from './testing/rights.js';

const kinds = klutchDialect.resources;
const rbac = 'rbac.authorization.k8s.io';

describeWithControlPlane(
  'consumers that speak Klutch',
  () => {
    let cluster: ProviderCluster;
    let running: Running | undefined;
    const roles = consumerRoles([databases], klutchDialect);

    beforeAll(async () => {
      const ofKlutch = [...rights, ...namespaceRights].map((rule) => ({
        ...rule,
        apiGroups: rule.apiGroups.map((group) => (group === 'kube-bind.io' ? klutchDialect.apiGroup : group)),
        resourceNames: rule.resourceNames?.map((name) =>
          name.replace('kube-binder', 'klutch-binder').replace('hawser-consumers', 'hawser-klutch-consumers'),
        ),
      }));
      cluster = await openProviderCluster(ofKlutch as typeof rights, { controllerManager: true });
      await installCRDs(cluster.client, providerCRDs, { clock: systemClock });
      for (const role of roles) await cluster.client.create(resources.clusterRoles, role);
    });
    afterAll(() => cluster.close());
    afterEach(async () => {
      await running?.stop();
      running = undefined;
    });

    const start = async (): Promise<void> => {
      const rbacOfExports = createExportRbac({ dialect: klutchDialect });
      running = await cluster.run(
        rbacOfExports.controller,
        createServiceNamespaceController({
          dialect: klutchDialect,
          isolation: 'Prefixed',
          rights: rbacOfExports.rights,
        }),
      );
    };
    const make = (resource: Resource, object: object): Promise<KubeObject> =>
      cluster.client.create(resource, object as UnstructuredObject);
    const onboard = async (name: string): Promise<KubeObject> => {
      const namespace = await make(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name, annotations: { 'example-backend.klutch.anynines.com/identity': `jane#${name}` } },
      });
      const found = inlineExportOf(databases);
      const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
      await make(kinds.apiServiceExports, {
        ...found,
        metadata: { name: found.metadata.name, namespace: name },
        spec: { ...found.spec, versions },
      });
      return namespace;
    };
    const ask = (namespace: string, name: string): Promise<KubeObject> =>
      make(kinds.apiServiceNamespaces, {
        apiVersion: klutchDialect.apiVersion,
        kind: 'APIServiceNamespace',
        metadata: { name, namespace },
      });
    const assigned = (namespace: string, name: string): Promise<void> =>
      eventually(async () => {
        expect(
          (await cluster.read<APIServiceNamespace>(kinds.apiServiceNamespaces, { namespace, name }))?.status?.namespace,
        ).toBe(`${namespace}-${name}`);
      });
    const bindings = async (
      resource: (typeof resources)['roleBindings' | 'clusterRoleBindings'],
      consumer: string,
    ): Promise<readonly string[]> =>
      (await cluster.client.list<BindingObject>(resource)).items
        .filter(({ subjects }) => subjects?.some(({ namespace }) => namespace === consumer) === true)
        .map(({ metadata, roleRef }) => `${metadata.namespace ?? '*'} ${roleRef.name}`)
        .sort();

    it('get a namespace as Klutch names and marks it, with their rights in it and nowhere else', async () => {
      await start();
      await onboard('cluster-one');
      await ask('cluster-one', 'team-a');
      await assigned('cluster-one', 'team-a');
      expect(
        (await cluster.read(resources.namespaces, { name: 'cluster-one-team-a' }))?.metadata.annotations,
      ).toMatchObject({ 'klutch.anynines.com/api-service-namespace': 'cluster-one/team-a' });
      expect(await bindings(resources.roleBindings, 'cluster-one')).toEqual([
        'cluster-one-team-a klutch-binder:objects:databases.example.com',
      ]);
      expect(await bindings(resources.clusterRoleBindings, 'cluster-one')).toEqual([]);
    });

    it("get no namespace that is another consumer's, though the names say so, nor one that somebody else made", async () => {
      await start();
      await onboard('cluster-a-b');
      await onboard('cluster-a');
      await ask('cluster-a-b', 'c');
      await assigned('cluster-a-b', 'c');
      await ask('cluster-a', 'b-c');
      await make(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'cluster-a-billing' },
      });
      await ask('cluster-a', 'billing');
      await eventually(() => {
        expect(
          running?.events
            .filter(({ event }) => event.reason === 'NamespaceConflict')
            .map(({ regarding }) => regarding.name)
            .sort(),
        ).toEqual(['b-c', 'billing']);
      });
      for (const name of ['b-c', 'billing'])
        expect(
          (await cluster.read<APIServiceNamespace>(kinds.apiServiceNamespaces, { namespace: 'cluster-a', name }))
            ?.status?.namespace,
        ).toBeUndefined();
      expect(await bindings(resources.roleBindings, 'cluster-a')).toEqual([]);
      expect(
        (await cluster.read(resources.namespaces, { name: 'cluster-a-billing' }))?.metadata.annotations,
      ).toBeUndefined();
    });

    it('keep their namespace, and what is in it, when the APIServiceNamespace goes, and get it back', async () => {
      await start();
      await onboard('cluster-keep');
      await ask('cluster-keep', 'team-a');
      await assigned('cluster-keep', 'team-a');
      const before = await cluster.read(resources.namespaces, { name: 'cluster-keep-team-a' });
      await cluster.client.delete(kinds.apiServiceNamespaces, { namespace: 'cluster-keep', name: 'team-a' });
      await eventually(async () => {
        expect(await bindings(resources.roleBindings, 'cluster-keep')).toEqual([]);
      });
      await ask('cluster-keep', 'team-a');
      await assigned('cluster-keep', 'team-a');
      expect((await cluster.read(resources.namespaces, { name: 'cluster-keep-team-a' }))?.metadata.uid).toBe(
        before?.metadata.uid,
      );
    });

    it('keep their rights in a namespace when the export that it was made for ends, while they have another one', async () => {
      await start();
      await onboard('cluster-two');
      const found = inlineExportOf(databases);
      const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
      const first = await make(kinds.apiServiceExports, {
        ...found,
        metadata: { name: 'volumes.example.com', namespace: 'cluster-two' },
        spec: { ...found.spec, names: { ...found.spec.names, plural: 'volumes' }, versions },
      });
      const {
        apiVersion,
        kind,
        metadata: { name, uid },
      } = first;
      // As Klutch's konnector makes it.
      await make(kinds.apiServiceNamespaces, {
        apiVersion,
        kind: 'APIServiceNamespace',
        metadata: {
          name: 'team-a',
          namespace: 'cluster-two',
          ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }],
        },
      });
      await assigned('cluster-two', 'team-a');
      const owners = async (): Promise<readonly string[] | undefined> =>
        (
          await cluster.read(kinds.apiServiceNamespaces, { namespace: 'cluster-two', name: 'team-a' })
        )?.metadata.ownerReferences?.map((owner) => owner.name);
      await eventually(async () => {
        expect(await owners()).toEqual(['volumes.example.com', 'databases.example.com']);
      });
      const given = async (): Promise<readonly (string | undefined)[]> =>
        (
          await cluster.client.list<BindingObject>(resources.roleBindings, { namespace: 'cluster-two-team-a' })
        ).items.map(({ metadata }) => metadata.uid);
      const before = await given();
      expect(before).toHaveLength(1);
      await cluster.client.delete(kinds.apiServiceExports, { namespace: 'cluster-two', name });
      // The collector of garbage has looked at it.
      await eventually(
        async () => {
          expect(await owners()).toEqual(['databases.example.com']);
        },
        { timeoutMs: 90_000 },
      );
      expect(await given()).toEqual(before);
    }, 150_000);

    it('lose what the Go backend gave them in the whole cluster once they have their own rights, and not before', async () => {
      const {
        metadata: { uid = '' },
      } = await onboard('cluster-go');
      const name = 'klutch-binder-cluster-go';
      const ownerReferences = [{ apiVersion: 'v1', kind: 'Namespace', name: 'cluster-go', uid, controller: true }];
      const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name };
      const subjects = [{ kind: 'ServiceAccount', name: 'klutch-binder', namespace: 'cluster-go' }];
      const service = 'cluster-go-team-a';
      await make(resources.clusterRoles, {
        apiVersion: `${rbac}/v1`,
        kind: 'ClusterRole',
        metadata: { name, ownerReferences },
        rules: [{ apiGroups: ['example.com'], resources: ['databases'], verbs: ['*'] }],
      });
      await make(resources.clusterRoleBindings, {
        apiVersion: `${rbac}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name, ownerReferences },
        roleRef,
        subjects,
      });
      await make(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: service, annotations: { 'klutch.anynines.com/api-service-namespace': 'cluster-go/team-a' } },
      });
      await make(resources.roleBindings, {
        apiVersion: `${rbac}/v1`,
        kind: 'RoleBinding',
        metadata: { name: 'klutch-binder', namespace: service },
        roleRef,
        subjects,
      });
      await ask('cluster-go', 'team-a');
      await cluster.client.patch(
        kinds.apiServiceNamespaces,
        { namespace: 'cluster-go', name: 'team-a' },
        { type: 'merge', patch: { status: { namespace: service } } },
        { subresource: 'status' },
      );
      const [, ...ofResources] = roles;
      for (const role of ofResources) await cluster.client.delete(resources.clusterRoles, { name: role.metadata.name });
      await start();
      await eventually(async () => {
        expect(
          (
            await cluster.read<
              KubeObject & {
                readonly status?: {
                  readonly conditions?: readonly { readonly type: string; readonly reason?: string }[];
                };
              }
            >(kinds.apiServiceExports, { namespace: 'cluster-go', name: 'databases.example.com' })
          )?.status?.conditions,
        ).toMatchObject([{ type: 'RightsGranted', reason: 'ConsumerRoleMissing' }]);
      });
      expect([
        await bindings(resources.roleBindings, 'cluster-go'),
        await bindings(resources.clusterRoleBindings, 'cluster-go'),
      ]).toEqual([[`${service} ${name}`], [`* ${name}`]]);

      for (const role of ofResources) await cluster.client.create(resources.clusterRoles, role);
      await eventually(
        async () => {
          expect([
            await bindings(resources.roleBindings, 'cluster-go'),
            await bindings(resources.clusterRoleBindings, 'cluster-go'),
          ]).toEqual([[`${service} klutch-binder:objects:databases.example.com`], []]);
          expect(await cluster.read(resources.clusterRoles, { name })).toBeUndefined();
        },
        { timeoutMs: 60_000 },
      );
      expect(running?.events.map(({ event }) => event.reason)).not.toContain('BackendRightsKept');
    });

    it('lose none of their namespaces by an unasked deletion, nor that of an AppClusterBinding', async () => {
      const root = {
        name: 'klutch-bind-apps-shop',
        labels: {
          'klutch.anynines.com/appclusterbinding-name': 'shop',
          'klutch.anynines.com/appclusterbinding-namespace': 'apps',
        },
      };
      for (const metadata of [
        root,
        { name: 'plain' },
        { name: 'klutch-bind-apps', labels: { 'klutch.anynines.com/appclusterbinding-name': 'shop' } },
      ])
        await make(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
      await onboard('cluster-guarded');
      await make(policyResources.policies, namespacePolicy('hawser-under-test', dialects));
      await make(policyResources.bindings, namespacePolicyBinding);
      const deletion = (name: string): Promise<unknown> =>
        cluster.client.delete(resources.namespaces, { name }, { dryRun: true });
      for (const name of ['cluster-guarded', root.name])
        await eventually(() =>
          expect(deletion(name)).rejects.toThrow('give it the annotation hawser.dev/allow-deletion=true first'),
        );
      for (const name of ['plain', 'klutch-bind-apps']) await deletion(name);
      await cluster.client.patch(
        resources.namespaces,
        { name: root.name },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/allow-deletion': 'true' } } } },
      );
      await deletion(root.name);
    });
  },
  { controllerManager: true },
);
