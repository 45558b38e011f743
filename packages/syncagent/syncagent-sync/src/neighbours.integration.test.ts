import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { type ObjectKey, type Resource, type UnstructuredObject, getIfExists } from '@hawser/client';
import { describeWithControlPlane, eventually, roughEdge, settled } from '@hawser/testenv';

import type { Sync, SyncOptions } from './sync-options.js';
import { byReference } from './testing/by-reference.js';
import { type Installation, type Workspace, backups, openInstallation, secrets } from './testing/installation.js';

const FINALIZER = 'syncagent.kcp.io/cleanup';

describeWithControlPlane('two syncs of one agent', () => {
  let installation: Installation;
  let a: Workspace;

  beforeEach(async () => {
    installation = await openInstallation({ related: true });
    a = installation.workspaces.a;
  });
  afterEach(async () => {
    await installation.close();
  });

  const key = (name: string): ObjectKey => ({ namespace: 'default', name });
  const inKcp = (resource: Resource, name: string): Promise<UnstructuredObject | undefined> =>
    a.get(key(name), resource);
  const onService = (resource: Resource, name: string): Promise<UnstructuredObject | undefined> =>
    getIfExists(installation.service, resource, { namespace: `copies-${a.cluster}`, name });
  const backup = (name: string, spec: object = {}): UnstructuredObject => ({
    apiVersion: 'kcp.example.com/v1',
    kind: 'Backup',
    metadata: { name, namespace: 'default' },
    spec,
  });
  /** Publishes databases, which refer to what their field `of` names. */
  const databasesWith = (resource: Resource): Promise<Sync> =>
    installation.startSync({
      rules: {
        ...installation.rules,
        related: [byReference('of', 'kcp', 'of', { resources: { kcp: resource, service: resource } })],
      },
    });
  /** Publishes backups, as another kind of the service cluster. */
  const backupsToo = (rules: Partial<SyncOptions['rules']> = {}): Promise<Sync> =>
    installation.startSync({
      publishedResource: { apiVersion: 'syncagent.kcp.io/v1alpha1', kind: 'PublishedResource', name: 'backups' },
      kinds: { ...installation.kinds, kcp: { ...installation.kinds.kcp, resource: backups, kind: 'Backup' } },
      rules: {
        ...installation.rules,
        naming: ({ metadata }, cluster) => ({ name: `backup-${metadata.name}`, namespace: `copies-${cluster}` }),
        ...rules,
      },
    });
  const inStep = (sync: Sync, ...names: readonly string[]): Promise<void> =>
    eventually(() => {
      for (const name of names)
        expect(sync.why(`${a.cluster}|default/${name}`)).toEqual({ verdict: { kind: 'inStep' }, problem: undefined });
      expect(sync.surveyed).toBe(true);
    });
  const database = (name: string, spec: object): Promise<unknown> =>
    a.client.create(installation.kinds.kcp.resource, installation.object(name, spec));

  roughEdge(
    'RE-8',
    'an object that one sync publishes and another refers to keeps its finalizer until both copies are gone',
    async () => {
      const [databases, published] = [await databasesWith(backups), await backupsToo()];
      await a.client.create(backups, backup('nightly'));
      await database('one', { of: 'nightly' });
      await inStep(databases, 'one');
      await inStep(published, 'nightly');
      await eventually(async () => {
        expect(await onService(backups, 'nightly')).toBeDefined();
      });
      // Its copy takes its time.
      const copy = { namespace: `copies-${a.cluster}`, name: 'backup-nightly' };
      await installation.service.patch(installation.kinds.service.resource, copy, {
        type: 'merge',
        patch: { metadata: { finalizers: ['operator.example.com/x'] } },
      });
      await a.client.delete(backups, key('nightly'));
      await eventually(async () => {
        expect(await onService(backups, 'nightly')).toBeUndefined();
      });
      // That has been done with once a later change has come through.
      await a.client.patch(installation.kinds.kcp.resource, key('one'), {
        type: 'merge',
        patch: { spec: { size: 'large' } },
      });
      await eventually(async () => {
        expect(await onService(installation.kinds.service.resource, 'default-one')).toMatchObject({
          spec: { size: 'large' },
        });
        expect(databases.why(`${a.cluster}|default/one`).verdict.kind).toBe('inStep');
      });
      expect((await inKcp(backups, 'nightly'))?.metadata.finalizers).toEqual([FINALIZER]);
      await installation.service.patch(installation.kinds.service.resource, copy, {
        type: 'merge',
        patch: { metadata: { finalizers: null } },
      });
      await eventually(async () => {
        expect([
          await inKcp(backups, 'nightly'),
          await onService(installation.kinds.service.resource, copy.name),
        ]).toEqual([undefined, undefined]);
      });
    },
  );

  it('keep what both refer to until the last one that does is gone', async () => {
    const databases = await databasesWith(secrets);
    const published = await backupsToo({ related: [byReference('of', 'kcp', 'of')] });
    await a.client.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: key('shared'),
      data: { password: 'aHVudGVyMg==' },
    } as UnstructuredObject);
    await database('one', { of: 'shared' });
    await a.client.create(backups, backup('nightly', { of: 'shared' }));
    await inStep(databases, 'one');
    await inStep(published, 'nightly');
    await eventually(async () => {
      expect(await onService(secrets, 'shared')).toBeDefined();
    });
    const {
      metadata: { uid },
    } = (await onService(secrets, 'shared')) ?? ({} as never);
    await a.client.delete(installation.kinds.kcp.resource, key('one'));
    await eventually(async () => {
      expect(await inKcp(installation.kinds.kcp.resource, 'one')).toBeUndefined();
    });
    expect((await inKcp(secrets, 'shared'))?.metadata.finalizers).toEqual([FINALIZER]);
    expect((await onService(secrets, 'shared'))?.metadata).toMatchObject({ uid });
    published.retire('drain');
    await eventually(async () => {
      expect((await inKcp(secrets, 'shared'))?.metadata.finalizers).toBeUndefined();
    });
    await eventually(async () => {
      expect(await onService(secrets, 'shared')).toBeUndefined();
    });
    await eventually(() => {
      expect(published.counts()).toMatchObject({ held: 0 });
    });
  });

  it('do not fight over the finalizer of an object that one refers to, and the other does not select or lets go', async () => {
    const [databases, published] = [
      await databasesWith(backups),
      await backupsToo({ filter: { resource: (labels) => labels['publish'] === 'yes', namespace: undefined } }),
    ];
    await a.client.create(backups, backup('nightly'));
    await database('one', { of: 'nightly' });
    await inStep(databases, 'one');
    await eventually(async () => {
      expect(await onService(backups, 'nightly')).toBeDefined();
    });
    const patches: string[] = [];
    installation.kcp.kcp.setFaults(({ method, path }, { resource }) => {
      if (method === 'PATCH' && resource === 'backups' && path.startsWith('/services/')) patches.push(path);
      return undefined;
    });
    const undisturbed = async (marker: string): Promise<void> => {
      // One may take away what the other has just made, before it is known to need it.
      await settled(() => Promise.resolve(patches));
      patches.length = 0;
      published.recheck();
      databases.recheck();
      await a.client.patch(backups, key('nightly'), { type: 'merge', patch: { spec: { marker } } });
      await eventually(async () => {
        expect(await onService(backups, 'nightly')).toMatchObject({ spec: { marker } });
      });
      expect((await inKcp(backups, 'nightly'))?.metadata.finalizers).toEqual([FINALIZER]);
      expect(await settled(() => Promise.resolve(patches))).toEqual([]);
    };
    await undisturbed('first');
    published.retire('keep');
    await undisturbed('second');
    await eventually(() => {
      expect(published.counts()).toMatchObject({ held: 0 });
    });
    await a.client.delete(installation.kinds.kcp.resource, key('one'));
    await eventually(async () => {
      expect((await inKcp(backups, 'nightly'))?.metadata.finalizers).toBeUndefined();
    });
    expect(await onService(backups, 'nightly')).toBeUndefined();
  });
});
