import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { type APIServiceNamespace, kubeBindDialect, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueNamespace } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { type ServiceNamespaceOptions, createServiceNamespaceController } from './service-namespace-controller.js';
import { type ProviderCluster, type Running, openProviderCluster } from './testing/provider-cluster.js';
import { reclaimRights, rights } from './testing/rights.js';

const owner = 'kube-bind.io/api-service-namespace';

describeWithControlPlane(
  'createServiceNamespaceController',
  () => {
    let cluster: ProviderCluster;
    let controller: Running;
    let clusterNamespace: string;

    beforeAll(async () => {
      cluster = await openProviderCluster(rights, { controllerManager: true });
    });
    afterAll(() => cluster.close());
    afterEach(() => controller.stop());

    const start = async (options: Partial<ServiceNamespaceOptions> = {}): Promise<void> => {
      controller = await cluster.run(
        createServiceNamespaceController({ dialect: kubeBindDialect, isolation: 'Prefixed', ...options }),
      );
    };
    const makeNamespace = (name: string, annotations: Record<string, string> = {}): Promise<KubeObject> =>
      cluster.client.create(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name, annotations },
      });
    const onboard = async (): Promise<void> => {
      clusterNamespace = uniqueNamespace('kube-bind');
      await makeNamespace(clusterNamespace, { 'backend.kube-bind.io/identity': clusterNamespace });
    };
    const ask = (name: string): Promise<KubeObject> =>
      cluster.client.create(resources.apiServiceNamespaces, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'APIServiceNamespace',
        metadata: { name, namespace: clusterNamespace },
      });
    const exportOf = (name: string): UnstructuredObject => ({
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExport',
      metadata: { name, namespace: clusterNamespace },
      spec: {
        resources: [{ group: 'example.com', resource: name, versions: ['v1'] }],
        informerScope: 'Namespaced',
        isolation: 'Prefixed',
      },
    });
    const assigned = async (name: string): Promise<string | undefined> =>
      (await cluster.read<APIServiceNamespace>(resources.apiServiceNamespaces, { namespace: clusterNamespace, name }))
        ?.status?.namespace;
    const namespace = (name: string): Promise<KubeObject | undefined> => cluster.read(resources.namespaces, { name });
    const eventsOf = (name: string): readonly string[] =>
      controller.events.filter(({ regarding }) => regarding.name === name).map(({ event }) => event.reason);
    const waitUntilAssigned = (name: string, to: string): Promise<unknown> =>
      eventually(async () => {
        expect(await assigned(name)).toBe(to);
      });

    it('makes a namespace that says whose it is, and assigns it', async () => {
      await onboard();
      await start();
      await ask('team-a');
      await waitUntilAssigned('team-a', `${clusterNamespace}-team-a`);
      const made = await namespace(`${clusterNamespace}-team-a`);
      expect(made?.metadata.annotations).toMatchObject({
        [owner]: `${clusterNamespace}/team-a`,
        'hawser.dev/created-by': 'servicenamespace',
      });
      expect(
        (await cluster.settledWrites())
          .filter((write) => write.namespace === clusterNamespace || write.name === `${clusterNamespace}-team-a`)
          .map(({ verb, resource, subresource }) => [verb, resource, subresource]),
      ).toEqual([
        ['create', 'namespaces', undefined],
        ['patch', 'apiservicenamespaces', 'status'],
      ]);
    });

    it('writes nothing at a restart', async () => {
      await onboard();
      await start();
      for (const name of ['a', 'b', 'c']) await ask(name);
      for (const name of ['a', 'b', 'c']) await waitUntilAssigned(name, `${clusterNamespace}-${name}`);
      const before = (await cluster.settledWrites()).length;
      await controller.stop();
      await start();
      expect((await cluster.settledWrites()).length).toBe(before);
      expect(controller.events).toEqual([]);
    });

    it('outlives the export that it was made for while another one is there, and not the last', async () => {
      await onboard();
      await start();
      const share = (name: string): Promise<KubeObject> =>
        cluster.client.create(resources.apiServiceExports, exportOf(name));
      const key = { namespace: clusterNamespace, name: 'team-a' };
      const owners = async (): Promise<readonly string[] | undefined> =>
        (await cluster.read(resources.apiServiceNamespaces, key))?.metadata.ownerReferences?.map(({ name }) => name);
      const owned = (expected: readonly string[] | undefined): Promise<unknown> =>
        eventually(
          async () => {
            expect(await owners()).toEqual(expected);
          },
          { timeoutMs: 90_000 },
        );
      const first = await share('first');
      const made = await cluster.client.create(resources.apiServiceNamespaces, {
        apiVersion: first.apiVersion,
        kind: 'APIServiceNamespace',
        metadata: {
          ...key,
          ownerReferences: [
            {
              apiVersion: first.apiVersion,
              kind: 'APIServiceExport',
              name: 'first',
              uid: first.metadata.uid ?? '',
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
      });
      await waitUntilAssigned('team-a', `${clusterNamespace}-team-a`);
      await share('second');
      await owned(['first', 'second']);
      await share('third');
      await owned(['first', 'second', 'third']);
      const writes = async (): Promise<number> =>
        (await cluster.settledWrites()).filter((write) => write.namespace === clusterNamespace).length;
      const before = await writes();
      await controller.stop();
      await start();
      expect(await writes()).toBe(before);

      // The collector of garbage takes references to what is gone away, once it has looked at all owners.
      await cluster.client.delete(resources.apiServiceExports, { namespace: clusterNamespace, name: 'first' });
      await owned(['second', 'third']);
      await cluster.client.delete(resources.apiServiceExports, { namespace: clusterNamespace, name: 'third' });
      await owned(['second']);
      expect(await cluster.read(resources.apiServiceNamespaces, key)).toMatchObject({
        metadata: { uid: made.metadata.uid },
        status: { namespace: `${clusterNamespace}-team-a` },
      });
      await cluster.client.delete(resources.apiServiceExports, { namespace: clusterNamespace, name: 'second' });
      await owned(undefined);
      expect(await cluster.read(resources.apiServiceNamespaces, key)).toBeUndefined();
      await cluster.client.delete(resources.namespaces, { name: `${clusterNamespace}-team-a` });
    }, 200_000);

    it('makes a namespace again that was deleted by hand', async () => {
      await onboard();
      await start();
      await ask('team-a');
      const name = `${clusterNamespace}-team-a`;
      await waitUntilAssigned('team-a', name);
      const first = (await namespace(name))?.metadata.uid;
      await cluster.client.delete(resources.namespaces, { name });
      await eventually(
        async () => {
          const found = await namespace(name);
          expect(found).toBeDefined();
          expect(found?.metadata.uid).not.toBe(first);
        },
        { timeoutMs: 30_000 },
      );
      expect((await namespace(name))?.metadata.annotations?.[owner]).toBe(`${clusterNamespace}/team-a`);
      expect(await assigned('team-a')).toBe(name);
    });

    it('keeps the namespace of a deleted APIServiceNamespace and gives it to the next of that name', async () => {
      await onboard();
      await start();
      await ask('team-a');
      const name = `${clusterNamespace}-team-a`;
      await waitUntilAssigned('team-a', name);
      const uid = (await namespace(name))?.metadata.uid;
      await cluster.client.delete(resources.apiServiceNamespaces, { namespace: clusterNamespace, name: 'team-a' });
      await cluster.settledWrites();
      expect((await namespace(name))?.metadata).toMatchObject({ uid });
      await ask('team-a');
      await waitUntilAssigned('team-a', name);
      expect((await namespace(name))?.metadata).toMatchObject({ uid });
      expect((await namespace(name))?.metadata.deletionTimestamp).toBeUndefined();
    });

    it('makes no more namespaces for one consumer than the bound, serves the others meanwhile, and goes on when one is gone', async () => {
      await onboard();
      const one = clusterNamespace;
      await onboard();
      // A list tells of the greedy one first.
      const [greedy = '', neighbour = ''] = [one, clusterNamespace].sort();
      clusterNamespace = greedy;
      await Promise.all(Array.from({ length: 200 }, (_, index) => ask(`n${index}`)));
      const made = async (of: string): Promise<readonly string[]> =>
        (await cluster.client.list<KubeObject>(resources.namespaces, {})).items
          .filter(({ metadata }) => metadata.annotations?.[owner]?.startsWith(`${of}/`))
          .map(({ metadata }) => metadata.name);
      clusterNamespace = neighbour;
      await ask('team-a');
      await start({ namespacesPerConsumer: 20 });
      await waitUntilAssigned('team-a', `${neighbour}-team-a`);
      await eventually(
        () => {
          expect(controller.events.filter(({ event }) => event.reason === 'TooManyNamespaces')).toHaveLength(180);
        },
        { timeoutMs: 60_000 },
      );
      const first = await made(greedy);
      expect(first).toHaveLength(20);
      // Who asks for one thing alone does not wait until the other has all that it may have, though it came last.
      const order = (await cluster.settledWrites()).flatMap(({ verb, resource, name = '' }) =>
        verb === 'create' && resource === 'namespaces' && [greedy, neighbour].some((one) => name.startsWith(`${one}-`))
          ? [name]
          : [],
      );
      expect(order).toHaveLength(21);
      expect(order.indexOf(`${neighbour}-team-a`)).toBeLessThan(20);
      expect(await made(neighbour)).toEqual([`${neighbour}-team-a`]);
      expect(controller.events.find(({ event }) => event.reason === 'TooManyNamespaces')?.event.message).toContain(
        '20 namespaces were made for this consumer',
      );
      // Asking for others instead does not help: what was made counts until it is deleted.
      const gone = first[0]?.slice(greedy.length + 1) ?? '';
      clusterNamespace = greedy;
      await cluster.client.delete(resources.apiServiceNamespaces, { namespace: greedy, name: gone });
      await ask('another');
      await eventually(() => {
        expect(eventsOf('another')).toEqual(['TooManyNamespaces']);
      });
      expect([...(await made(greedy))].sort()).toEqual([...first].sort());
      await cluster.client.delete(resources.namespaces, { name: `${greedy}-${gone}` });
      await eventually(
        async () => {
          const now = await made(greedy);
          expect(now).toHaveLength(20);
          expect(now).not.toContain(`${greedy}-${gone}`);
        },
        { timeoutMs: 60_000 },
      );
    }, 180_000);

    it('does not take over a foreign namespace, says so once, and goes on when it is gone', async () => {
      await onboard();
      const name = `${clusterNamespace}-team-a`;
      await makeNamespace(name);
      await start();
      await ask('team-a');
      await eventually(() => {
        expect(eventsOf('team-a')).toEqual(['NamespaceConflict']);
      });
      await cluster.client.patch(
        resources.apiServiceNamespaces,
        { namespace: clusterNamespace, name: 'team-a' },
        { type: 'merge', patch: { metadata: { labels: { touched: 'true' } } } },
      );
      await cluster.settledWrites();
      expect(await assigned('team-a')).toBeUndefined();
      expect(eventsOf('team-a')).toEqual(['NamespaceConflict']);
      await cluster.client.delete(resources.namespaces, { name });
      await eventually(
        async () => {
          expect(await assigned('team-a')).toBe(name);
        },
        { timeoutMs: 30_000 },
      );
      expect((await namespace(name))?.metadata.annotations?.[owner]).toBe(`${clusterNamespace}/team-a`);
    });

    it('adopts a namespace that is marked as ours', async () => {
      await onboard();
      await makeNamespace(`${clusterNamespace}-team-a`, { [owner]: `${clusterNamespace}/team-a` });
      await start();
      await ask('team-a');
      await waitUntilAssigned('team-a', `${clusterNamespace}-team-a`);
      expect((await namespace(`${clusterNamespace}-team-a`))?.metadata.annotations).toEqual({
        [owner]: `${clusterNamespace}/team-a`,
      });
    });

    it('gives nobody a namespace under None that was there before, unless the operator has opened it', async () => {
      await onboard();
      const name = uniqueNamespace('payments');
      await makeNamespace(name);
      await start({ isolation: 'None' });
      await ask(name);
      await eventually(() => {
        expect(eventsOf(name)).toEqual(['NamespaceNotOpen']);
      });
      expect(await assigned(name)).toBeUndefined();
    });

    it('gives nobody a namespace under None that the provider does not have yet, unless its name is allowed, and never one of its own', async () => {
      await onboard();
      const team = uniqueNamespace('team');
      await start({ isolation: 'None', consumerNamespaces: ['team-*', 'kube-*'], ownPrefixes: ['cluster-'] });
      for (const [name, reason] of [
        ['monitoring', 'NamespaceNotAllowed'],
        ['kube-vault', 'NamespaceReserved'],
        ['klutch-bind-apps-shop', 'NamespaceReserved'],
        ['cluster-0123', 'NamespaceReserved'],
      ] as const) {
        await ask(name);
        await eventually(() => {
          expect(eventsOf(name)).toEqual([reason]);
        });
        expect([await assigned(name), await namespace(name)]).toEqual([undefined, undefined]);
      }
      await ask(team);
      await waitUntilAssigned(team, team);
      // What it has stays, and comes back, whatever is allowed by then.
      await controller.stop();
      await start({ isolation: 'None' });
      await cluster.client.delete(resources.apiServiceNamespaces, { namespace: clusterNamespace, name: team });
      await ask(team);
      await waitUntilAssigned(team, team);
    });

    it('uses an opened namespace under None and leaves it as it is', async () => {
      await onboard();
      const name = uniqueNamespace('team');
      const found = await makeNamespace(name, { 'hawser.dev/shared-namespace': 'true' });
      await start({ isolation: 'None' });
      await ask(name);
      await waitUntilAssigned(name, name);
      await eventually(() => {
        expect(eventsOf(name)).toEqual(['NamespaceShared']);
      });
      expect((await namespace(name))?.metadata.resourceVersion).toBe(found.metadata.resourceVersion);
    });

    it('gives nobody kube-system or a cluster namespace', async () => {
      await onboard();
      const other = clusterNamespace;
      await onboard();
      await start({ isolation: 'None' });
      for (const name of ['kube-system', other]) {
        await ask(name);
        await eventually(() => {
          expect(eventsOf(name)).toEqual(['NamespaceReserved']);
        });
        expect(await assigned(name)).toBeUndefined();
      }
    });

    it('says what to do about a name that is too long, and tries nothing', async () => {
      await onboard();
      await start();
      const name = 'n'.repeat(63);
      await ask(name);
      await eventually(() => {
        expect(eventsOf(name)).toEqual(['NamespaceNameTooLong']);
      });
      const writes = await cluster.settledWrites();
      expect(writes.filter((write) => write.name?.includes(name))).toEqual([]);
      expect(controller.events.find(({ regarding }) => regarding.name === name)?.event.message).toContain(
        `at most ${62 - clusterNamespace.length} characters`,
      );
    });

    it('reclaims an empty namespace of its own, and no other', async () => {
      await onboard();
      await start({ reclaim: 'WhenEmpty', reclaimRetryMs: 200 });
      for (const name of ['empty', 'full']) {
        await ask(name);
        await waitUntilAssigned(name, `${clusterNamespace}-${name}`);
      }
      await makeNamespace(`${clusterNamespace}-adopted`, { [owner]: `${clusterNamespace}/adopted` });
      await ask('adopted');
      await waitUntilAssigned('adopted', `${clusterNamespace}-adopted`);
      await cluster.client.create(resources.configMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'data', namespace: `${clusterNamespace}-full` },
      });
      for (const name of ['empty', 'full', 'adopted'])
        await cluster.client.delete(resources.apiServiceNamespaces, { namespace: clusterNamespace, name });

      // Without the right to look, nothing is proven.
      await eventually(() => {
        expect(eventsOf(`${clusterNamespace}-empty`)).toEqual(['NamespaceRefused']);
      });
      expect(controller.events.find(({ event }) => event.reason === 'NamespaceRefused')?.event.message).toContain(
        'list',
      );
      expect((await namespace(`${clusterNamespace}-empty`))?.metadata.deletionTimestamp).toBeUndefined();
      await cluster.grant(reclaimRights);

      await eventually(
        async () => {
          expect(await namespace(`${clusterNamespace}-empty`)).toBeUndefined();
        },
        { timeoutMs: 30_000 },
      );
      await eventually(() => {
        expect(
          controller.events.filter(({ event }) => event.reason === 'NamespaceKept').map(({ event }) => event.message),
        ).toEqual([expect.stringContaining('configmaps data')]);
      });
      expect((await namespace(`${clusterNamespace}-full`))?.metadata.deletionTimestamp).toBeUndefined();
      expect((await namespace(`${clusterNamespace}-adopted`))?.metadata.deletionTimestamp).toBeUndefined();

      await cluster.client.delete(resources.configMaps, { namespace: `${clusterNamespace}-full`, name: 'data' });
      await eventually(
        async () => {
          expect(await namespace(`${clusterNamespace}-full`)).toBeUndefined();
        },
        { timeoutMs: 30_000 },
      );
      expect(
        (await cluster.plane.auditLog().writes({ user: 'hawser-under-test', verbs: ['delete'] })).map(
          ({ resource, name }) => `${resource} ${name ?? ''}`,
        ),
      ).toEqual([`namespaces ${clusterNamespace}-empty`, `namespaces ${clusterNamespace}-full`]);
    });
  },
  { controllerManager: true },
);
