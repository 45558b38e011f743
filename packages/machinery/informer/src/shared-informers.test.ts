import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { InformerState } from './informer.js';
import { type Thing, apiError } from './testing/fake-api-server.js';
import { type Harness, Recorder, contents, createHarness, synced, until } from './testing/harness.js';

let harness: Harness;

afterEach(async () => {
  await harness.informers.close();
  expect(harness.clock.pendingTimers).toBe(0);
  expect(harness.server.openWatches).toBe(0);
});

/** An informer that watches, with a recorder that has seen the start. */
async function start(names: readonly string[] = [], options: Parameters<typeof createHarness>[0] = {}) {
  harness = createHarness(options);
  const { server, clock } = harness;
  for (const name of names) server.create(name);
  const informer = harness.acquire();
  const recorder = new Recorder();
  informer.addHandler(recorder.handler);
  await synced(informer);
  recorder.take();
  const equal = (): void => {
    expect(contents(informer.list())).toEqual(contents(server.objects.values()));
    expect(contents(recorder.view.values())).toEqual(contents(server.objects.values()));
    expect(recorder.faults).toEqual([]);
  };
  /** A long, quiet life: what breaks afterwards was healthy. */
  const live = async (ms = 60_000): Promise<void> => {
    await clock.advance(ms);
    server.pass(1);
    server.bookmark();
    await clock.advance(0);
  };
  return { server, clock, informer, recorder, equal, live };
}

describe('the first list', () => {
  it('is fetched in pages, delivered as initial adds, and followed by a watch from its version', async () => {
    harness = createHarness({ pageSize: 2 });
    const { server } = harness;
    for (const name of ['a', 'b', 'c', 'd', 'e']) server.create(name);
    const informer = harness.acquire();
    const recorder = new Recorder();
    informer.addHandler(recorder.handler);
    expect(informer.hasSynced).toBe(false);
    await informer.synced();
    expect(recorder.take()).toEqual(['initial a=0', 'initial b=0', 'initial c=0', 'initial d=0', 'initial e=0']);
    expect(server.listRequests.map(({ limit, resourceVersion }) => ({ limit, resourceVersion }))).toEqual(Array(3).fill({ limit: 2, resourceVersion: undefined }));
    await synced(informer);
    expect(server.watchRequests).toEqual([expect.objectContaining({ resourceVersion: server.resourceVersion, allowBookmarks: true, timeoutSeconds: 300 })]);
    expect(informer.get('default/a')).toBe(informer.get({ namespace: 'default', name: 'a' }));
    expect(informer.size).toBe(5);
  });

  it('does not miss what changes between its pages and before the watch', async () => {
    harness = createHarness({ pageSize: 2 });
    const { server } = harness;
    for (const name of ['a', 'b', 'c']) server.create(name);
    server.beforePage = (page) => {
      if (page !== 2) return;
      server.update('a', 1);
      server.create('d');
      server.delete('b');
    };
    const informer = harness.acquire();
    await synced(informer);
    await until(() => informer.get('default/d') !== undefined && informer.get('default/b') === undefined);
    expect(contents(informer.list())).toEqual(contents(server.objects.values()));
  });

  it('lets the event loop turn while a large page is taken in', async () => {
    harness = createHarness({ pageSize: 5000 });
    for (let index = 0; index < 3000; index++) harness.server.create(`n${index}`);
    const informer = harness.acquire();
    let turns = 0;
    let running = true;
    const turn = (): void => {
      turns++;
      if (running) setImmediate(turn);
    };
    setImmediate(turn);
    await informer.synced();
    running = false;
    expect(turns).toBeGreaterThanOrEqual(15);
    await synced(informer);
  });

  it.each(['Unauthorized', 'Forbidden', 'NotFound', 'InternalError', 'Unavailable', 'TooManyRequests', 'Unreachable', 'Malformed'] as const)('is tried for ever after %s, and says so', async (code) => {
    harness = createHarness();
    const { server, clock } = harness;
    server.listFaults.push(...Array.from({ length: 8 }, () => apiError(code)));
    server.create('a');
    const informer = harness.acquire();
    const told: InformerState['phase'][] = [];
    informer.onStateChange((state) => { told.push(state.phase); });
    await until(() => informer.state.phase === 'waiting');
    expect(informer.state).toMatchObject({ phase: 'waiting', failures: 1, error: { code } });
    await clock.advance(799);
    expect(server.listRequests).toHaveLength(1);
    await clock.advance(1);
    expect(server.listRequests).toHaveLength(2);
    // 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30 seconds.
    await clock.advance(1600 + 3200 + 6400 + 12_800 + 25_600 + 30_000 - 1);
    expect(informer.state).toMatchObject({ phase: 'waiting', failures: 7 });
    expect(informer.hasSynced).toBe(false);
    await clock.advance(30_001);
    await synced(informer);
    expect(informer.hasSynced).toBe(true);
    // No flicker while it is tried again.
    expect([...new Set(told.slice(0, -2))]).toEqual(['waiting']);
    expect(told.slice(-2)).toEqual(['listing', 'watching']);
  });

  it('waits as long as the server asks', async () => {
    harness = createHarness();
    harness.server.listFaults.push(apiError('TooManyRequests', 'slow down', { retryAfterMs: 20_000 }));
    const informer = harness.acquire();
    await harness.clock.advance(19_999);
    expect(harness.server.listRequests).toHaveLength(1);
    await harness.clock.advance(1);
    await synced(informer);
  });

  it('survives an answer that makes no sense', async () => {
    harness = createHarness();
    const { server, clock } = harness;
    const list = server.client.list.bind(server.client);
    Object.assign(server.client, { list: () => Promise.resolve({ metadata: {}, items: [{ nonsense: true }] }) });
    const informer = harness.acquire();
    await until(() => informer.state.phase === 'waiting');
    expect(informer.state).toMatchObject({ error: { code: 'Malformed' } });
    Object.assign(server.client, { list });
    await clock.advance(1000);
    await synced(informer);
  });
});

