import { afterEach, expect, it } from '@jest/globals';

import { type UnstructuredObject, getIfExists } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { createSharedInformers } from '@hawser/informer';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { describeWithControlPlane, eventually } from '@hawser/testenv';

import type { Sync } from './sync-options.js';
import {
  type Installation,
  type InstallationOptions,
  type Workspace,
  backups,
  configMaps,
  namespaces,
  openInstallation,
  secrets,
} from './testing/installation.js';

const FINALIZER = 'syncagent.kcp.io/cleanup';

describeWithControlPlane('a sync between workspaces of kcp and a service cluster', () => {
  let installation: Installation;

  let started: Sync | undefined;

  const open = async (options: InstallationOptions = {}): Promise<Installation> => {
    installation = await openInstallation(options);
    return { ...installation, startSync: async (...how) => (started = await installation.startSync(...how)) };
  };

  afterEach(async () => {
    await installation.close();
  });

  const key = (name: string): { readonly namespace: string; readonly name: string } => ({ namespace: 'default', name });
  const create = (
    workspace: Workspace,
    name: string,
    spec: unknown,
    metadata: Record<string, unknown> = {},
  ): Promise<UnstructuredObject> =>
    workspace.client.create(installation.kinds.kcp.resource, installation.object(name, spec, metadata));
  /** Everything is written: the copy, and what is remembered of it. */
  const synced = (workspace: Workspace, name: string): Promise<UnstructuredObject> =>
    eventually(async () => {
      const namespace = installation.kinds.kcp.scope === 'Cluster' ? '' : 'default/';
      expect(started?.why(`${workspace.cluster}|${namespace}${name}`).verdict.kind).toBe('inStep');
      const copy = await installation.copyOf(workspace, name);
      if (copy === undefined) throw new Error(`${name} has no copy`);
      return copy;
    });

  it('places objects of two workspaces, each with its marks and what was pushed, and gives their status back', async () => {
    const {
      workspaces: { a, b },
      service,
      kinds,
      agentNamespace,
      startSync,
    } = await open();
    const sync = await startSync();
    await create(a, 'one', { size: 'small', big: 9007199254740993n }, { labels: { tier: 'gold' } });
    await create(b, 'one', { size: 'large' });
    const [inA, inB] = [await synced(a, 'one'), await synced(b, 'one')];
    expect(inA).toMatchObject({
      spec: { size: 'small', big: 9007199254740993n, tier: 'standard' },
      metadata: {
        labels: {
          tier: 'gold',
          'syncagent.kcp.io/agent-name': agentNamespace,
          'syncagent.kcp.io/remote-object-cluster': a.cluster,
          'syncagent.kcp.io/remote-object-name-hash': 'fe05bcdcdc4928012781a5f1a2a77cbb5398e106',
          'syncagent.kcp.io/remote-object-namespace-hash': '7505d64a54e061b7acd54ccd58b49dc43500b635',
        },
        annotations: {
          'syncagent.kcp.io/remote-object-name': 'one',
          'syncagent.kcp.io/remote-object-namespace': 'default',
        },
      },
    });
    expect(inA.metadata.annotations?.['kcp.io/cluster']).toBeUndefined();
    expect(inB['spec']).toMatchObject({ size: 'large' });
    await service.patch(
      kinds.service.resource,
      { namespace: `copies-${a.cluster}`, name: 'default-one' },
      { type: 'merge', patch: { status: { phase: 'Ready' } } },
      { subresource: 'status' },
    );
    await eventually(async () => {
      expect(await a.get(key('one'))).toMatchObject({
        status: { phase: 'Ready' },
        metadata: { finalizers: [FINALIZER] },
      });
    });
    expect((await b.get(key('one')))?.['status']).toBeUndefined();
    await eventually(() => {
      expect(sync.surveyed).toBe(true);
    });
    await eventually(() => {
      expect(sync.counts()).toEqual({ objects: 2, workspaces: 2, failing: 0, orphans: 0, held: 2 });
    });
    const { items } = await service.list(secrets, {
      namespace: agentNamespace,
      labelSelector: 'syncagent.kcp.io/object-state=true',
    });
    expect(items).toHaveLength(2);
  });

  it('holds what an object in step and its copy have in common once', async () => {
    const {
      workspaces: { a },
      service,
      kinds,
      engagement,
      startSync,
    } = await open();
    const informers = createSharedInformers({
      client: service,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
    });
    await startSync({}, { informers });
    const inKcp = engagement.informers.acquire<UnstructuredObject>({ resource: kinds.kcp.resource });
    const onService = informers.acquire<UnstructuredObject>({
      resource: kinds.service.resource,
      labelSelector: 'syncagent.kcp.io/remote-object-name-hash',
    });
    const shared = (name: string, field: string): void => {
      const [object, copy] = [
        inKcp.get({ cluster: a.cluster, ...key(name) }),
        onService.get({ namespace: `copies-${a.cluster}`, name: `default-${name}` }),
      ];
      expect(object?.[field]).toBeInstanceOf(Object);
      expect(copy?.[field]).toBe(object?.[field]);
    };
    await create(a, 'one', { tier: 'gold', size: 'small' });
    await synced(a, 'one');
    await eventually(() => {
      shared('one', 'spec');
    });
    await service.patch(
      kinds.service.resource,
      { namespace: `copies-${a.cluster}`, name: 'default-one' },
      { type: 'merge', patch: { status: { phase: 'Ready' } } },
      { subresource: 'status' },
    );
    await eventually(() => {
      shared('one', 'status');
    });
    shared('one', 'spec');
    inKcp.release();
    onService.release();
  });

  it('needs two writes for an object on the service cluster, one of them to remember it, and none for one in step, restarts included', async () => {
    const {
      workspaces: { a },
      startSync,
      mark,
      writesSince,
    } = await open();
    const sync = await startSync();
    await create(a, 'first', { size: 'makes the namespace' });
    await synced(a, 'first');
    const before = await mark();
    await create(a, 'one', { size: 'small' });
    await synced(a, 'one');
    expect((await writesSince(before)).map(({ verb, resource }) => `${verb} ${resource}`).sort()).toEqual([
      'create databases',
      'create secrets',
    ]);
    const settled = await mark();
    const version = (await a.get(key('one')))?.metadata.resourceVersion;
    await sync.stop();
    const restarted = await startSync();
    await eventually(() => {
      expect(restarted.surveyed).toBe(true);
    });
    restarted.recheck();
    expect(await writesSince(settled)).toEqual([]);
    expect((await a.get(key('one')))?.metadata.resourceVersion).toBe(version);
    expect(restarted.why(`${a.cluster}|default/one`)).toEqual({ verdict: { kind: 'inStep' }, problem: undefined });
  });

  it('carries changes and removals, keeps what was changed on the service cluster until the workspace changes it too', async () => {
    const {
      workspaces: { a },
      service,
      kinds,
      startSync,
      copyOf,
    } = await open();
    await startSync();
    await create(a, 'one', { size: 'small', cron: '* * * * *', drop: 1 }, { labels: { drop: 'me' } });
    await synced(a, 'one');
    const copyKey = { namespace: `copies-${a.cluster}`, name: 'default-one' };
    await service.patch(kinds.service.resource, copyKey, {
      type: 'merge',
      patch: { spec: { cron: 'edited' }, metadata: { annotations: { operator: 'was here' } } },
    });
    const change = (patch: unknown): Promise<unknown> =>
      a.client.patch(kinds.kcp.resource, key('one'), { type: 'merge', patch });
    await change({ spec: { size: 'large', drop: null }, metadata: { labels: { drop: null } } });
    await eventually(async () => {
      expect((await copyOf(a, 'one'))?.['spec']).toEqual({ size: 'large', cron: 'edited', tier: 'standard' });
    });
    expect((await copyOf(a, 'one'))?.metadata).toMatchObject({
      annotations: { operator: 'was here', 'syncagent.kcp.io/remote-object-name': 'one' },
      labels: expect.not.objectContaining({ drop: 'me' }),
    });
    await change({ spec: { cron: '0 0 * * *' } });
    await eventually(async () => {
      expect((await copyOf(a, 'one'))?.['spec']).toMatchObject({ cron: '0 0 * * *' });
    });
  });

  it('tells that its counts are others when objects come and go, though all are in step', async () => {
    const {
      workspaces: { a },
      rules,
      kinds,
      startSync,
    } = await open();
    const objectCounts: number[] = [];
    const sync = await startSync({
      rules: { ...rules, filter: { resource: (labels) => labels['sync'] !== 'no', namespace: undefined } },
      onReport: () => {
        objectCounts.push(started?.counts().objects ?? 0);
      },
    });
    await eventually(() => {
      expect(sync.surveyed).toBe(true);
    });
    await create(a, 'one', { size: 'small' });
    await eventually(() => {
      expect(objectCounts.at(-1)).toBe(1);
    });
    await synced(a, 'one');
    await create(a, 'left-out', { size: 'small' }, { labels: { sync: 'no' } });
    await eventually(() => {
      expect(sync.why(`${a.cluster}|default/left-out`).verdict.kind).toBe('notSelected');
    });
    await eventually(() => {
      expect(objectCounts.at(-1)).toBe(1);
    });
    await a.client.delete(kinds.kcp.resource, key('one'));
    await eventually(() => {
      expect(objectCounts.at(-1)).toBe(0);
    });
  });

  it('deletes the copy with its object, and leaves nothing behind: no finalizer, no memory, no namespace of its own', async () => {
    const {
      workspaces: { a },
      service,
      kinds,
      agentNamespace,
      startSync,
      copyOf,
    } = await open();
    await startSync();
    await create(a, 'one', { size: 'small' }, { finalizers: ['other.example.com/x'] });
    await synced(a, 'one');
    const copyKey = { namespace: `copies-${a.cluster}`, name: 'default-one' };
    await service.patch(kinds.service.resource, copyKey, {
      type: 'merge',
      patch: { metadata: { finalizers: ['operator.example.com/x'] } },
    });
    await a.client.delete(kinds.kcp.resource, key('one'));
    await eventually(async () => {
      expect((await copyOf(a, 'one'))?.metadata.deletionTimestamp).toBeDefined();
    });
    expect((await a.get(key('one')))?.metadata.finalizers).toContain(FINALIZER);
    await service.patch(kinds.service.resource, copyKey, { type: 'merge', patch: { metadata: { finalizers: null } } });
    await eventually(async () => {
      expect((await a.get(key('one')))?.metadata.finalizers).toEqual(['other.example.com/x']);
    });
    expect(await copyOf(a, 'one')).toBeUndefined();
    expect((await service.list(secrets, { namespace: agentNamespace })).items).toEqual([]);
    await eventually(async () => {
      const namespace = (await service.list(namespaces)).items.find(
        ({ metadata: { name } }) => name === copyKey.namespace,
      );
      expect(namespace?.metadata.deletionTimestamp ?? 'gone').toBeDefined();
      expect(namespace === undefined || namespace.metadata.deletionTimestamp !== undefined).toBe(true);
    });
  });

  it('keeps the copies of a workspace that is gone, tells, and goes on when it is back', async () => {
    const {
      workspaces: { a },
      engagement,
      kinds,
      startSync,
      copyOf,
    } = await open();
    const sync = await startSync();
    await create(a, 'one', { size: 'small' });
    await synced(a, 'one');
    await eventually(() => {
      expect(sync.counts()).toMatchObject({ orphans: 0 });
    });
    engagement.disengage(a.cluster);
    await eventually(() => {
      expect(sync.counts()).toMatchObject({ orphans: 1, failing: 0 });
    });
    await a.client.patch(kinds.kcp.resource, key('one'), { type: 'merge', patch: { spec: { size: 'large' } } });
    expect((await copyOf(a, 'one'))?.['spec']).toMatchObject({ size: 'small' });
    engagement.engage(a.cluster);
    await eventually(async () => {
      expect((await copyOf(a, 'one'))?.['spec']).toMatchObject({ size: 'large' });
    });
    await eventually(() => {
      expect(sync.counts()).toMatchObject({ orphans: 0 });
    });
  });

  it('tells nothing any more of objects without a copy in a workspace that is gone, and again when it is back', async () => {
    const {
      workspaces: { a, b },
      engagement,
      rules,
      startSync,
    } = await open();
    const naming: typeof rules.naming = (object, cluster, path) => {
      if (object.metadata.name.startsWith('nameless')) throw new Error('it has no name');
      return rules.naming(object, cluster, path);
    };
    const sync = await startSync({ rules: { ...rules, naming } });
    await create(a, 'nameless', { size: 'small' });
    await create(b, 'nameless-too', { size: 'small' });
    await create(b, 'one', { size: 'small' });
    await synced(b, 'one');
    const reported = (): readonly string[] =>
      sync
        .problems()
        .map(({ object, reason }) => `${reason} ${object}`)
        .sort();
    const [inA, inB] = [`NamingFailed ${a.cluster}|default/nameless`, `NamingFailed ${b.cluster}|default/nameless-too`];
    await eventually(() => {
      expect(reported()).toEqual([inA, inB].sort());
    });
    engagement.disengage(b.cluster);
    await eventually(() => {
      expect(reported()).toEqual([inA, `Orphaned ${b.cluster}|default/one`].sort());
    });
    engagement.engage(b.cluster);
    await eventually(() => {
      expect(reported()).toEqual([inA, inB].sort());
    });
  });

  it.each(['keep', 'drain'] as const)('lets every object go when the publication ends: %s', async (how) => {
    const {
      workspaces: { a },
      service,
      agentNamespace,
      startSync,
      copyOf,
    } = await open();
    const sync = await startSync();
    await create(a, 'one', { size: 'small' });
    await synced(a, 'one');
    await eventually(() => {
      expect(sync.counts()).toMatchObject({ held: 1 });
    });
    sync.retire(how);
    await eventually(async () => {
      expect((await a.get(key('one')))?.metadata.finalizers).toBeUndefined();
    });
    await eventually(() => {
      expect(sync.counts()).toMatchObject({ held: 0, failing: 0 });
    });
    expect((await copyOf(a, 'one')) === undefined).toBe(how === 'drain');
    await eventually(async () => {
      expect((await service.list(secrets, { namespace: agentNamespace })).items).toEqual([]);
    });
    await create(a, 'two', { size: 'small' });
    sync.recheck();
    await eventually(() => {
      expect(sync.why(`${a.cluster}|default/two`).verdict.kind).toBe('absent');
    });
    expect(await copyOf(a, 'two')).toBeUndefined();
  });

  it('keeps the copy of an object that the filter selects no more, and still deletes it with its object', async () => {
    const {
      workspaces: { a },
      rules,
      kinds,
      startSync,
      copyOf,
    } = await open();
    const sync = await startSync({
      rules: {
        ...rules,
        filter: { resource: (labels) => labels['sync'] === 'yes', namespace: (labels) => labels['team'] !== 'no' },
      },
    });
    await create(a, 'left-out', { size: 'small' });
    await create(a, 'one', { size: 'small' }, { labels: { sync: 'yes' } });
    await synced(a, 'one');
    await eventually(() => {
      expect(sync.counts()).toMatchObject({ objects: 1, failing: 0 });
    });
    expect((await a.get(key('left-out')))?.metadata.finalizers).toBeUndefined();
    await a.client.patch(
      namespaces,
      { name: 'default' },
      { type: 'merge', patch: { metadata: { labels: { team: 'no' } } } },
    );
    await eventually(() => {
      expect(sync.problems()).toMatchObject([{ object: `${a.cluster}|default/one`, reason: 'NotSelected' }]);
    });
    await a.client.delete(kinds.kcp.resource, key('one'));
    await eventually(async () => {
      expect([await a.get(key('one')), await copyOf(a, 'one')]).toEqual([undefined, undefined]);
    });
  });

  it('cluster-scoped objects are synced like others, a filter on namespaces included', async () => {
    const {
      workspaces: { a, b },
      rules,
      kinds,
      startSync,
      copyOf,
    } = await open({ scope: 'Cluster' });
    await startSync({ rules: { ...rules, filter: { resource: undefined, namespace: () => true } } });
    for (const workspace of [a, b]) await create(workspace, 'one', { size: 'small' });
    await synced(a, 'one');
    await synced(b, 'one');
    await a.client.delete(kinds.kcp.resource, { name: 'one' });
    await eventually(async () => {
      expect([await a.get({ name: 'one' }), await copyOf(a, 'one')]).toEqual([undefined, undefined]);
    });
    expect(await copyOf(b, 'one')).toBeDefined();
  });

  it('a type without status subresource is synced without a request for its status', async () => {
    const {
      workspaces: { a },
      service,
      kinds,
      startSync,
    } = await open({ statusSubresource: false });
    const sync = await startSync();
    await create(a, 'one', { size: 'small' });
    await synced(a, 'one');
    await service.patch(
      kinds.service.resource,
      { namespace: `copies-${a.cluster}`, name: 'default-one' },
      { type: 'merge', patch: { status: { phase: 'Ready' } } },
    );
    await a.client.patch(kinds.kcp.resource, key('one'), { type: 'merge', patch: { spec: { size: 'large' } } });
    await eventually(async () => {
      expect((await installation.copyOf(a, 'one'))?.['spec']).toMatchObject({ size: 'large' });
    });
    expect(sync.problems()).toEqual([]);
  });

  it('adopts what stands in the place of a copy, and overwrites it only where that is wanted', async () => {
    const {
      workspaces: { a },
      service,
      kinds,
      startSync,
    } = await open();
    const copyKey = { namespace: `copies-${a.cluster}`, name: 'default-one' };
    await service.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: copyKey.namespace } });
    await service.create(kinds.service.resource, {
      apiVersion: `${kinds.service.resource.group}/v1`,
      kind: 'Database',
      metadata: copyKey,
      spec: { size: 'theirs', more: 1 },
    } as UnstructuredObject);
    const sync = await startSync();
    await create(a, 'one', { size: 'ours' });
    await eventually(() => {
      expect(sync.problems()).toMatchObject([
        { reason: 'AdoptedDiffers', message: expect.stringContaining('spec.size') },
      ]);
    });
    expect((await installation.copyOf(a, 'one'))?.['spec']).toMatchObject({ size: 'theirs' });
    await a.client.patch(kinds.kcp.resource, key('one'), { type: 'merge', patch: { spec: { size: 'theirs' } } });
    await eventually(() => {
      expect(sync.problems()).toMatchObject([
        { reason: 'AdoptedDiffers', message: expect.stringContaining('spec.more') },
      ]);
    });
    // What is left is a default of the service cluster.
    await a.client.patch(kinds.kcp.resource, key('one'), { type: 'merge', patch: { spec: { more: 1 } } });
    await eventually(() => {
      expect(sync.problems()).toEqual([]);
    });
    await a.client.patch(kinds.kcp.resource, key('one'), { type: 'merge', patch: { spec: { size: 'ours' } } });
    await eventually(async () => {
      expect((await installation.copyOf(a, 'one'))?.['spec']).toEqual({ size: 'ours', more: 1, tier: 'standard' });
    });
  });

  it('carries names as long as they may be, and the path of the workspace where that is wanted', async () => {
    const {
      workspaces: { a },
      rules,
      startSync,
    } = await open();
    await startSync({
      rules: {
        ...rules,
        workspacePaths: true,
        naming: (_object, cluster) => ({ name: 'short', namespace: `copies-${cluster}` }),
      },
    });
    const name = `${'long.'.repeat(49)}name-`.slice(0, 249) + 'x';
    const long = 'n'.repeat(63);
    await a.client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: long } });
    await a.client.create(
      installation.kinds.kcp.resource,
      installation.object(name, { size: 'small' }, { namespace: long }),
    );
    await eventually(async () => {
      expect(
        (
          await getIfExists(installation.service, installation.kinds.service.resource, {
            namespace: `copies-${a.cluster}`,
            name: 'short',
          })
        )?.metadata,
      ).toMatchObject({
        annotations: {
          'syncagent.kcp.io/remote-object-name': name,
          'syncagent.kcp.io/remote-object-namespace': long,
          'syncagent.kcp.io/remote-object-workspace-path': 'root:a',
        },
      });
    });
  });

  it('tells the life of an object in its workspace, each thing once', async () => {
    const {
      workspaces: { a },
      service,
      kinds,
      startSync,
      copyOf,
    } = await open();
    await startSync({ events: 'all' });
    await create(a, 'one', { size: 'small' });
    await synced(a, 'one');
    await service.patch(
      kinds.service.resource,
      { namespace: `copies-${a.cluster}`, name: 'default-one' },
      { type: 'merge', patch: { status: { phase: 'Ready' } } },
      { subresource: 'status' },
    );
    await eventually(async () => {
      expect(await a.get(key('one'))).toMatchObject({ status: { phase: 'Ready' } });
    });
    await a.client.patch(kinds.kcp.resource, key('one'), { type: 'merge', patch: { spec: { size: 'large' } } });
    await eventually(async () => {
      expect(await copyOf(a, 'one')).toMatchObject({ spec: { size: 'large' } });
    });
    await a.client.delete(kinds.kcp.resource, key('one'));
    await eventually(async () => {
      const { items } = await a.client.list<
        UnstructuredObject & {
          readonly involvedObject: { readonly kind: string; readonly name: string };
          readonly reason: string;
          readonly type: string;
          readonly count?: number;
        }
      >({ group: '', version: 'v1', resource: 'events' }, { namespace: 'default' });
      expect(
        items
          .map(({ reason, type, involvedObject }) => `${type} ${reason} ${involvedObject.kind} ${involvedObject.name}`)
          .sort(),
      ).toEqual(
        ['ObjectAccepted', 'ObjectCleanup', 'ObjectDeleted', 'ObjectPlaced', 'ObjectStatusSynced', 'ObjectSynced'].map(
          (reason) => `Normal ${reason} ManagedDatabase one`,
        ),
      );
    });
  });

  it('leaves the copy of another agent alone, and tells who has it', async () => {
    const {
      workspaces: { a },
      service,
      kinds,
      startSync,
    } = await open();
    const first = await startSync();
    await create(a, 'one', { size: 'small' });
    await synced(a, 'one');
    await eventually(() => {
      expect(first.counts()).toMatchObject({ held: 1 });
    });
    await first.stop();
    const second = await startSync({ agentName: 'another' });
    await a.client.patch(kinds.kcp.resource, key('one'), { type: 'merge', patch: { spec: { size: 'large' } } });
    await eventually(() => {
      expect(second.problems()).toMatchObject([
        { reason: 'OtherAgent', message: expect.stringContaining(installation.agentNamespace) },
      ]);
    });
    expect(
      (await service.get(kinds.service.resource, { namespace: `copies-${a.cluster}`, name: 'default-one' }))['spec'],
    ).toMatchObject({ size: 'small' });
  });

  it('does not fight over a status with an agent that serves the same export from another service cluster, under the same name', async () => {
    const {
      workspaces: { a },
      service,
      secondService,
      kinds,
      startSync,
    } = await open();
    const second = await secondService();
    const problems: (() => readonly string[])[] = [];
    for (const client of [service, second]) {
      const sync = await startSync({ neighbours: undefined }, { service: client });
      problems.push(() => sync.problems().map(({ reason, message }) => `${reason}: ${message}`));
    }
    await create(a, 'one', { size: 'small' });
    await create(a, 'other', { size: 'small' });
    const where = { namespace: `copies-${a.cluster}`, name: 'default-one' };
    const [here, there] = await Promise.all(
      [service, second].map((client) => eventually(() => client.get(kinds.service.resource, where))),
    );
    expect(here?.metadata.uid).not.toBe(there?.metadata.uid);
    await Promise.all(
      (
        [
          [service, 'Here'],
          [second, 'There'],
        ] as const
      ).map(([client, phase]) =>
        client.patch(
          kinds.service.resource,
          where,
          { type: 'merge', patch: { status: { phase } } },
          { subresource: 'status' },
        ),
      ),
    );
    // One of them gives way; the other one is in step then, and says nothing.
    await eventually(() => {
      expect(problems.flatMap((of) => of())).toEqual([
        expect.stringMatching(/^StatusContested: .*another service cluster/u),
      ]);
    });
    const settledAt = await a.get(key('one'));
    await synced(a, 'other');
    expect((await a.get(key('one')))?.metadata.resourceVersion).toBe(settledAt?.metadata.resourceVersion);
    const phases = await Promise.all(
      [service, second].map(
        async (client) => ((await client.get(kinds.service.resource, where))['status'] as { phase: string }).phase,
      ),
    );
    expect(phases).toEqual(['Here', 'There']);
    // Whose status is passed on at present is free to change it.
    const winner = (settledAt?.['status'] as { phase: string }).phase === 'Here' ? service : second;
    await winner.patch(
      kinds.service.resource,
      where,
      { type: 'merge', patch: { status: { phase: 'Moved' } } },
      { subresource: 'status' },
    );
    await eventually(async () => {
      expect((await a.get(key('one')))?.['status']).toEqual({ phase: 'Moved' });
    });
  });

  it('tells in the workspace what the service cluster refuses, and goes on when the object is changed; neighbours are not held up', async () => {
    const {
      workspaces: { a },
      kinds,
      startSync,
    } = await open();
    const sync = await startSync();
    await create(a, 'bad', { size: 'far too long for the schema' });
    await create(a, 'good', { size: 'small' });
    await synced(a, 'good');
    await eventually(() => {
      expect(sync.problems()).toMatchObject([
        {
          object: `${a.cluster}|default/bad`,
          reason: 'RejectedByServiceCluster',
          actor: 'consumer',
          message: expect.stringContaining('spec.size'),
        },
      ]);
    });
    await eventually(async () => {
      const { items } = await a.client.list({ group: '', version: 'v1', resource: 'events' }, { namespace: 'default' });
      expect(items).toContainEqual(
        expect.objectContaining({
          reason: 'RejectedByServiceCluster',
          type: 'Warning',
          involvedObject: expect.objectContaining({ name: 'bad' }),
        }),
      );
    });
    await a.client.patch(kinds.kcp.resource, key('bad'), { type: 'merge', patch: { spec: { size: 'ok' } } });
    await synced(a, 'bad');
    await eventually(() => {
      expect(sync.problems()).toEqual([]);
    });
  });

  it('without an accepted claim on events tells on the PublishedResource', async () => {
    const {
      workspaces: { a },
      events,
      startSync,
    } = await open({ accepted: [] });
    await startSync();
    await create(a, 'bad', { size: 'far too long for the schema' });
    await eventually(() => {
      expect(events).toContainEqual(
        expect.objectContaining({
          regarding: expect.objectContaining({ kind: 'PublishedResource' }),
          event: expect.objectContaining({ reason: 'RejectedByServiceCluster' }),
        }),
      );
    });
  });

  it('removes a namespace that it made once what others had left there is gone, too', async () => {
    const {
      workspaces: { a },
      service,
      startSync,
    } = await open();
    await startSync();
    await create(a, 'one', { size: 'small' });
    const {
      metadata: { namespace = '' },
    } = await synced(a, 'one');
    const left = { namespace, name: 'left-behind' };
    await service.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: left });
    const since = await installation.mark();
    await a.client.delete(installation.kinds.kcp.resource, key('one'));
    await eventually(async () => {
      expect(await a.get(key('one'))).toBeUndefined();
    });
    // It has looked, and has seen that.
    await eventually(
      async () => {
        expect(
          await installation.plane
            .auditLog()
            .entries({ since, verbs: ['list'], resource: 'configmaps', namespace, succeeded: true }),
        ).not.toEqual([]);
      },
      { timeoutMs: 60_000 },
    );
    const deleted = async (): Promise<boolean> =>
      (await getIfExists(service, namespaces, { name: namespace }))?.metadata.deletionTimestamp !== undefined;
    expect(await deleted()).toBe(false);
    await service.delete(configMaps, left);
    await eventually(
      async () => {
        expect(await deleted()).toBe(true);
      },
      { timeoutMs: 90_000, intervalMs: 500 },
    );
  });

  it('keeps the copies of two kinds of kcp apart that are one kind here: what was made for one is the other’s to leave alone', async () => {
    const {
      workspaces: { a },
      kinds,
      rules,
      service,
      startSync,
    } = await open({ related: true });
    const other = { apiVersion: 'syncagent.kcp.io/v1alpha1', kind: 'PublishedResource', name: 'backups' };
    await startSync({ publishesSameKind: (name) => name === other.name });
    await create(a, 'one', { size: 'small' });
    const copy = await synced(a, 'one');
    const ofBackups = {
      publishedResource: other,
      kinds: { ...kinds, kcp: { ...kinds.kcp, resource: backups, kind: 'Backup' } },
      publishesSameKind: (name: string) => name === 'databases',
    };
    await startSync(ofBackups);
    await a.client.create(backups, {
      ...installation.object('one', { size: 'large' }),
      apiVersion: 'kcp.example.com/v1',
      kind: 'Backup',
    });
    await eventually(() => {
      expect(started?.why(`${a.cluster}|default/one`)).toMatchObject({ problem: { reason: 'NameTaken' } });
    });
    await a.client.delete(backups, key('one'));
    await eventually(async () => {
      expect(await a.get(key('one'), backups)).toBeUndefined();
    });
    expect(await installation.copyOf(a, 'one')).toMatchObject({
      metadata: { uid: copy.metadata.uid },
      spec: { size: 'small' },
    });
    await started?.stop();
    // With names that tell them apart, each has its own.
    await startSync({
      ...ofBackups,
      rules: {
        ...rules,
        naming: (object, cluster) => ({ name: `backup-${object.metadata.name}`, namespace: `copies-${cluster}` }),
      },
    });
    await a.client.create(backups, {
      ...installation.object('one', { size: 'large' }),
      apiVersion: 'kcp.example.com/v1',
      kind: 'Backup',
    });
    const second = { namespace: `copies-${a.cluster}`, name: 'backup-one' };
    await eventually(async () => {
      expect(await service.get(kinds.service.resource, second)).toMatchObject({ spec: { size: 'large' } });
    });
    await a.client.delete(kinds.kcp.resource, key('one'));
    await eventually(async () => {
      expect(await a.get(key('one'))).toBeUndefined();
      expect((await service.list(kinds.service.resource)).items.map(({ metadata: { name } }) => name)).toEqual([
        second.name,
      ]);
    });
    expect(await a.get(key('one'), backups)).toBeDefined();
  });

  it('tells of an object whose copy is nested too deeply, and syncs its neighbours', async () => {
    const {
      workspaces: { a },
      service,
      kinds,
      startSync,
    } = await open();
    const sync = await startSync();
    await create(a, 'deep', { size: 'small' });
    await synced(a, 'deep');
    const copy = { namespace: `copies-${a.cluster}`, name: 'default-deep' };
    const nested = Array.from({ length: 4_000 }).reduce<object>((inner) => ({ a: inner }), { leaf: 1 });
    await service.patch(
      kinds.service.resource,
      copy,
      { type: 'merge', patch: { status: nested } },
      { subresource: 'status', representation: 'metadata' },
    );
    await eventually(() => {
      expect(sync.problems()).toEqual([
        expect.objectContaining({ object: `${a.cluster}|default/deep`, reason: 'TooDeep', actor: 'consumer' }),
      ]);
    });
    // Another version of it, which a cache compares with the one before.
    await service.patch(
      kinds.service.resource,
      copy,
      { type: 'merge', patch: { metadata: { labels: { a: 'b' } } } },
      { representation: 'metadata' },
    );
    await create(a, 'after', { size: 'small' });
    await synced(a, 'after');
    sync.reread();
    await create(a, 'later', { size: 'small' });
    await synced(a, 'later');
    expect((await a.get(key('deep')))?.['status']).toBeUndefined();
    expect(sync.counts().failing).toBe(1);
    expect(sync.why(`${a.cluster}|default/deep`).problem).toMatchObject({ reason: 'TooDeep' });
    await service.patch(
      kinds.service.resource,
      copy,
      { type: 'merge', patch: { status: { a: null, phase: 'Ready' } } },
      { subresource: 'status' },
    );
    await eventually(async () => {
      expect((await a.get(key('deep')))?.['status']).toEqual({ phase: 'Ready' });
    });
    await eventually(() => {
      expect(sync.problems()).toEqual([]);
    });
  });
});
