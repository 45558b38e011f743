import { inspect } from 'node:util';

import { afterEach, expect, it } from '@jest/globals';

import { type Client, type ObjectKey, type Resource, type UnstructuredObject, getIfExists } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { LogFields, Logger } from '@hawser/telemetry';
import { describeWithControlPlane, eventually, roughEdge } from '@hawser/testenv';

import type { RelatedRule } from './rules.js';
import type { Sync, SyncOptions } from './sync-options.js';
import { byReference } from './testing/by-reference.js';
import {
  type Installation,
  type InstallationOptions,
  type Surroundings,
  type Workspace,
  backups,
  configMaps,
  openInstallation,
  secrets,
} from './testing/installation.js';

const FINALIZER = 'syncagent.kcp.io/cleanup';

describeWithControlPlane('related objects', () => {
  let installation: Installation;
  let isOpen = false;
  let a: Workspace;
  let sync: Sync;

  const open = async (options: InstallationOptions = {}): Promise<void> => {
    if (!isOpen) installation = await openInstallation(options);
    isOpen = true;
    a = installation.workspaces.a;
  };
  const start = async (
    related: readonly RelatedRule[],
    more: Partial<SyncOptions> = {},
    surroundings: Surroundings = {},
  ): Promise<void> => {
    await open();
    sync = await installation.startSync({ rules: { ...installation.rules, related }, ...more }, surroundings);
  };

  afterEach(async () => {
    await installation.close();
    isOpen = false;
  });

  const primary = (name: string): ObjectKey => ({ namespace: 'default', name });
  const create = (name: string, spec: unknown): Promise<UnstructuredObject> =>
    a.client.create(installation.kinds.kcp.resource, installation.object(name, spec));
  const change = (name: string, spec: unknown): Promise<unknown> =>
    a.client.patch(installation.kinds.kcp.resource, primary(name), { type: 'merge', patch: { spec } });
  const remove = (name: string): Promise<unknown> => a.client.delete(installation.kinds.kcp.resource, primary(name));
  const secret = (namespace: string, name: string, value: string): UnstructuredObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    type: 'Opaque',
    data: { password: Buffer.from(value).toString('base64') },
  });
  const inKcp = (name: string, resource: Resource = secrets): Promise<UnstructuredObject | undefined> =>
    a.get({ namespace: 'default', name }, resource);
  const onService = (name: string, resource: Resource = secrets): Promise<UnstructuredObject | undefined> =>
    getIfExists(installation.service, resource, { namespace: `copies-${a.cluster}`, name });
  const value = (object: UnstructuredObject | undefined): string | undefined => {
    const data = object?.['data'] as Record<string, string> | undefined;
    return data?.['password'] === undefined ? undefined : Buffer.from(data['password'], 'base64').toString();
  };
  const copied = (name: string): Promise<void> =>
    eventually(async () => {
      expect(await installation.copyOf(a, name)).toBeDefined();
    });

  it('of the service cluster reach the workspace, are announced there, and follow every change', async () => {
    await start([byReference('credentials', 'service', 'secretName')]);
    await create('one', { secretName: 'creds' });
    await copied('one');
    await installation.service.create(secrets, secret(`copies-${a.cluster}`, 'creds', 'first'));
    await eventually(async () => {
      expect(value(await inKcp('creds'))).toBe('first');
    });
    const copy = await inKcp('creds');
    expect(copy?.metadata.labels?.['syncagent.kcp.io/agent-name']).toBeUndefined();
    expect(
      Object.keys(copy?.metadata.annotations ?? {}).filter(
        (name) => name.startsWith('syncagent') || name.startsWith('hawser'),
      ),
    ).toEqual([]);
    await eventually(async () => {
      expect(
        (await a.get(primary('one')))?.metadata.annotations?.['related-resources.syncagent.kcp.io/credentials.0'],
      ).toBe('{"namespace":"default","name":"creds","apiVersion":"v1","kind":"Secret"}');
    });
    await installation.service.patch(
      secrets,
      { namespace: `copies-${a.cluster}`, name: 'creds' },
      { type: 'merge', patch: { data: { password: Buffer.from('second').toString('base64') } } },
    );
    await eventually(async () => {
      expect(value(await inKcp('creds'))).toBe('second');
    });
    expect(sync.problems()).toEqual([]);
  });

  it('of the service cluster stay when the primary goes, unless they are to be cleaned up', async () => {
    await start([
      byReference('kept', 'service', 'kept'),
      byReference('cleaned', 'service', 'cleaned', { cleanup: true }),
    ]);
    await create('one', { kept: 'k', cleaned: 'c' });
    await copied('one');
    await installation.service.create(secrets, secret(`copies-${a.cluster}`, 'k', 'v'));
    await installation.service.create(secrets, secret(`copies-${a.cluster}`, 'c', 'v'));
    await eventually(async () => {
      expect([await inKcp('k'), await inKcp('c')]).not.toContain(undefined);
    });
    await remove('one');
    await eventually(async () => {
      expect(await a.get(primary('one'))).toBeUndefined();
    });
    expect(await inKcp('c')).toBeUndefined();
    expect(await inKcp('k')).toBeDefined();
    expect(await onService('c')).toBeDefined();
    expect(await onService('k')).toBeDefined();
  });

  it('of a workspace are protected there, and let go with their primary', async () => {
    await start([byReference('config', 'kcp', 'secretName')]);
    await a.client.create(secrets, secret('default', 'creds', 'from kcp'));
    await create('one', { secretName: 'creds' });
    await eventually(async () => {
      expect(value(await onService('creds'))).toBe('from kcp');
    });
    expect((await inKcp('creds'))?.metadata.finalizers).toEqual([FINALIZER]);
    await remove('one');
    await eventually(async () => {
      expect(await a.get(primary('one'))).toBeUndefined();
    });
    expect(await onService('creds')).toBeUndefined();
    expect(await inKcp('creds')).toMatchObject({
      metadata: expect.not.objectContaining({ finalizers: expect.anything() }),
    });
  });

  it('of a workspace that are deleted there take their copies with them', async () => {
    await start([byReference('config', 'kcp', 'secretName')]);
    await a.client.create(secrets, secret('default', 'creds', 'v'));
    await create('one', { secretName: 'creds' });
    await eventually(async () => {
      expect(await onService('creds')).toBeDefined();
    });
    await a.client.delete(secrets, { namespace: 'default', name: 'creds' });
    await eventually(async () => {
      expect([await inKcp('creds'), await onService('creds')]).toEqual([undefined, undefined]);
    });
    expect(sync.problems()).toEqual([]);
  });

  it('that a primary refers to no more are cleaned up, by what was remembered, restarts included', async () => {
    const rules = [byReference('config', 'kcp', 'secretName')];
    await start(rules);
    await a.client.create(secrets, secret('default', 'old', 'old'));
    await a.client.create(secrets, secret('default', 'new', 'new'));
    await create('one', { secretName: 'old' });
    await eventually(async () => {
      expect(value(await onService('old'))).toBe('old');
    });
    await eventually(() => {
      expect(sync.surveyed).toBe(true);
    });
    await sync.stop();
    await change('one', { secretName: 'new' });
    await start(rules);
    await eventually(async () => {
      expect(value(await onService('new'))).toBe('new');
    });
    await eventually(async () => {
      expect(await onService('old')).toBeUndefined();
    });
    await eventually(async () => {
      expect(await inKcp('old')).toMatchObject({
        metadata: expect.not.objectContaining({ finalizers: expect.anything() }),
      });
    });
    expect((await inKcp('new'))?.metadata.finalizers).toEqual([FINALIZER]);
  });

  it('that two primaries share stay until the last of them goes', async () => {
    await start([byReference('config', 'kcp', 'secretName')]);
    await a.client.create(secrets, secret('default', 'shared', 'v'));
    await create('one', { secretName: 'shared' });
    await create('two', { secretName: 'shared' });
    await eventually(async () => {
      expect(await onService('shared')).toBeDefined();
    });
    await Promise.all([copied('one'), copied('two')]);
    await eventually(() => {
      expect(sync.why(`${a.cluster}|default/two`)).toEqual({ verdict: { kind: 'inStep' }, problem: undefined });
    });
    await remove('one');
    await eventually(async () => {
      expect(await a.get(primary('one'))).toBeUndefined();
    });
    expect((await inKcp('shared'))?.metadata.finalizers).toEqual([FINALIZER]);
    expect(await onService('shared')).toBeDefined();
    await remove('two');
    await eventually(async () => {
      expect(await a.get(primary('two'))).toBeUndefined();
    });
    expect(await onService('shared')).toBeUndefined();
    expect(await inKcp('shared')).toMatchObject({
      metadata: expect.not.objectContaining({ finalizers: expect.anything() }),
    });
  });

  it.each([
    [
      'both are found deleted',
      async () => {
        for (const name of ['one', 'two']) await remove(name);
      },
    ],
    [
      'both are found to refer to something else',
      async () => {
        for (const name of ['one', 'two']) await change(name, { secretName: null });
      },
    ],
  ] as const)('that two primaries share are cleaned up when %s', async (_title, act) => {
    const rules = [byReference('config', 'kcp', 'secretName')];
    await start(rules);
    await a.client.create(secrets, secret('default', 'shared', 'v'));
    for (const name of ['one', 'two']) await create(name, { secretName: 'shared' });
    await eventually(() => {
      for (const name of ['one', 'two'])
        expect(sync.why(`${a.cluster}|default/${name}`)).toEqual({ verdict: { kind: 'inStep' }, problem: undefined });
    });
    await eventually(async () => {
      expect([await onService('shared'), sync.surveyed]).toEqual([expect.anything(), true]);
    });
    await sync.stop();
    await act();
    await start(rules);
    await eventually(async () => {
      expect(await onService('shared')).toBeUndefined();
      expect((await inKcp('shared'))?.metadata.finalizers).toBeUndefined();
      for (const name of ['one', 'two'])
        expect((await a.get(primary(name)))?.metadata.deletionTimestamp).toBeUndefined();
    });
    expect(sync.problems()).toEqual([]);
  });

  it('with the namespace and name of the primary, or of each other, do not disturb its memory: nothing is written when all is in step', async () => {
    await start([
      byReference('config', 'kcp', 'name'),
      byReference('settings', 'kcp', 'name', { resources: { kcp: configMaps, service: configMaps } }),
    ]);
    await a.client.create(secrets, secret('default', 'one', 'v'));
    await a.client.create(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name: 'one' },
      data: { a: 'b' },
    } as UnstructuredObject);
    await create('one', { name: 'one', size: 'small' });
    await eventually(async () => {
      expect([await onService('one'), await onService('one', configMaps)]).not.toContain(undefined);
    });
    const settled = await installation.mark();
    await installation.writesSince(settled);
    const quiet = await installation.mark();
    sync.recheck();
    expect(await installation.writesSince(quiet)).toEqual([]);
    await change('one', { size: 'large' });
    await eventually(async () => {
      expect((await installation.copyOf(a, 'one'))?.['spec']).toMatchObject({ size: 'large' });
    });
    await a.client.patch(
      configMaps,
      { namespace: 'default', name: 'one' },
      { type: 'merge', patch: { data: { a: null, c: 'd' } } },
    );
    await eventually(async () => {
      expect((await onService('one', configMaps))?.['data']).toEqual({ c: 'd' });
    });
    await change('one', { size: null });
    await eventually(async () => {
      expect((await installation.copyOf(a, 'one'))?.['spec']).toEqual({ name: 'one', tier: 'standard' });
    });
  });

  roughEdge('RE-9', 'of a primary whose copy somebody has taken away are let go with it all the same', async () => {
    const rules = [byReference('config', 'kcp', 'secretName')];
    await start(rules);
    await a.client.create(secrets, secret('default', 'creds', 'v'));
    await create('one', { secretName: 'creds' });
    await eventually(async () => {
      expect(await onService('creds')).toBeDefined();
    });
    await eventually(() => {
      expect(sync.why(`${a.cluster}|default/one`)).toEqual({ verdict: { kind: 'inStep' }, problem: undefined });
    });
    await sync.stop();
    await installation.service.delete(installation.kinds.service.resource, {
      namespace: `copies-${a.cluster}`,
      name: 'default-one',
    });
    await remove('one');
    await start(rules);
    await eventually(async () => {
      expect(await a.get(primary('one'))).toBeUndefined();
    });
    expect([await onService('creds'), (await inKcp('creds'))?.metadata.finalizers]).toEqual([undefined, undefined]);
  });

  it('with a status that the other side has no place for are synced without it, and it is told once', async () => {
    await open({ related: true });
    await start([
      byReference('config', 'kcp', 'config', { syncStatus: true, resources: { kcp: backups, service: configMaps } }),
    ]);
    await a.client.create(backups, {
      apiVersion: 'kcp.example.com/v1',
      kind: 'Backup',
      metadata: { name: 'nightly', namespace: 'default' },
      data: { a: 'b' },
      spec: {},
    } as UnstructuredObject);
    await a.client.patch(
      backups,
      { namespace: 'default', name: 'nightly' },
      { type: 'merge', patch: { status: { phase: 'Done' } } },
      { subresource: 'status' },
    );
    await create('one', { config: 'nightly' });
    await eventually(async () => {
      expect(await onService('nightly', configMaps)).toBeDefined();
    });
    const statusEvents = async (): Promise<readonly unknown[]> =>
      (await a.client.list({ group: '', version: 'v1', resource: 'events' }, { namespace: 'default' })).items.filter(
        (event) => (event as unknown as { readonly reason: string }).reason === 'StatusSubresourceMissing',
      );
    await eventually(async () => {
      expect(await statusEvents()).toMatchObject([
        { type: 'Warning', involvedObject: { kind: 'Backup', name: 'nightly' } },
      ]);
    });
    sync.recheck();
    await eventually(() => {
      expect(sync.why(`${a.cluster}|default/one`)).toEqual({ verdict: { kind: 'inStep' }, problem: undefined });
    });
    expect(await statusEvents()).toHaveLength(1);
  });

  it('have nothing of their content in logs and Events, whatever is refused', async () => {
    await open();
    const logged: string[] = [];
    // Before anything is taken out of it, as the logger of a process does.
    const log = (message: string, fields?: LogFields): void => {
      logged.push(`${message} ${inspect(fields, { depth: 10, maxStringLength: null })}`);
    };
    const logger: Logger = { debug: log, info: log, warn: log, error: log, isEnabled: () => true, child: () => logger };
    await start([byReference('up', 'service', 'up'), byReference('down', 'kcp', 'down')], {}, { logger });
    const [first, second] = ['hunter2-first', 'hunter2-second'];
    await create('one', { up: 'up', down: 'down' });
    await copied('one');
    await installation.service.create(secrets, secret(`copies-${a.cluster}`, 'up', first));
    await a.client.create(secrets, secret('default', 'down', first));
    await eventually(async () => {
      expect([value(await inKcp('up')), value(await onService('down'))]).toEqual([first, first]);
    });
    await a.client.patch(
      secrets,
      { namespace: 'default', name: 'down' },
      { type: 'merge', patch: { data: { password: Buffer.from(second).toString('base64') } } },
    );
    await eventually(async () => {
      expect(value(await onService('down'))).toBe(second);
    });
    // A type cannot be changed: refused, with all that was sent.
    await a.client.delete(secrets, { namespace: 'default', name: 'up' });
    await a.client
      .create(secrets, { ...secret('default', 'up', first), type: 'example.com/other' } as UnstructuredObject)
      .catch(() => undefined);
    await change('one', { size: 'hunter2-size-that-is-too-long-for-it' });
    await eventually(() => {
      expect(sync.problems()).not.toEqual([]);
    });
    const everything = JSON.stringify([
      logged,
      installation.events,
      sync.problems().map(({ message }) => message.replace(/hunter2-size\S*/gu, '')),
      (await a.client.list({ group: '', version: 'v1', resource: 'events' })).items,
    ]);
    expect(logged.length).toBeGreaterThan(0);
    for (const content of [first, second])
      for (const text of [content, Buffer.from(content).toString('base64')]) expect(everything).not.toContain(text);
  });

  it('that were there before are neither overwritten nor deleted', async () => {
    await start([byReference('config', 'kcp', 'secretName')]);
    await a.client.create(secrets, secret('default', 'creds', 'from kcp'));
    await create('zero', {});
    await copied('zero');
    await installation.service.create(secrets, secret(`copies-${a.cluster}`, 'creds', 'of somebody else'));
    await create('one', { secretName: 'creds' });
    await eventually(() => {
      expect(sync.problems()).toMatchObject([
        { object: `${a.cluster}|default/one`, reason: 'Occupied', message: expect.stringContaining('data.password') },
      ]);
    });
    expect(JSON.stringify(sync.problems())).not.toContain(Buffer.from('of somebody else').toString('base64'));
    await remove('one');
    await eventually(async () => {
      expect(await a.get(primary('one'))).toBeUndefined();
    });
    expect(value(await onService('creds'))).toBe('of somebody else');
    expect(value(await inKcp('creds'))).toBe('from kcp');
  });

  it('that a workspace does not accept are told for as long as that lasts, and hold up nothing else', async () => {
    await open({ accepted: ['events', 'namespaces'] });
    const problemCounts: number[] = [];
    const reported = (): readonly unknown[] => (starting ? [] : sync.problems());
    let starting = true;
    await start([byReference('credentials', 'service', 'secretName')], {
      onReport: () => {
        problemCounts.push(reported().length);
      },
    });
    starting = false;
    await create('one', { secretName: 'creds', size: '0' });
    await copied('one');
    await installation.service.create(secrets, secret(`copies-${a.cluster}`, 'creds', 'v'));
    await eventually(() => {
      expect(sync.problems()).toMatchObject([{ reason: 'ForbiddenInWorkspace', actor: 'consumer' }]);
    });
    const since = problemCounts.length;
    for (const size of ['1', '2', '3', '4', '5']) {
      await change('one', { size });
      await eventually(async () => {
        expect((await installation.copyOf(a, 'one'))?.['spec']).toMatchObject({ size });
      });
    }
    await eventually(() => {
      expect(sync.problems()).toMatchObject([{ reason: 'ForbiddenInWorkspace' }]);
    });
    expect(problemCounts.slice(since)).not.toContain(0);
    await remove('one');
    await eventually(async () => {
      expect(await a.get(primary('one'))).toBeUndefined();
    });
    await eventually(() => {
      expect(sync.problems()).toEqual([]);
    });
  });

  it('with a status to be carried have it carried the way that they go, and never back', async () => {
    await open({ related: true });
    await start([
      byReference('down', 'kcp', 'down', { syncStatus: true, resources: { kcp: backups, service: backups } }),
      byReference('up', 'service', 'up', { syncStatus: true, resources: { kcp: backups, service: backups } }),
      byReference('without', 'kcp', 'without', { resources: { kcp: backups, service: backups } }),
    ]);
    const backup = (namespace: string, name: string): UnstructuredObject => ({
      apiVersion: 'kcp.example.com/v1',
      kind: 'Backup',
      metadata: { name, namespace },
      spec: { of: name },
    });
    const setStatus = (client: Client, namespace: string, name: string, phase: string): Promise<unknown> =>
      client.patch(
        backups,
        { namespace, name },
        { type: 'merge', patch: { status: { phase } } },
        { subresource: 'status' },
      );
    await create('one', { down: 'down', up: 'up', without: 'without' });
    await copied('one');
    const copies = `copies-${a.cluster}`;
    for (const name of ['down', 'without']) {
      await a.client.create(backups, backup('default', name));
      await setStatus(a.client, 'default', name, 'Done');
    }
    await installation.service.create(backups, backup(copies, 'up'));
    await setStatus(installation.service, copies, 'up', 'Done');
    await eventually(async () => {
      expect(await onService('down', backups)).toMatchObject({ spec: { of: 'down' }, status: { phase: 'Done' } });
    });
    await eventually(async () => {
      expect(await inKcp('up', backups)).toMatchObject({ spec: { of: 'up' }, status: { phase: 'Done' } });
    });
    await eventually(async () => {
      expect(await onService('without', backups)).toMatchObject({ spec: { of: 'without' } });
    });
    await setStatus(installation.service, copies, 'down', 'Edited');
    // Its origin has it still, and gives it once more.
    await setStatus(a.client, 'default', 'down', 'Again');
    await eventually(async () => {
      expect(await onService('down', backups)).toMatchObject({ status: { phase: 'Again' } });
    });
    expect(await inKcp('down', backups)).toMatchObject({ status: { phase: 'Again' } });
    expect((await onService('without', backups))?.['status']).toBeUndefined();
    expect(sync.problems()).toEqual([]);
  });

  roughEdge('RE-21', 'a copy that cannot be read is not taken for missing', async () => {
    await open();
    const service = await installation.withRights([
      { apiGroups: [installation.kinds.service.resource.group], resources: ['*'], verbs: ['*'] },
      { apiGroups: [''], resources: ['namespaces'], verbs: ['*'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'list', 'watch'] },
    ]);
    await start([byReference('config', 'kcp', 'secretName')], {}, { service });
    await a.client.create(secrets, secret('default', 'creds', 'from kcp'));
    await create('one', { secretName: 'creds' });
    await eventually(() => {
      expect(sync.problems()).toMatchObject([
        { reason: 'RelatedUnavailable', actor: 'provider', message: expect.stringContaining('creds') },
      ]);
    });
    expect(await onService('creds')).toBeUndefined();
  });

  roughEdge(
    'RE-37',
    'the deletion of an object does not wait for ever for related ones that cannot be found',
    async () => {
      let aheadMs = 0;
      const failing = byReference('broken', 'kcp', 'secretName', {
        resolve: () => Promise.reject(new Error('the template does not work')),
      });
      await start([failing], {}, { clock: { ...systemClock, now: () => systemClock.now() + aheadMs } });
      await create('one', { secretName: 'creds' });
      await copied('one');
      await remove('one');
      await eventually(() => {
        expect(sync.problems()).toMatchObject([
          { reason: 'RelatedUnresolved', message: expect.stringContaining('for a minute') },
        ]);
      });
      aheadMs = 61_000;
      sync.recheck();
      await eventually(async () => {
        expect(await a.get(primary('one'))).toBeUndefined();
      });
      expect(await installation.copyOf(a, 'one')).toBeUndefined();
    },
  );

  it('that cannot be found do not keep the primary from being deleted for ever', async () => {
    const failing = byReference('broken', 'kcp', 'secretName', {
      resolve: () => Promise.reject(new Error('the template does not work')),
    });
    await start([failing]);
    await create('one', { secretName: 'creds' });
    await copied('one');
    await eventually(() => {
      expect(sync.problems()).toMatchObject([
        { reason: 'RelatedUnresolved', message: expect.stringContaining('the template does not work') },
      ]);
    });
    await remove('one');
    await eventually(() => {
      expect(sync.problems()).toMatchObject([
        { reason: 'RelatedUnresolved', message: expect.stringContaining('for a minute') },
      ]);
    });
    expect((await a.get(primary('one')))?.metadata.finalizers).toEqual([FINALIZER]);
  });

  it('that were made and not written down are known by who has written them; a clone of one is not', async () => {
    const rule = byReference('config', 'kcp', 'secretName');
    const copyKey = (): ObjectKey => ({ namespace: `copies-${a.cluster}`, name: 'creds' });
    /** As if the agent was killed before it wrote them down. */
    const restart = async (): Promise<void> => {
      await sync.stop();
      const namespace = installation.agentNamespace;
      const labelSelector = 'syncagent.kcp.io/object-state=true';
      for (const { metadata } of (await installation.service.list(secrets, { namespace, labelSelector })).items)
        await installation.service.delete(secrets, { namespace, name: metadata.name });
      await start([rule], { adoption: 'refuse' });
    };
    const hasContent = (expected: string): Promise<void> =>
      eventually(async () => {
        expect(value(await onService('creds'))).toBe(expected);
      });
    const write = (text: string): Promise<unknown> =>
      a.client.patch(secrets, primary('creds'), {
        type: 'merge',
        patch: { data: { password: Buffer.from(text).toString('base64') } },
      });
    await start([rule], { adoption: 'refuse' });
    await a.client.create(secrets, secret('default', 'creds', 'first'));
    await create('one', { secretName: 'creds' });
    await hasContent('first');
    const made = await installation.service.get(secrets, copyKey());
    // What says nothing of its content changes nothing.
    await installation.service.patch(
      secrets,
      copyKey(),
      { type: 'merge', patch: { metadata: { labels: { team: 'x' } } } },
      { fieldManager: 'kubectl' },
    );
    await restart();
    await write('second');
    await hasContent('second');
    expect((await onService('creds'))?.metadata.uid).toBe(made.metadata.uid);
    await sync.stop();
    // With the account of who wrote it, as `kubectl get -o yaml` shows it.
    const { labels, managedFields } = (await installation.service.get(secrets, copyKey())).metadata;
    await installation.service.delete(secrets, copyKey());
    await installation.service.create(
      secrets,
      { ...secret('', 'creds', 'of a person'), metadata: { ...copyKey(), labels, managedFields } },
      { fieldManager: 'kubectl' },
    );
    await restart();
    await eventually(() => {
      expect(sync.problems()).toMatchObject([{ reason: 'Occupied' }]);
    });
    await write('third');
    await eventually(() => {
      expect(sync.problems()).toMatchObject([{ reason: 'Occupied' }]);
    });
    await hasContent('of a person');
  });
});