describe('half a list', () => {
  it.each(['Unreachable', 'Expired'] as const)('that ends with %s deletes nothing; the next complete one does', async (code) => {
    const { server, clock, informer, recorder, equal, live } = await start(['a', 'b', 'c', 'd'], { pageSize: 2 });
    await live();
    server.silenceWatches();
    server.delete('a');
    server.create('e');
    server.update('b', 1);
    server.compact();
    server.failWatches(apiError('Expired'));
    server.listFaults.push(undefined, apiError(code));
    await clock.advance(800);
    await until(() => informer.state.phase === 'waiting' && informer.state.failures === 2);
    expect(recorder.words.filter((word) => word.startsWith('delete'))).toEqual([]);
    expect(informer.get('default/a')).toBeDefined();
    await clock.advance(1600);
    await synced(informer);
    expect(recorder.take().sort()).toEqual(['add e=0', 'delete a=0', 'update b=0→1']);
    equal();
  });

  it('does not count as synced', async () => {
    harness = createHarness({ pageSize: 1 });
    const { server, clock } = harness;
    server.create('a');
    server.create('b');
    server.listFaults.push(undefined, apiError('Unreachable'));
    const informer = harness.acquire();
    await until(() => informer.state.phase === 'waiting');
    expect(informer.hasSynced).toBe(false);
    expect(informer.size).toBe(1);
    const recorder = new Recorder();
    informer.addHandler(recorder.handler);
    await clock.advance(800);
    await synced(informer);
    expect(recorder.take()).toEqual(['initial a=0', 'initial b=0']);
  });

  it('is given up for a whole one where the server forgets faster than pages can be read', async () => {
    harness = createHarness({ pageSize: 1 });
    const { server, clock } = harness;
    server.create('a');
    server.create('b');
    server.beforePage = () => { server.compact(); };
    const informer = harness.acquire();
    await clock.advance(10_000);
    await synced(informer);
    expect(server.listRequests.filter((request) => request.limit === undefined)).toHaveLength(1);
    expect(informer.size).toBe(2);
  });
});

