import type { KubeObject, ObjectKey } from '@hawser/client';
import { type SampleApi, databases } from '@hawser/installation';
import { type APIServiceBinding, type APIServiceExport, klutchDialect } from '@hawser/klutch';
import { resources as kubernetes } from '@hawser/kube-bind';
import { type AuditEntry, eventually, settled } from '@hawser/testenv';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { conditionsOf } from './conditions.js';
import { LONG, type ServiceObject, gone, objectOf, resourceOf } from './copies.js';
import { describeKlutchWorld } from './klutch-suite.js';
import { type KlutchTenant, openKlutchTenant } from './klutch-tenant.js';
import { type KlutchClient, providerUser } from './klutch-world.js';

const { resources, apiVersion, apiGroup } = klutchDialect;
const caches: SampleApi = { ...databases, plural: 'caches', kind: 'Cache' };
const apis = [databases, caches];
const nameOf = ({ plural, group }: SampleApi): string => `${plural}.${group}`;
const claims: APIServiceBinding['spec']['permissionClaims'] = [
  {
    group: '',
    version: 'v1',
    resource: 'secrets',
    selector: { names: ['*'], namespaces: ['*'], owner: 'Provider' },
    state: 'Accepted',
  },
];
const NAMESPACE = 'team-a';

/** A consumer, its cluster, and where its copies are. */
interface Party extends KlutchTenant {
  readonly consumer: KlutchClient;
  readonly copyNamespace: string;
}

