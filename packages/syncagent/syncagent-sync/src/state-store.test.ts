import { describe, expect, it } from '@jest/globals';

import { createApiServer, listen } from '@hawser/apiserver';
import { type Client, type KubeObject, createClient, getIfExists } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { createSharedInformers } from '@hawser/informer';
import { stateSecretLabels, stateSecretName } from '@hawser/syncagent-api';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { eventually } from '@hawser/testenv';

import { type PairRecord, recordId, sizeOfRecord } from './pair-record.js';
import { type SnapshotOwner, createStateDraft } from './state-draft.js';
import { type StateStore, createStateStore, secrets } from './state-store.js';
import { sourceObject } from './testing/pairs.js';

const subject = {
  cluster: 'ws1',
  namespace: 'team-a',
  name: 'one',
  apiVersion: 'kcp.example.com/v1',
  kind: 'ManagedDatabase',
} as const;
const primary: SnapshotOwner = { ...subject, identifier: undefined };
const secretOwner = (identifier: string): SnapshotOwner => ({
  cluster: 'ws1',
  apiVersion: 'v1',
  kind: 'Secret',
  namespace: 'team-a',
  name: 'one',
  identifier,
});
const secretOf = (password: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'one', namespace: 'team-a' },
  data: { password },
});

describe('what is remembered of an object and its related ones', () => {
  it('is kept apart for two entries that refer to the same object', () => {
    const draft = createStateDraft(subject, 'obj-state', undefined);
    draft.store(secretOwner('a'), secretOf('as a has it'));
    draft.store(secretOwner('b'), secretOf('as b has it'));
    const again = createStateDraft(subject, 'obj-state', draft.changed());
    expect([again.last(secretOwner('a')), again.last(secretOwner('b'))]).toMatchObject([
      { snapshot: { data: { password: 'as a has it' } } },
      { snapshot: { data: { password: 'as b has it' } } },
    ]);
    again.forget(secretOwner('a'));
    expect([again.last(secretOwner('a')).kind, again.last(secretOwner('b')).kind]).toEqual(['none', 'known']);
  });

  it('loses only what is too large for a Secret, and says what that is', () => {
    const draft = createStateDraft(subject, 'obj-state', undefined);
    draft.store(primary, sourceObject());
    draft.store(
      { ...secretOwner('a'), name: 'large' },
      { ...secretOf('x'.repeat(1_000_000)), metadata: { name: 'large', namespace: 'team-a' } },
    );
    expect(draft.tooLarge).toMatchObject([{ name: 'large' }]);
    const again = createStateDraft(subject, 'obj-state', draft.changed());
    expect([again.last(primary).kind, again.last({ ...secretOwner('a'), name: 'large' }).kind]).toEqual([
      'known',
      'none',
    ]);
    draft.store(
      { ...secretOwner('a'), name: 'large' },
      { ...secretOf('small'), metadata: { name: 'large', namespace: 'team-a' } },
    );
    expect(draft.tooLarge).toEqual([]);
  });

  it('keeps the object itself and what was synced, however many related objects there are', () => {
    const draft = createStateDraft(subject, 'obj-state', undefined);
    const names = Array.from({ length: 1_500 }, (_each, index) => `credentials-of-a-tenant-with-a-name-${index}`);
    for (const name of names)
      draft.store(
        { ...secretOwner('a'), name },
        { ...secretOf('x'.repeat(1_000)), metadata: { name, namespace: 'team-a' } },
      );
    draft.store(primary, sourceObject());
    const records = names.map((name): PairRecord => ({
      identifier: 'a',
      origin: 'kcp',
      cleanup: false,
      kcp: secrets,
      service: secrets,
      kind: 'Secret',
      source: { namespace: 'team-a', name },
      destination: { namespace: 'copies-of-a-tenant', name },
      uid: '2b4c0d55-86cc-4a9b-9551-0871fec4d3da',
    }));
    draft.record(records);
    const data = draft.changed() ?? {};
    expect(Object.values(data).reduce((sum, value) => sum + Buffer.from(value, 'base64').length, 0)).toBeLessThan(
      1_048_576,
    );
    expect(Buffer.from(data['hawser.related'] ?? '', 'base64').length).toBeLessThan(
      records.reduce((sum, record) => sum + sizeOfRecord(record), 0),
    );
    const again = createStateDraft(subject, 'obj-state', data);
    expect(again.last(primary).kind).toBe('known');
    expect(new Map(again.records.map((record) => [recordId(record), record]))).toEqual(
      new Map(records.map((record) => [recordId(record), record])),
    );
    expect(draft.tooLarge.length).toBeGreaterThan(0);
    // What does not fit costs no write either, however often it is tried.
    draft.written();
    for (const name of names)
      draft.store(
        { ...secretOwner('a'), name },
        { ...secretOf('x'.repeat(1_000)), metadata: { name, namespace: 'team-a' } },
      );
    expect(draft.changed()).toBeUndefined();
  });

  it('reads what was written down one by one', () => {
    const record: PairRecord = {
      identifier: 'a',
      origin: 'service',
      cleanup: true,
      kcp: secrets,
      service: secrets,
      kind: 'Secret',
      source: { name: 'x' },
      destination: { namespace: 'team-a', name: 'x' },
    };
    const draft = createStateDraft(subject, 'obj-state', {
      'hawser.related': Buffer.from(JSON.stringify([record])).toString('base64'),
    });
    expect(draft.records).toEqual([record]);
  });

  it('is no reason to fail where nobody can read it', () => {
    const garbage = { 'hawser.related': Buffer.from('{').toString('base64') };
    const draft = createStateDraft(subject, 'obj-state', garbage);
    expect([draft.records, draft.last(primary).kind, draft.changed()]).toEqual([[], 'none', undefined]);
  });
});