describe('a watch', () => {
  it('delivers changes with the state before', async () => {
    const { server, recorder, equal } = await start(['a']);
    server.update('a', 1);
    server.create('b');
    server.delete('a');
    await until(() => recorder.words.length === 3);
    expect(recorder.take()).toEqual(['update a=0→1', 'add b=0', 'delete a=1']);
    equal();
  });

  it('delivers an object made anew as a deletion and an addition, even if the deletion was never seen', async () => {
    const { server, recorder, equal } = await start(['a']);
    const old = server.objects.get('default/a')!;
    server.delete('a');
    server.create('a', 7);
    await until(() => recorder.words.length === 2);
    expect(recorder.take()).toEqual(['delete a=0', 'add a=7']);
    equal();
    const made = { ...old, metadata: { ...old.metadata, uid: 'other', resourceVersion: '900' }, spec: { value: 9 } };
    server.send({ type: 'MODIFIED', object: made });
    await until(() => recorder.words.length === 2);
    expect(recorder.take()).toEqual(['delete a=7', 'add a=9']);
    // The late deletion of the object before it is none of this one.
    server.send({ type: 'DELETED', object: { ...old, metadata: { ...old.metadata, resourceVersion: '901' } } });
    server.send({ type: 'ADDED', object: { ...made, metadata: { ...made.metadata, name: 'end', resourceVersion: '902' } } });
    await until(() => recorder.words.includes('add end=9'));
    expect(recorder.view.get('default/a')?.spec.value).toBe(9);
  });

  it('that ends after a long life is followed by the next at once, from the last bookmark, without a list', async () => {
    const { server, clock, informer, equal, live } = await start(['a']);
    await live();
    const { resourceVersion } = server;
    server.endWatches();
    await until(() => server.watchRequests.length === 2);
    expect(server.watchRequests[1]?.resourceVersion).toBe(resourceVersion);
    expect(informer.state).toEqual({ phase: 'watching', resourceVersion });
    server.update('a', 5);
    await clock.advance(0);
    expect(server.listRequests).toHaveLength(1);
    equal();
    expect([...harness.series('hawser_informer_watch_restarts_total')]).toEqual([['ended', 1]]);
  });

  it('that is reset resumes from the last event, and misses nothing', async () => {
    const { server, informer, recorder, equal, live } = await start(['a', 'b']);
    await live();
    server.silenceWatches();
    server.update('a', 1);
    server.delete('b');
    server.failWatches(apiError('Unreachable'));
    await until(() => server.watchRequests.length === 2 && recorder.words.length === 2);
    expect(recorder.take()).toEqual(['update a=0→1', 'delete b=0']);
    expect(server.listRequests).toHaveLength(1);
    equal();
    await synced(informer);
  });

  it('that is reset again and again backs off, even if it delivers each time', async () => {
    const { server, clock, equal } = await start(['a']);
    for (let second = 0; second < 120; second++) {
      server.update('a', second);
      await clock.advance(0);
      server.failWatches(apiError('Unreachable'));
      await clock.advance(1000);
    }
    expect(server.watchRequests.length).toBeLessThan(12);
    await clock.advance(30_000);
    equal();
  });

  it('that is ended again and again backs off', async () => {
    const { server, clock } = await start(['a']);
    for (let second = 0; second < 120; second++) {
      server.endWatches();
      await clock.advance(1000);
    }
    expect(server.watchRequests.length).toBeLessThan(12);
    await clock.advance(30_000);
  });

  it('whose version has expired is followed by a list, later, that delivers the deletions missed', async () => {
    const { server, clock, informer, recorder, equal, live } = await start(['a', 'b', 'c']);
    await live();
    server.silenceWatches();
    server.delete('a');
    server.delete('b');
    server.create('b', 2);
    server.update('c', 3);
    server.compact();
    server.endWatches();
    await until(() => informer.state.phase === 'waiting');
    expect(informer.state).toMatchObject({ error: { code: 'Expired' } });
    expect(server.listRequests).toHaveLength(1);
    await clock.advance(800);
    await synced(informer);
    expect(recorder.take().sort()).toEqual(['add b=2', 'delete a=0', 'delete b=0', 'update c=0→3']);
    equal();
    expect([...harness.series('hawser_informer_relists_total')]).toEqual([['expired', 1]]);
  });

  it.each(['Unauthorized', 'Forbidden', 'NotFound', 'TooManyRequests', 'Unavailable', 'InternalError', 'Malformed'] as const)('that fails with %s is opened again when that is over', async (code) => {
    const { server, clock, informer, equal, live } = await start(['a', 'b']);
    await live();
    // A 404 is met by the list that follows it, too.
    server.watchFaults.push(...Array.from({ length: 4 }, () => apiError(code)));
    if (code === 'NotFound') server.listFaults.push(apiError(code), apiError(code));
    server.endWatches();
    await until(() => informer.state.phase === 'waiting');
    expect(informer.state).toMatchObject({ error: { code } });
    server.delete('a');
    expect(informer.get('default/a')).toBeDefined();
    await clock.advance(120_000);
    await synced(informer);
    equal();
  });

  it('that goes silent is opened anew; bookmarks are heard', async () => {
    const { server, clock, equal, live } = await start(['a'], { stallTimeoutMs: 150_000 });
    for (let minute = 0; minute < 4; minute++) await live(60_000);
    expect(server.watchRequests).toHaveLength(1);
    server.silenceWatches();
    server.update('a', 1);
    await clock.advance(149_000);
    expect(server.watchRequests).toHaveLength(1);
    await clock.advance(1000);
    expect(server.watchRequests).toHaveLength(2);
    expect(server.openWatches).toBe(1);
    await clock.advance(0);
    equal();
    expect([...harness.series('hawser_informer_watch_restarts_total')]).toEqual([['silent', 1]]);
    expect(harness.count('hawser_informer_relists_total')).toBe(0);
  });

  it('that is never answered is given up after half a minute', async () => {
    const { server, clock, informer, live } = await start(['a']);
    await live();
    server.watchFaults.push('hang');
    server.endWatches();
    await clock.advance(30_000);
    expect(informer.state).toMatchObject({ phase: 'waiting', error: { code: 'Timeout' } });
    await clock.advance(1000);
    await synced(informer);
  });

  it('leaves nothing behind when the next one is opened', async () => {
    const { server, live } = await start(['a']);
    const signal = server.listRequests[0]!.signal!;
    for (let round = 0; round < 20; round++) {
      await live();
      server.endWatches();
      await until(() => server.watchRequests.length === round + 2);
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    expect(server.watchRequests.filter((request) => request.signal?.aborted === true)).toHaveLength(20);
  });

  it('asks for an end after five to ten minutes, spread over the watches', async () => {
    const values = [0, 0.5, 0.9999];
    harness = createHarness({ random: () => values[harness.server.watchRequests.length] ?? 0 });
    const informer = harness.acquire();
    await synced(informer);
    for (let round = 0; round < 2; round++) {
      await harness.clock.advance(20_000);
      harness.server.endWatches();
      await until(() => harness.server.watchRequests.length === round + 2);
    }
    expect(harness.server.watchRequests.map(({ timeoutSeconds }) => timeoutSeconds)).toEqual([300, 450, 599]);
  });
});

describe('a server restored from a backup', () => {
  it('is found out when it is back, and replaces everything, newer versions included', async () => {
    const { server, clock, informer, recorder, equal, live } = await start(['a', 'b']);
    const backup = server.backup();
    server.pass(1000);
    server.update('a', 5);
    server.delete('b');
    server.create('c');
    await live();
    equal();
    recorder.take();
    server.restore(backup);
    server.update('b', 9);
    await clock.advance(5000);
    await synced(informer);
    expect(recorder.take().sort()).toEqual(['add b=9', 'delete c=0', 'update a=5→0']);
    equal();
    server.update('a', 6);
    await clock.advance(0);
    equal();
  });

  it('is found out after a silence, if the connection never showed it', async () => {
    const { server, clock, informer, equal, live } = await start(['a']);
    const backup = server.backup();
    server.pass(1000);
    server.update('a', 5);
    await live();
    server.restore(backup);
    server.watchFaults.length = 0;
    await clock.advance(100_000);
    expect(informer.get('default/a')?.spec.value).toBe(5);
    await clock.advance(60_000);
    await synced(informer);
    equal();
    expect([...harness.series('hawser_informer_relists_total')]).toEqual([['restored', 1]]);
  });

  it('is found out by an event that is older than the one before', async () => {
    const { server, clock, informer, live } = await start(['a']);
    await live();
    server.send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '1' } } });
    await until(() => informer.state.phase === 'waiting');
    await clock.advance(1000);
    await synced(informer);
    expect([...harness.series('hawser_informer_relists_total')]).toEqual([['restored', 1]]);
  });

  it('may have written something else under the same version', async () => {
    const { server, clock, recorder, equal, live } = await start(['a', 'b']);
    const backup = server.backup();
    server.update('a', 5);
    server.pass(1000);
    await live();
    recorder.take();
    server.restore(backup);
    server.update('a', 6);
    await clock.advance(5000);
    expect(recorder.take()).toEqual(['update a=5→6']);
    equal();
  });

  it('that never told its versions by a watch is known from the answers of writes', async () => {
    const { server, clock, informer, equal, live } = await start(['a']);
    await live();
    const backup = server.backup();
    server.silenceWatches();
    server.pass(1000);
    informer.observe(server.update('a', 5));
    server.restore(backup);
    await clock.advance(5000);
    await synced(informer);
    equal();
    // And is found out once, not at every later silence.
    server.silenceWatches();
    await clock.advance(160_000);
    expect(harness.count('hawser_informer_relists_total')).toBe(1);
  });
});

