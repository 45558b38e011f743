import { afterEach, beforeEach, expect, it } from '@jest/globals';

import type { JsonObject } from '@hawser/json';
import { describeWithControlPlane, eventually } from '@hawser/testenv';

import { type RecordedInstallation, openRecordedInstallation } from './testing/recorded-installation.js';

describeWithControlPlane('what a Go agent left behind', () => {
  let installation: RecordedInstallation;

  beforeEach(async () => {
    installation = await openRecordedInstallation();
  });

  afterEach(async () => {
    await installation.close();
  });

  const onService = (resource: string, namespace: string, name: string): JsonObject | undefined =>
    installation.service.objects.get(
      { group: resource === 'databases' || resource === 'zones' ? 'example.com' : '', resource },
      { namespace, name },
    );

  it('is taken over without a single write', async () => {
    const before = installation.versions();
    const sync = await installation.startSync('databases');
    await eventually(() => {
      expect(sync.surveyed).toBe(true);
    });
    expect(sync.counts()).toEqual({ objects: 3, workspaces: 2, failing: 0, orphans: 0, held: 3 });
    for (const [cluster, server] of installation.workspaces) {
      for (const { metadata } of server.objects.list({ group: 'kcp.example.com', resource: 'manageddatabases' })) {
        const { name } = metadata as { name: string };
        expect([name, sync.why(`${cluster}|default/${name}`).verdict]).toEqual([name, { kind: 'inStep' }]);
      }
    }
    expect(sync.problems()).toEqual([]);
    expect(installation.versions()).toEqual(before);
  });

  it('goes on from there: changes are merged with what the Go agent pushed last', async () => {
    const sync = await installation.startSync('databases');
    await eventually(() => {
      expect(sync.surveyed).toBe(true);
    });
    const [cluster = '', kcp] = [...installation.workspaces][0] ?? [];
    const key = { group: 'kcp.example.com', resource: 'manageddatabases' };
    const one = kcp?.objects.get(key, { namespace: 'default', name: 'one' });
    kcp?.objects.update(key, {
      ...one,
      spec: { ...(one?.['spec'] as JsonObject), size: 'large', configName: undefined },
      metadata: { ...(one?.['metadata'] as JsonObject), labels: {} },
    });
    await eventually(() => {
      const copy = onService('databases', `ws-${cluster}`, '2747cabbb481a433679f-6f70f27e13fc073a2541');
      expect(copy).toMatchObject({
        spec: { size: 'large', secretName: 'one-credentials' },
        metadata: { labels: { 'touched-by-operator': 'yes', 'syncagent.kcp.io/agent-name': 'lab' } },
      });
      expect((copy?.['metadata'] as { labels: object }).labels).not.toHaveProperty('tier');
      expect(copy?.['spec']).not.toHaveProperty('configName');
    });
    // The reference is gone, and with it the copy of what it named, and the finalizer that the Go agent had set.
    await eventually(() => {
      expect(onService('configmaps', `ws-${cluster}`, 'settings')).toBeUndefined();
      expect(
        (
          kcp?.objects.get({ group: '', resource: 'configmaps' }, { namespace: 'default', name: 'settings' })?.[
            'metadata'
          ] as { finalizers?: unknown }
        ).finalizers,
      ).toBeUndefined();
    });
    expect(onService('secrets', `ws-${cluster}`, 'one-credentials')).toBeDefined();
  });

  it('cleans up what an object referred to when the Go agent pushed it last, and refers to no more; and leaves alone what is not a copy of it', async () => {
    const key = { group: 'kcp.example.com', resource: 'manageddatabases' };
    const configMap = { group: '', resource: 'configmaps' };
    const [first, second] = [...installation.workspaces];
    for (const [, kcp] of installation.workspaces) {
      const one = kcp.objects.get(key, { namespace: 'default', name: 'one' });
      kcp.objects.update(key, { ...one, spec: { ...(one?.['spec'] as JsonObject), configName: undefined } });
    }
    // In one of the workspaces something else stands there by now.
    const [changed = ''] = second ?? [];
    const copy = onService('configmaps', `ws-${changed}`, 'settings');
    installation.service.objects.update(configMap, { ...copy, data: { a: 'of somebody else' } });
    const sync = await installation.startSync('databases');
    await eventually(() => {
      expect(sync.surveyed).toBe(true);
    });
    const [cluster = '', kcp] = first ?? [];
    const finalizers = (server: typeof kcp): unknown =>
      (
        server?.objects.get(configMap, { namespace: 'default', name: 'settings' })?.['metadata'] as {
          finalizers?: unknown;
        }
      ).finalizers;
    await eventually(() => {
      expect(onService('configmaps', `ws-${cluster}`, 'settings')).toBeUndefined();
      expect(finalizers(kcp)).toBeUndefined();
    });
    await eventually(() => {
      expect(
        onService('databases', `ws-${changed}`, '2747cabbb481a433679f-6f70f27e13fc073a2541')?.['spec'],
      ).not.toHaveProperty('configName');
    });
    expect(onService('configmaps', `ws-${changed}`, 'settings')).toMatchObject({ data: { a: 'of somebody else' } });
    expect(finalizers(second?.[1])).toEqual(['syncagent.kcp.io/cleanup']);
    // What is left is named: where, why, and who must do what.
    const eventsAbout = (cluster: string): readonly string[] =>
      installation.events
        .filter(({ event: { reason, message } }) => reason === 'RelatedLeft' && message.includes(cluster))
        .map(({ regarding, event: { type, message } }) => `${regarding.kind} ${regarding.name} ${type}: ${message}`);
    expect(eventsAbout(cluster)).toEqual([]);
    expect(eventsAbout(changed)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^PublishedResource databases Warning: Related object ".*", configmaps default/settings: ${changed}\\|default/one referred to it when a Go agent pushed it last, and does no more, and configmaps ws-${changed}/settings on the service cluster is not what was pushed then, so that it may have another owner\\. Both are left as they are\\. The provider has to delete configmaps ws-${changed}/settings on the service cluster if it is of no use any more, and take the finalizer syncagent\\.kcp\\.io/cleanup off the object in the workspace\\.$`,
          'u',
        ),
      ),
    ]);
    await eventually(() => {
      const inWorkspace = second?.[1].objects
        .list({ group: '', resource: 'events' })
        .filter(({ reason }) => reason === 'RelatedLeft');
      expect(inWorkspace).toEqual([
        expect.objectContaining({
          type: 'Warning',
          involvedObject: expect.objectContaining({ kind: 'ConfigMap', name: 'settings' }),
        }),
      ]);
    });
  });

  it('can be deleted: related objects first, nothing is left, and namespaces that the Go agent made stay', async () => {
    await installation.startSync('databases');
    const [cluster = '', kcp] =
      [...installation.workspaces].find(
        ([, server]) => server.objects.list({ group: 'kcp.example.com', resource: 'manageddatabases' }).length === 1,
      ) ?? [];
    const key = { group: 'kcp.example.com', resource: 'manageddatabases' };
    kcp?.objects.delete(key, { namespace: 'default', name: 'one' });
    await eventually(() => {
      expect(kcp?.objects.get(key, { namespace: 'default', name: 'one' })).toBeUndefined();
    });
    expect(onService('databases', `ws-${cluster}`, '2747cabbb481a433679f-6f70f27e13fc073a2541')).toBeUndefined();
    expect(onService('configmaps', `ws-${cluster}`, 'settings')).toBeUndefined();
    expect(onService('secrets', `ws-${cluster}`, 'one-credentials')).toBeDefined();
    expect(
      kcp?.objects.get({ group: '', resource: 'secrets' }, { namespace: 'default', name: 'one-credentials' }),
    ).toBeUndefined();
    expect(
      installation.service.objects
        .list({ group: '', resource: 'secrets' }, 'kube-system')
        .filter(({ metadata }) => (metadata as { name: string }).name.includes(cluster)),
    ).toEqual([]);
    expect(onService('namespaces', '', `ws-${cluster}`)).toMatchObject({
      metadata: expect.not.objectContaining({ deletionTimestamp: expect.anything() }),
    });
  });

  it('that the Go agent could not place is placed', async () => {
    const sync = await installation.startSync('zones');
    await eventually(() => {
      expect(
        installation.service.objects
          .list({ group: 'example.com', resource: 'zones' })
          .map(({ metadata }) => (metadata as { name: string }).name)
          .sort(),
      ).toEqual(
        [...installation.workspaces.keys()]
          .sort()
          .map((cluster) => expect.stringMatching(new RegExp(`^${cluster}-[0-9a-f]{20}$`, 'u'))),
      );
    });
    await eventually(() => {
      expect(sync.counts()).toMatchObject({ objects: 2, failing: 0 });
    });
  });
});