describe('the Secret that it is in', () => {
  const withStore = async (
    body: (client: Client, openStore: (agentName: string) => StateStore) => Promise<void>,
  ): Promise<void> => {
    const server = createApiServer();
    const listener = await listen(server);
    const client = createClient({
      name: 'server',
      connection: {
        server: listener.url,
        caData: listener.authority,
        credentials: { kind: 'token', token: server.adminToken },
      },
    });
    const informers = createSharedInformers({
      client,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
    });
    const stores: StateStore[] = [];
    try {
      await body(client, (agentName) => {
        const store = createStateStore({
          client,
          informers,
          namespace: 'default',
          agentName,
          onRestored: () => undefined,
        });
        stores.push(store);
        return store;
      });
    } finally {
      for (const store of stores) store.close();
      await informers.close();
      await client.close();
      await listener.close();
      server.stop();
    }
  };
  const { signal } = new AbortController();
  const remember = async (store: StateStore): Promise<string> => {
    const draft = store.open(subject);
    draft.store(primary, sourceObject());
    await store.flush(draft, signal);
    return draft.secretName;
  };
  const key = { namespace: 'default', name: stateSecretName(subject) };

  it('has the name of the Go agent’s, and another where a second agent has the same object', () =>
    withStore(async (client, openStore) => {
      const [first, second] = [openStore('agent-1'), openStore('agent-2')];
      await Promise.all([first.synced(), second.synced()]);
      expect(await remember(first)).toBe(key.name);
      await eventually(() => {
        expect(second.open(subject).secretName).not.toBe(key.name);
      });
      const other = await remember(second);
      expect(await second.remove(subject, signal)).toBe('gone');
      expect(await getIfExists(client, secrets, { ...key, name: other })).toBeUndefined();
      expect(await getIfExists(client, secrets, key)).toBeDefined();
      expect(first.open(subject).last(primary).kind).toBe('known');
    }));

  it('keeps what somebody else has put into it, also if it was there before the watch', () =>
    withStore(async (client, openStore) => {
      const store = openStore('agent-1');
      await store.synced();
      // Without the label of state Secrets no watch shows it.
      await client.create(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: key,
        data: { theirs: 'eA==' },
      } as KubeObject);
      await remember(store);
      expect(await client.get(secrets, key)).toMatchObject({
        data: { theirs: 'eA==' },
        metadata: { labels: { 'syncagent.kcp.io/object-state': 'true' } },
      });
      const next = openStore('agent-1');
      await next.synced();
      await eventually(() => {
        expect(next.open(subject).last(primary).kind).toBe('known');
      });
    }));

  it('is made anew when somebody has deleted it', () =>
    withStore(async (client, openStore) => {
      const store = openStore('agent-1');
      await store.synced();
      await remember(store);
      const draft = store.open(subject);
      await client.delete(secrets, key);
      draft.store(primary, sourceObject({ spec: { size: 'large' } }));
      await store.flush(draft, signal);
      expect(await getIfExists(client, secrets, key)).toBeDefined();
    }));

  it('is gone at once for whoever deleted it, whatever the watch still shows, and can be made again', () =>
    withStore(async (client, openStore) => {
      const store = openStore('agent-1');
      await store.synced();
      await remember(store);
      await eventually(() => {
        expect(store.has(subject)).toBe(true);
      });
      await store.remove(subject, signal);
      expect([store.has(subject), store.open(subject).exists]).toEqual([false, false]);
      await remember(store);
      expect([store.has(subject), store.open(subject).last(primary).kind]).toEqual([true, 'known']);
      expect(await store.remove(subject, signal)).toBe('gone');
      expect(await getIfExists(client, secrets, key)).toBeUndefined();
    }));

  it('is doubted after a restore until its object was in step, also under another version of the API', () =>
    withStore(async (_client, openStore) => {
      const store = openStore('agent-1');
      await store.synced();
      await remember(store);
      const later = { ...subject, apiVersion: 'kcp.example.com/v2' };
      const isDoubted = (of: Parameters<StateStore['open']>[0]): boolean => {
        const last = store.open(of).last(primary);
        if (last.kind !== 'known') throw new Error(last.kind);
        return last.doubted === true;
      };
      expect([isDoubted(subject), isDoubted(later)]).toEqual([false, false]);
      store.doubt('everything');
      expect([isDoubted(subject), isDoubted(later)]).toEqual([true, true]);
      store.believe(subject);
      expect([isDoubted(subject), isDoubted(later)]).toEqual([false, false]);
    }));

  it('goes over to another version of the API with all that is remembered, and leaves nothing behind', () =>
    withStore(async (client, openStore) => {
      const store = openStore('agent-1');
      await store.synced();
      const names = async (): Promise<readonly string[]> =>
        (await client.list(secrets, { namespace: 'default' })).items.map(({ metadata: { name } }) => name).sort();
      const [later, queue] = [
        { ...subject, apiVersion: 'kcp.example.com/v2' },
        { ...subject, kind: 'ManagedQueue' },
      ];
      await remember(store);
      // Another kind, of the same name.
      const other = store.open(queue);
      other.store({ ...primary, kind: queue.kind }, { ...sourceObject(), kind: queue.kind });
      await store.flush(other, signal);
      await eventually(() => {
        expect([store.has(subject), store.has(queue)]).toEqual([true, true]);
      });
      await eventually(() => {
        expect(store.open(later).last({ ...primary, apiVersion: later.apiVersion })).toMatchObject({
          kind: 'known',
          snapshot: { metadata: { name: 'one' } },
        });
      });
      await store.flush(store.open(later), signal);
      expect(await names()).toEqual([stateSecretName(later), stateSecretName(queue)].sort());
      await eventually(() => {
        expect(store.open(subject).exists).toBe(true);
      });
      // As a Go agent leaves it: both are there.
      const both = openStore('agent-1');
      await client.create(secrets, {
        ...(await client.get(secrets, { ...key, name: stateSecretName(later) })),
        metadata: { ...key, labels: stateSecretLabels(subject) },
      });
      await both.synced();
      await eventually(() => {
        expect(both.has(subject)).toBe(true);
      });
      expect(await both.remove(later, signal)).toBe('gone');
      expect(await names()).toEqual([stateSecretName(queue)]);
    }));

  it('is not deleted in another’s place', () =>
    withStore(async (client, openStore) => {
      const store = openStore('agent-1');
      await store.synced();
      await remember(store);
      await eventually(() => {
        expect(store.open(subject).exists).toBe(true);
      });
      await client.delete(secrets, key);
      await client.create(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: key,
        data: { theirs: 'eA==' },
      } as KubeObject);
      await store.remove(subject, signal).catch(() => undefined);
      expect(await client.get(secrets, key)).toMatchObject({ data: { theirs: 'eA==' } });
    }));
});