describe('observing the answers of writes', () => {
  it('shows them at once, and the watch does not deliver them again', async () => {
    const { server, clock, informer, recorder, equal } = await start(['a']);
    informer.observe(server.update('a', 1));
    informer.observe(server.create('b'));
    expect(recorder.take()).toEqual(['update a=0→1', 'add b=0']);
    expect(informer.get('default/b')?.spec.value).toBe(0);
    await clock.advance(0);
    expect(recorder.take()).toEqual([]);
    server.update('a', 2);
    await clock.advance(0);
    expect(recorder.take()).toEqual(['update a=1→2']);
    equal();
  });

  it('ignores versions that the cache has or has passed', async () => {
    const { server, clock, informer, recorder } = await start(['a']);
    const late = server.update('a', 1);
    server.update('a', 2);
    await clock.advance(0);
    recorder.take();
    informer.observe(late);
    informer.observe(server.objects.get('default/a')!);
    expect(recorder.take()).toEqual([]);
  });

  it('takes the successor of an object; the deletion and the versions of the old one come later and change nothing', async () => {
    const { server, clock, informer, recorder, equal } = await start(['a']);
    server.update('a', 1);
    server.delete('a');
    informer.observe(server.create('a', 7));
    expect(recorder.take()).toEqual(['delete a=0', 'add a=7']);
    await clock.advance(0);
    expect(recorder.take()).toEqual([]);
    equal();
  });

  it('does not bring back what has gone: the deletion was seen by the watch', async () => {
    const { server, clock, informer, recorder, equal } = await start(['a']);
    const answer = server.update('a', 1);
    server.delete('a');
    await clock.advance(0);
    recorder.take();
    informer.observe(answer);
    expect(recorder.take()).toEqual([]);
    equal();
  });

  it('does not bring back what was deleted before it was ever seen', async () => {
    const { server, clock, informer, recorder, live } = await start([]);
    server.silenceWatches();
    const answer = server.create('a');
    server.delete('a');
    server.compact();
    server.failWatches(apiError('Expired'));
    await clock.advance(800);
    await live();
    recorder.take();
    informer.observe(answer);
    expect(recorder.take()).toEqual([]);
    expect(informer.size).toBe(0);
  });

  it('does not bring back what has gone, where versions are no numbers', async () => {
    const { server, clock, informer, recorder } = await start(['a']);
    const object = server.objects.get('default/a')!;
    const answer = { ...object, metadata: { ...object.metadata, resourceVersion: 'x:2' } };
    server.send({ type: 'DELETED', object: answer });
    await clock.advance(0);
    expect(recorder.take()).toEqual(['delete a=0']);
    informer.observe({ ...answer, metadata: { ...answer.metadata, resourceVersion: 'x:1' } });
    expect(recorder.take()).toEqual([]);
  });

  it('during a list that cannot contain it: the list does not delete it', async () => {
    const { server, clock, informer, recorder, equal, live } = await start(['a', 'b', 'c', 'd'], { pageSize: 2 });
    await live();
    server.failWatches(apiError('Expired'));
    let calls = 0;
    server.beforePage = () => {
      // Between the pages of the relist: its snapshot is older than all of these.
      if (++calls !== 2) return;
      informer.observe(server.create('aa'));
      informer.observe(server.update('a', 1));
      informer.observe(server.update('d', 2));
      const old = server.delete('c');
      informer.observe(server.create('c', 3));
      expect(old.metadata.uid).not.toBe(server.objects.get('default/c')?.metadata.uid);
    };
    await clock.advance(800);
    await synced(informer);
    expect(recorder.take()).toEqual(['add aa=0', 'update a=0→1', 'update d=0→2', 'delete c=0', 'add c=3']);
    await clock.advance(0);
    expect(recorder.take()).toEqual([]);
    equal();
  });

  it('during a list, of what was deleted before its snapshot: the list removes it', async () => {
    harness = createHarness({ pageSize: 1 });
    const { server } = harness;
    server.create('a');
    server.create('b');
    const answer = server.create('c');
    server.delete('c');
    const informer = harness.acquire();
    server.beforePage = (page) => { if (page === 2) informer.observe(answer); };
    await synced(informer);
    expect(contents(informer.list())).toEqual(contents(server.objects.values()));
  });

  it('during a list keeps it also where versions are no numbers', async () => {
    harness = createHarness({ pageSize: 1 });
    const { server } = harness;
    server.create('a');
    server.create('b');
    const informer = harness.acquire();
    const answer = { ...server.objects.get('default/a')!, metadata: { name: 'c', namespace: 'default', uid: 'c', resourceVersion: 'x:1' } };
    server.beforePage = (page) => { if (page === 2) informer.observe(answer); };
    await synced(informer);
    expect(informer.get('default/c')).toBeDefined();
  });

  it('ignores those that are metadata alone, unless no more is kept', async () => {
    const { server, clock, informer, equal } = await start(['a']);
    const metadataOnly = harness.acquire({ projection: 'metadata' });
    await synced(metadataOnly);
    const { metadata } = server.update('a', 1);
    const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata } as Thing;
    informer.observe(partial);
    metadataOnly.observe(partial);
    expect(metadataOnly.get('default/a')?.metadata.resourceVersion).toBe(metadata.resourceVersion);
    await clock.advance(0);
    equal();
  });

  it('ignores objects of other namespaces, and new ones where only the server knows what is selected', async () => {
    harness = createHarness();
    const { server } = harness;
    server.create('a');
    const inDefault = harness.acquire({ namespace: 'default' });
    const labelled = harness.acquire({ labelSelector: 'app=x' });
    await synced(inDefault);
    await synced(labelled);
    const elsewhere = server.create('b', 0, 'other');
    inDefault.observe(elsewhere);
    labelled.observe(elsewhere);
    expect(inDefault.size).toBe(1);
    expect(labelled.get('other/b')).toBeUndefined();
    labelled.observe(server.update('a', 4));
    expect(labelled.get('default/a')?.spec.value).toBe(4);
  });
});

