import { beforeAll, expect } from '@jest/globals';
import { type SampleApi, databases } from '@hawser/installation';
import { type PermissionClaim, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { conditionsOf } from './conditions.js';
import { LONG, binding, copyKey, createNamespace, objectOf, resourceOf, synced } from './copies.js';
import type { Program } from './program.js';
import { describeSystem } from './suite.js';
import { type BoundApi, ready } from './system.js';
import { konnectorWrites, mark, settledWrites } from './writes.js';

const vaults: SampleApi = { ...databases, plural: 'vaults', kind: 'Vault' };
const NAMESPACE = 'team-a';
const early: readonly PermissionClaim[] = [
  {
    group: '',
    resource: 'secrets',
    selector: {
      labelSelector: { matchLabels: { app: 'vault' } },
      references: [{ group: vaults.group, resource: vaults.plural, jsonPath: { name: 'spec.secretRefs.#.name' } }],
    },
  },
];
const late: PermissionClaim = {
  group: '',
  resource: 'configmaps',
  selector: { namedResources: [{ name: 'settings' }] },
};

describeSystem(
  'permission claims',
  () => ({ name: 'claims', chartValues: { claimedResources: ['secrets', 'configmaps'] } }),
  (system, it) => {
    let konnector: Program;
    let bound: BoundApi;
    beforeAll(async () => {
      konnector = await system().startKonnector();
      await createNamespace(system(), NAMESPACE);
      bound = await system().bind({ name: 'vaults', apis: [vaults], claims: early });
      await allowClaims();
      await ready(system(), 'vaults');
    }, 240_000);

    /** As a backend does that knows of claims. */
    async function allowClaims(): Promise<void> {
      const name = `kube-binder-claims-${bound.clusterNamespace}`;
      const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name } };
      await system().provider.apply(
        {
          ...rbac,
          kind: 'ClusterRole',
          rules: [
            {
              apiGroups: [''],
              resources: ['secrets', 'configmaps'],
              verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
            },
          ],
        },
        {
          ...rbac,
          kind: 'ClusterRoleBinding',
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
          subjects: [{ kind: 'ServiceAccount', name: 'kube-binder', namespace: bound.clusterNamespace }],
        },
      );
    }
    const key = (name: string): { readonly namespace: string; readonly name: string } => ({
      namespace: NAMESPACE,
      name,
    });
    const secret = (at: object, labels: Readonly<Record<string, string>> = {}): never =>
      ({ apiVersion: 'v1', kind: 'Secret', metadata: { ...at, labels }, data: { k: 'dg==' } }) as never;

    it('Secrets go up and come down; the object that refers to them does not wait', async () => {
      const { consumer, provider } = system();
      await consumer.client.create(
        resourceOf(vaults),
        objectOf(vaults, key('main'), { size: 'small', secretRefs: [{ name: 'referred' }] }),
      );
      await synced(system(), bound, vaults, key('main'));
      await consumer.client.create(resources.secrets, secret(key('referred')));
      await consumer.client.create(resources.secrets, secret(key('private')));
      await eventually(() => provider.client.get(resources.secrets, copyKey(bound, key('referred'))), LONG);
      await provider.client.create(resources.secrets, secret(copyKey(bound, key('issued')), { app: 'vault' }));
      await eventually(() => consumer.client.get(resources.secrets, key('issued')), LONG);
      await expect(provider.client.get(resources.secrets, copyKey(bound, key('private')))).rejects.toMatchObject({
        code: 'NotFound',
      });
      await consumer.client.delete(resources.secrets, key('referred'));
      await eventually(async () => {
        await expect(provider.client.get(resources.secrets, copyKey(bound, key('referred')))).rejects.toMatchObject({
          code: 'NotFound',
        });
      }, LONG);
    });

    it('a claim that comes later is held until the command that the condition gives is run', async () => {
      const { consumer, provider } = system();
      await consumer.client.create(resources.configMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: key('settings'),
        data: { a: 'b' },
      } as never);
      const at = { namespace: bound.clusterNamespace, name: 'vaults' };
      for (const claims of [null, [...early, late]])
        await provider.client.patch(resources.apiServiceExports, at, {
          type: 'merge',
          patch: { spec: { permissionClaims: claims } },
        });
      const command = await eventually(async () => {
        const { ClaimsAccepted } = conditionsOf(await binding(system(), 'vaults'));
        const [, found] = /kubectl (annotate .* --overwrite)/u.exec(ClaimsAccepted?.message ?? '') ?? [];
        if (found === undefined) throw new Error(`ClaimsAccepted is ${JSON.stringify(ClaimsAccepted)}`);
        return found;
      }, LONG);
      await ready(system(), 'vaults');
      await consumer.kubectl(command.split(' '));
      await eventually(() => provider.client.get(resources.configMaps, copyKey(bound, key('settings'))), LONG);
    });

    it.ownClusters('a restart writes nothing, and what changed meanwhile is put right', async () => {
      const { consumer, provider } = system();
      await settledWrites(system(), await mark(system()), 2_500);
      await konnector.stop('SIGKILL');
      const since = await mark(system());
      konnector = await system().startKonnector();
      expect(await settledWrites(system(), since, 2_500)).toEqual([]);
      await consumer.client.patch(resources.secrets, key('issued'), {
        type: 'merge',
        patch: { data: { k: 'dGFtcGVyZWQ=' } },
      });
      await eventually(async () => {
        expect(await consumer.client.get(resources.secrets, key('issued'))).toMatchObject({ data: { k: 'dg==' } });
      }, LONG);
      await provider.client.delete(resources.secrets, copyKey(bound, key('issued')));
      await eventually(async () => {
        await expect(consumer.client.get(resources.secrets, key('issued'))).rejects.toMatchObject({ code: 'NotFound' });
      }, LONG);
      expect(await konnectorWrites(system(), since)).toEqual([
        `consumer: patch secrets ${NAMESPACE}/issued 200`,
        `consumer: delete secrets ${NAMESPACE}/issued 200`,
      ]);
    });
  },
);
