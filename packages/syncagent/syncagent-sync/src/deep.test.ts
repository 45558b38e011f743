import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type ObjectKey, type Resource, getIfExists } from '@hawser/client';
import { eventually } from '@hawser/testenv';

import type { Sync } from './sync-options.js';
import { byReference } from './testing/by-reference.js';
import { type Installation, type Workspace, backups, openInstallation } from './testing/installation.js';

const key = (name: string): ObjectKey => ({ namespace: 'default', name });
const LEVELS = 3_000;
/** What the agent reads in its place is nested: the server of the test takes nothing so deep, which a real one does. */
const MARK = 'nested-deeply';
const NESTED = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`;

describe('an object of a workspace that is nested too deeply', () => {
  let installation: Installation;
  let a: Workspace;
  let sync: Sync;
  let databases: Resource;

  beforeEach(async () => {
    installation = await openInstallation({ embedded: true, related: true });
    ({ a } = installation.workspaces);
    databases = installation.kinds.kcp.resource;
    installation.kcp.kcp.setFaults(({ path }) =>
      !path.startsWith('/services/')
        ? undefined
        : {
            wrap: (sink) => ({
              ...sink,
              head: (status, headers) => {
                sink.head(
                  status,
                  Object.fromEntries(
                    Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length'),
                  ),
                );
              },
              data: (chunk) => {
                sink.data(chunk.replaceAll(`"${MARK}"`, NESTED));
              },
              end: () => {
                sink.end();
              },
              fail: (error) => {
                sink.fail(error);
              },
            }),
          },
    );
    const relating = byReference('backup', 'kcp', 'backup', { resources: { kcp: backups, service: backups } });
    sync = await installation.startSync({ rules: { ...installation.rules, related: [relating] } });
  });
  afterEach(async () => {
    await installation.close();
  });

  const create = (name: string, spec: object): Promise<unknown> =>
    a.client.create(databases, installation.object(name, spec));
  const synced = (name: string): Promise<unknown> =>
    eventually(async () => {
      expect(await installation.copyOf(a, name)).toBeDefined();
    });
  const isReported = (name: string): Promise<void> =>
    eventually(() => {
      expect(sync.problems()).toEqual([
        expect.objectContaining({ object: `${a.cluster}|default/${name}`, reason: 'TooDeep', actor: 'consumer' }),
      ]);
    });
  /** Another version of it, which a cache compares with the one before. */
  const touch = (resource: Resource, name: string): Promise<unknown> =>
    a.client.patch(
      resource,
      key(name),
      { type: 'merge', patch: { metadata: { labels: { touched: 'yes' } } } },
      { representation: 'metadata' },
    );

  it('is told, and holds up neither its neighbours nor its own deletion', async () => {
    await create('deep', { of: MARK });
    await isReported('deep');
    await create('after', { size: 'small' });
    await synced('after');
    await touch(databases, 'deep');
    sync.reread();
    await create('later', { size: 'small' });
    await synced('later');
    await isReported('deep');
    expect(await installation.copyOf(a, 'deep')).toBeUndefined();
    await a.client.delete(databases, key('deep'));
    await eventually(async () => {
      expect(await a.get(key('deep'))).toBeUndefined();
    });
    await eventually(() => {
      expect(sync.problems()).toEqual([]);
    });
  });

  it('gets the status of its copy where its own status is what is nested', async () => {
    await create('deep', { size: 'small' });
    await synced('deep');
    await a.client.patch(
      databases,
      key('deep'),
      { type: 'merge', patch: { status: { of: MARK } } },
      { subresource: 'status', representation: 'metadata' },
    );
    const copy = await installation.copyOf(a, 'deep');
    await installation.service.patch(
      installation.kinds.service.resource,
      { namespace: copy?.metadata.namespace, name: copy?.metadata.name ?? '' },
      { type: 'merge', patch: { status: { of: { a: 1 } } } },
      { subresource: 'status' },
    );
    await eventually(async () => {
      expect((await a.get(key('deep')))?.['status']).toEqual({ of: { a: 1 } });
    });
    await create('after', { size: 'small' });
    await synced('after');
    expect(sync.problems()).toEqual([]);
  });

  it('as a related one is told on its primary, whose changes are synced', async () => {
    await a.client.create(backups, {
      apiVersion: 'kcp.example.com/v1',
      kind: 'Backup',
      metadata: { ...key('deep') },
      spec: { of: MARK },
    } as never);
    await create('one', { backup: 'deep', size: 'small' });
    await synced('one');
    await isReported('one');
    await touch(backups, 'deep');
    await a.client.patch(databases, key('one'), { type: 'merge', patch: { spec: { size: 'large' } } });
    await eventually(async () => {
      expect(await installation.copyOf(a, 'one')).toMatchObject({ spec: { size: 'large' } });
    });
    expect(
      await getIfExists(installation.service, backups, { namespace: `copies-${a.cluster}`, name: 'deep' }),
    ).toBeUndefined();
    await a.client.delete(databases, key('one'));
    await eventually(async () => {
      expect(await a.get(key('one'))).toBeUndefined();
    });
  });
});