describe('handlers', () => {
  it('that join later are told what is there, then every change, like all others', async () => {
    const { server, clock, informer, recorder } = await start(['a', 'b']);
    const late = new Recorder();
    const subscription = informer.addHandler(late.handler);
    expect(late.take()).toEqual(['initial a=0', 'initial b=0']);
    server.update('a', 1);
    await clock.advance(0);
    expect(late.take()).toEqual(['update a=0→1']);
    expect(recorder.take()).toEqual(['update a=0→1']);
    subscription.close();
    server.update('a', 2);
    await clock.advance(0);
    expect(late.take()).toEqual([]);
    expect(recorder.take()).toEqual(['update a=1→2']);
  });

  it('that throw are logged and counted, and harm nobody', async () => {
    const { server, clock, informer, equal } = await start([]);
    const fail = (): never => { throw new Error('handler'); };
    informer.addHandler({ onAdd: fail, onUpdate: fail, onDelete: fail });
    const late = new Recorder();
    informer.addHandler(late.handler);
    server.create('a');
    server.update('a', 1);
    server.delete('a');
    server.create('b');
    await clock.advance(0);
    equal();
    expect(late.take()).toEqual(['add a=0', 'update a=0→1', 'delete a=1', 'add b=0']);
    expect(harness.count('hawser_informer_handler_errors_total')).toBe(4);
    expect(harness.logged).toHaveLength(4);
    expect(harness.logged[0]).toBe('an informer handler failed: default/a');
  });

  it('may stop the informer', async () => {
    const { server, clock, informer } = await start([]);
    let calls = 0;
    informer.addHandler({ onAdd: () => {
      calls++;
      informer.release();
    } });
    server.create('a');
    server.create('b');
    await clock.advance(0);
    expect(calls).toBe(1);
    expect(server.openWatches).toBe(0);
    expect(harness.count('hawser_informer_objects')).toBe(0);
  });

  it('may stop the informer in the middle of a change', async () => {
    const { server, clock, informer } = await start(['a']);
    const told: string[] = [];
    informer.addHandler({ onDelete: () => { informer.release(); }, onAdd: (_object, initial) => { if (!initial) told.push('add'); } });
    server.silenceWatches();
    server.delete('a');
    informer.observe(server.create('a'));
    await clock.advance(0);
    expect(told).toEqual([]);
    expect(harness.count('hawser_informer_objects')).toBe(0);
  });

  it('an index function that throws costs its index one object, nothing else', async () => {
    const { server, clock, informer, equal } = await start(['a']);
    informer.addIndex('value', ({ spec }) => {
      if (spec.value === 1) throw new Error('index');
      return [String(spec.value)];
    });
    server.update('a', 1);
    server.create('b');
    await clock.advance(0);
    equal();
    expect(informer.byIndex('value', '0').map((o) => o.metadata.name)).toEqual(['b']);
    expect(() => informer.byIndex('other', '0')).toThrow(expect.objectContaining({ code: 'UnknownIndex' }));
  });

  it('a state listener that throws harms nobody', async () => {
    const { server, clock, informer } = await start(['a']);
    informer.onStateChange(() => { throw new Error('listener'); });
    server.failWatches(apiError('Unreachable'));
    await clock.advance(1000);
    await synced(informer);
    expect(harness.count('hawser_informer_handler_errors_total')).toBe(2);
  });
});

