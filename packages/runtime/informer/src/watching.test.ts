import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { apiError } from './testing/fake-api-server.js';
import { synced, until } from './testing/harness.js';
import { useScenario } from './testing/scenario.js';

const scenario = useScenario();

describe('a watch', () => {
  it('delivers changes with the state before', async () => {
    const { server, recorder, equal } = await scenario.start(['a']);
    server.update('a', 1);
    server.create('b');
    server.delete('a');
    await until(() => recorder.words.length === 3);
    expect(recorder.take()).toEqual(['update a=0→1', 'add b=0', 'delete a=1']);
    equal();
  });

  it('delivers an object made anew as a deletion and an addition, even if the deletion was never seen', async () => {
    const { server, recorder, equal } = await scenario.start(['a']);
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
    server.send({
      type: 'ADDED',
      object: { ...made, metadata: { ...made.metadata, name: 'end', resourceVersion: '902' } },
    });
    await until(() => recorder.words.includes('add end=9'));
    expect(recorder.view.get('default/a')?.spec.value).toBe(9);
  });

  it('that ends after a long life is followed by the next at once, from the last bookmark, without a list', async () => {
    const { server, clock, informer, equal, live } = await scenario.start(['a']);
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
    expect([...scenario.harness.series('hawser_informer_watch_restarts_total')]).toEqual([['ended', 1]]);
  });

  it('makes the cache current again once it has delivered after an interruption, and a list does at once', async () => {
    const { server, clock, informer, live } = await scenario.start(['a']);
    expect(informer.isCurrent).toBe(true);
    await live();
    server.endWatches();
    await until(() => server.watchRequests.length === 2);
    expect(informer.isCurrent).toBe(false);
    server.update('a', 5);
    await clock.advance(0);
    expect(informer.isCurrent).toBe(true);
    server.failWatches(apiError('Expired'));
    await until(() => !informer.isCurrent);
    await clock.advance(60_000);
    expect(server.listRequests).toHaveLength(2);
    expect(informer.isCurrent).toBe(true);
  });

  it('that is reset resumes from the last event, and misses nothing', async () => {
    const { server, informer, recorder, equal, live } = await scenario.start(['a', 'b']);
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
    const { server, clock, equal } = await scenario.start(['a']);
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
    const { server, clock } = await scenario.start(['a']);
    for (let second = 0; second < 120; second++) {
      server.endWatches();
      await clock.advance(1000);
    }
    expect(server.watchRequests.length).toBeLessThan(12);
    await clock.advance(30_000);
  });

  it('whose version has expired is followed by a list, later, that delivers the deletions missed', async () => {
    const { server, clock, informer, recorder, equal, live } = await scenario.start(['a', 'b', 'c', 'd']);
    await live();
    server.delete('d');
    await until(() => recorder.take().length > 0);
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
    expect(recorder.witnessed).toEqual(['d']);
    equal();
    expect([...scenario.harness.series('hawser_informer_relists_total')]).toEqual([['expired', 1]]);
  });

  it.each([
    'Unauthorized',
    'Forbidden',
    'NotFound',
    'TooManyRequests',
    'Unavailable',
    'InternalError',
    'Malformed',
  ] as const)('that fails with %s is opened again when that is over', async (code) => {
    const { server, clock, informer, equal, live } = await scenario.start(['a', 'b']);
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
    const { server, clock, equal, live } = await scenario.start(['a'], { stallTimeoutMs: 150_000 });
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
    expect([...scenario.harness.series('hawser_informer_watch_restarts_total')]).toEqual([['silent', 1]]);
    expect(scenario.harness.count('hawser_informer_relists_total')).toBe(0);
  });

  it('that is never answered is given up after half a minute', async () => {
    const { server, clock, informer, live } = await scenario.start(['a']);
    await live();
    server.watchFaults.push('hang');
    server.endWatches();
    await clock.advance(30_000);
    expect(informer.state).toMatchObject({ phase: 'waiting', error: { code: 'Timeout' } });
    await clock.advance(1000);
    await synced(informer);
  });

  it('leaves nothing behind when the next one is opened', async () => {
    const { server, live } = await scenario.start(['a']);
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
    scenario.create({ random: () => values[scenario.harness.server.watchRequests.length] ?? 0 });
    const informer = scenario.harness.acquire();
    await synced(informer);
    for (let round = 0; round < 2; round++) {
      await scenario.harness.clock.advance(20_000);
      scenario.harness.server.endWatches();
      await until(() => scenario.harness.server.watchRequests.length === round + 2);
    }
    expect(scenario.harness.server.watchRequests.map(({ timeoutSeconds }) => timeoutSeconds)).toEqual([
      1_200, 1_800, 2_399,
    ]);
  });
});

describe('a server restored from a backup', () => {
  it.each([
    ['versions go backwards', 0],
    ['versions go on from higher ones', 1_000_000],
  ])('tells those who conclude from other things than objects, once its own are known: %s', async (_, bump) => {
    const { server, clock, informer, live } = await scenario.start(['a']);
    const calls: string[] = [];
    informer.addHandler({
      onUpdate: (_before, { spec: { value } }) => {
        calls.push(`a=${value}`);
      },
      onRestored: () => {
        calls.push('restored');
      },
    });
    const backup = server.backup();
    server.pass(1000);
    server.update('a', 5);
    await live();
    server.restore(backup);
    if (bump > 0) server.pass(bump);
    if (bump > 0) server.compact();
    await clock.advance(5000);
    await synced(informer);
    expect(calls).toEqual(['a=5', 'a=0', 'restored']);
  });

  it('tells nobody who lists again for another reason', async () => {
    const { server, clock, informer, live } = await scenario.start(['a', 'b']);
    let restored = 0;
    informer.addHandler({
      onRestored: () => {
        restored++;
      },
    });
    server.update('a', 5);
    await live();
    server.delete('b');
    informer.observe(server.update('a', 6));
    informer.relist();
    await clock.advance(5000);
    await synced(informer);
    expect(restored).toBe(0);
  });

  it('is found out when it is back, and replaces everything, newer versions included', async () => {
    const { server, clock, informer, recorder, equal, live } = await scenario.start(['a', 'b']);
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
    const { server, clock, informer, equal, live } = await scenario.start(['a']);
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
    expect([...scenario.harness.series('hawser_informer_relists_total')]).toEqual([['restored', 1]]);
  });

  it('is found out by an event that is older than the one before', async () => {
    const { server, clock, informer, live } = await scenario.start(['a']);
    await live();
    server.send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '1' } } });
    await until(() => informer.state.phase === 'waiting');
    await clock.advance(1000);
    await synced(informer);
    expect([...scenario.harness.series('hawser_informer_relists_total')]).toEqual([['restored', 1]]);
  });

  it('may have written something else under the same version', async () => {
    const { server, clock, recorder, equal, live } = await scenario.start(['a', 'b']);
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
    const { server, clock, informer, equal, live } = await scenario.start(['a']);
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
    expect(scenario.harness.count('hawser_informer_relists_total')).toBe(1);
  });
});