describeKlutchWorld(
  'exports of Klutch that end, while konnectors run',
  { name: 'klutch-withdrawn', apis, withdrawnGraceSeconds: 1 },
  (world, it) => {
    let one: Party;
    let two: Party;

    beforeAll(async () => {
      one = await party('cluster-one');
      two = await party('cluster-two');
      for (const { plane } of [one, two]) {
        for (const api of apis)
          await eventually(() => plane.apply(objectOf(api, { namespace: NAMESPACE, name: 'orders' })), LONG);
        await plane.apply(objectOf(databases, { namespace: NAMESPACE, name: 'users' }));
      }
      for (const each of [one, two]) {
        for (const [api, name] of [
          [databases, 'orders'],
          [databases, 'users'],
          [caches, 'orders'],
        ] as const)
          await eventually(async () => {
            expect((await copyOf(each, api, name))?.metadata.annotations).toMatchObject({
              'hawser.dev/consumer-identity': expect.any(String),
            });
          }, LONG);
        await world().plane.apply({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'orders-creds', namespace: each.copyNamespace },
          stringData: { password: 'x' },
        });
        await eventually(async () => {
          expect(
            await each.plane.find(kubernetes.secrets, { namespace: NAMESPACE, name: 'orders-creds' }),
          ).toBeDefined();
        }, LONG);
      }
    }, 480_000);
    afterAll(async () => {
      await Promise.all([one.close(), two.close()]);
    }, 120_000);

    const party = async (clusterNamespace: string): Promise<Party> => {
      const consumer = await world().onboard(clusterNamespace);
      await world().plane.apply({
        apiVersion,
        kind: 'APIServiceExportRequest',
        metadata: { name: 'all', namespace: clusterNamespace },
        spec: { resources: apis.map(({ group, plural }) => ({ group, resource: plural })) },
      });
      const tenant = await openKlutchTenant(world(), consumer, apis, claims);
      await tenant.plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
      return { ...tenant, consumer, copyNamespace: `${clusterNamespace}-${NAMESPACE}` };
    };
    const copyOf = ({ copyNamespace }: Party, api: SampleApi, name: string): Promise<ServiceObject | undefined> =>
      world().plane.find(resourceOf(api), { namespace: copyNamespace, name });
    const exportKey = ({ consumer }: Party, api: SampleApi): Required<ObjectKey> => ({
      namespace: consumer.clusterNamespace,
      name: nameOf(api),
    });
    const exportOf = (of: Party, api: SampleApi): Promise<APIServiceExport | undefined> =>
      world().plane.find(resources.apiServiceExports, exportKey(of, api));
    const annotate = (
      of: Party,
      api: SampleApi,
      annotations: Readonly<Record<string, string | null>>,
    ): Promise<unknown> =>
      world().plane.client.patch(resources.apiServiceExports, exportKey(of, api), {
        type: 'merge',
        patch: { metadata: { annotations } },
      });
    const left = async ({ consumer }: Party): Promise<string | undefined> =>
      conditionsOf(
        await world().plane.find(resources.clusterBindings, { namespace: consumer.clusterNamespace, name: 'cluster' }),
      )['ObjectsLeft']?.message;
    /** The consumer's own, that nobody deletes. */
    const ownObjects = async ({ plane }: Party, api: SampleApi): Promise<readonly string[]> => {
      const { items } = await plane.client.list<KubeObject>(resourceOf(api), { namespace: NAMESPACE });
      return items
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ metadata }) => metadata.name)
        .sort();
    };
    /** What the provider role has deleted of objects of its consumers. */
    const deletions = (): Promise<readonly string[]> =>
      settled(
        async () => {
          const writes: readonly AuditEntry[] =
            (await world().plane.controlPlane?.auditLog().writes({ user: providerUser })) ?? [];
          return writes
            .filter(
              ({ verb, group, resource }) =>
                verb.startsWith('delete') &&
                (group === databases.group || ['secrets', 'namespaces'].includes(resource)),
            )
            .map(({ resource, namespace, name, code }) => `${resource} ${namespace ?? ''}/${name ?? ''} ${code}`)
            .sort();
        },
        { quiet: 3, intervalMs: 500 },
      );
    /** A change on either side still reaches the other. */
    const isInStep = async (of: Party, api: SampleApi, size: string): Promise<void> => {
      await of.plane.client.patch(
        resourceOf(api),
        { namespace: NAMESPACE, name: 'orders' },
        { type: 'merge', patch: { spec: { size } } },
      );
      await eventually(async () => {
        expect((await copyOf(of, api, 'orders'))?.spec).toMatchObject({ size });
      }, LONG);
      await world().plane.client.patch(
        resourceOf(api),
        { namespace: of.copyNamespace, name: 'orders' },
        { type: 'merge', patch: { status: { phase: size } } },
        { subresource: 'status' },
      );
      await eventually(async () => {
        expect(await of.plane.find(resourceOf(api), { namespace: NAMESPACE, name: 'orders' })).toMatchObject({
          status: { phase: size },
        });
      }, LONG);
    };

    it('keeps the copies of an export that is withdrawn, and of one that is deleted, unless somebody says otherwise, and counts them', async () => {
      const { uid } = (await copyOf(two, databases, 'orders'))?.metadata ?? {};
      await annotate(two, databases, { 'hawser.dev/withdrawn': 'by the operator' });
      await eventually(async () => {
        expect(await left(two)).toContain(
          `2 ${nameOf(databases)} (${two.copyNamespace}/orders, ${two.copyNamespace}/users)`,
        );
      }, LONG);
      await world().plane.kubectl([
        'delete',
        `apiserviceexports.${apiGroup}`,
        nameOf(databases),
        '-n',
        two.consumer.clusterNamespace,
        '--timeout=60s',
      ]);
      await eventually(async () => {
        expect(await left(two)).toContain(`2 copies of this consumer are left of exports that have ended`);
      }, LONG);
      expect(await deletions()).toEqual([]);
      expect((await copyOf(two, databases, 'orders'))?.metadata.uid).toBe(uid);
      expect(await ownObjects(two, databases)).toEqual(['orders', 'users']);
      expect(await left(one)).toBeUndefined();
      await isInStep(two, caches, 'medium');
      await isInStep(one, databases, 'medium');
    });

    it("deletes the copies of a withdrawn export after proof, where that is wanted, and nothing of the consumer's own, of another export or of another consumer", async () => {
      await annotate(one, databases, { 'hawser.dev/withdrawn-objects': 'Delete' });
      await eventually(async () => {
        expect((await exportOf(one, databases))?.metadata.finalizers).toEqual(['hawser.dev/withdrawn-objects']);
      }, LONG);
      await annotate(one, databases, { 'hawser.dev/withdrawn': 'by the operator' });
      for (const name of ['orders', 'users']) await gone(() => copyOf(one, databases, name));
      expect(await deletions()).toEqual([
        `databases ${one.copyNamespace}/orders 200`,
        `databases ${one.copyNamespace}/users 200`,
      ]);
      await eventually(async () => {
        expect(await left(one)).toBeUndefined();
      }, LONG);
      // The konnector is still there, and has no way to make them again.
      expect(await ownObjects(one, databases)).toEqual(['orders', 'users']);
      expect(await copyOf(one, databases, 'orders')).toBeUndefined();
      await isInStep(one, caches, 'large');
      expect(await copyOf(two, databases, 'orders')).toBeDefined();
      await isInStep(two, caches, 'large');
      for (const { copyNamespace, plane } of [one, two]) {
        expect(
          await world().plane.find(kubernetes.secrets, { namespace: copyNamespace, name: 'orders-creds' }),
        ).toBeDefined();
        expect(await plane.find(kubernetes.secrets, { namespace: NAMESPACE, name: 'orders-creds' })).toBeDefined();
      }
    });

    it("makes the copies of the consumer's own objects again when the export stands again", async () => {
      await annotate(one, databases, { 'hawser.dev/withdrawn': null });
      for (const name of ['orders', 'users'])
        await eventually(async () => {
          expect(await copyOf(one, databases, name)).toBeDefined();
        }, LONG);
      await isInStep(one, databases, 'small');
    });

    it('deletes them when the consumer has let go of the binding, and when the export is deleted, which goes after the last of them', async () => {
      await annotate(two, caches, { 'hawser.dev/withdrawn-objects': 'Delete' });
      await eventually(async () => {
        expect((await exportOf(two, caches))?.metadata.finalizers).toEqual(['hawser.dev/withdrawn-objects']);
      }, LONG);
      await two.plane.client.delete(resources.apiServiceBindings, { name: nameOf(caches) });
      await eventually(async () => {
        expect((await exportOf(two, caches))?.metadata.annotations).toMatchObject({
          'hawser.dev/withdrawn': 'Unbound',
        });
      }, LONG);
      await gone(() => copyOf(two, caches, 'orders'));
      expect(await exportOf(two, caches)).toBeDefined();

      await world().plane.client.delete(resources.apiServiceExports, exportKey(one, databases));
      for (const name of ['orders', 'users']) await gone(() => copyOf(one, databases, name));
      await gone(() => exportOf(one, databases));
      expect(await ownObjects(one, databases)).toEqual(['orders', 'users']);
      expect(await deletions()).toEqual(
        [
          ...['orders', 'orders', 'users', 'users'].map((name) => `databases ${one.copyNamespace}/${name} 200`),
          `caches ${two.copyNamespace}/orders 200`,
        ].sort(),
      );
      await isInStep(one, caches, 'small');
      expect(await copyOf(two, databases, 'orders')).toBeDefined();
    });
  },
);