describe('shares', () => {
  it('of equal specs are one informer; the last release closes the watch and drops the cache', async () => {
    harness = createHarness();
    const { server, clock, informers } = harness;
    server.create('a');
    const first = harness.acquire();
    const second = harness.acquire({ labelSelector: '', projection: 'full', keepManagedFields: false });
    await synced(first);
    await synced(second);
    expect(server.openWatches).toBe(1);
    expect(informers.active).toEqual([expect.objectContaining({ shares: 2, objects: 1, state: expect.objectContaining({ phase: 'watching' }) })]);
    expect(harness.count('hawser_informer_objects')).toBe(1);

    const told: string[] = [];
    second.onStateChange(({ phase }) => { told.push(phase); });
    const recorder = new Recorder();
    first.addHandler(recorder.handler);
    recorder.take();
    first.release();
    first.release();
    server.create('b');
    await clock.advance(0);
    expect(recorder.take()).toEqual([]);
    expect(server.openWatches).toBe(1);
    expect(first.state).toEqual({ phase: 'stopped' });
    expect(first.hasSynced).toBe(true);
    expect(() => first.get('default/a')).toThrow(expect.objectContaining({ code: 'Stopped' }));
    expect(second.size).toBe(2);

    second.release();
    await clock.advance(0);
    expect(server.openWatches).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    expect(informers.active).toEqual([]);
    expect(told).toEqual(['stopped']);
    expect(second.size).toBe(0);
    expect(harness.count('hawser_informer_objects')).toBe(0);
    expect(harness.series('hawser_informer_last_event_timestamp_seconds').size).toBe(0);

    const third = harness.acquire();
    expect(third.hasSynced).toBe(false);
    await synced(third);
    expect(third.size).toBe(2);
    expect(server.listRequests).toHaveLength(2);
  });

  it('of different specs are different informers', async () => {
    harness = createHarness();
    const specs = [{}, { namespace: 'a' }, { labelSelector: 'a' }, { fieldSelector: 'a' }, { projection: 'metadata' }, { keepManagedFields: true }] as const;
    const handles = specs.map((spec) => harness.acquire(spec));
    await Promise.all(handles.map(synced));
    expect(harness.informers.active.map(({ spec }) => spec)).toEqual(specs.map((spec) => expect.objectContaining(spec)));
    expect(harness.server.watchRequests.map((request) => request.representation)).toContain('metadata');
    expect(harness.server.openWatches).toBe(specs.length);
  });

  it('wait for the list with a signal, and are let go when they end', async () => {
    harness = createHarness();
    harness.server.listFaults.push('hang');
    const first = harness.acquire();
    const second = harness.acquire();
    const abort = new AbortController();
    const aborted = first.synced(abort.signal);
    const released = first.synced();
    const closed = second.synced();
    abort.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    await expect(first.synced(abort.signal)).rejects.toThrow('enough');
    first.release();
    await expect(released).rejects.toMatchObject({ code: 'Stopped' });
    await expect(first.synced()).rejects.toMatchObject({ code: 'Stopped' });
    const closing = harness.informers.close();
    await expect(closed).rejects.toMatchObject({ code: 'Stopped' });
    await closing;
    expect(() => harness.acquire()).toThrow(expect.objectContaining({ code: 'Stopped' }));
  });

  it.each(['listing', 'waiting', 'watching', 'connecting'])('can be closed while %s', async (phase) => {
    harness = createHarness({ pageSize: 1 });
    const { server, clock } = harness;
    server.create('a');
    server.create('b');
    if (phase === 'listing') server.listFaults.push(undefined, 'hang');
    if (phase === 'waiting') server.listFaults.push(apiError('Forbidden'));
    if (phase === 'connecting') server.watchFaults.push('hang');
    const informer = harness.acquire();
    await until(() => (phase === 'connecting' ? server.watchRequests.length === 1 : informer.state.phase === phase));
    await harness.informers.close();
    await harness.informers.close();
    expect(informer.state).toEqual({ phase: 'stopped' });
    await clock.advance(3_600_000);
    const requests = server.listRequests.length + server.watchRequests.length;
    await clock.advance(3_600_000);
    expect(server.listRequests.length + server.watchRequests.length).toBe(requests);
  });
});
