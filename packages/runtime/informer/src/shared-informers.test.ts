import { describe, expect, it } from '@jest/globals';
import { apiError } from './testing/fake-api-server.js';
import { Recorder, synced, until } from './testing/harness.js';
import { useScenario } from './testing/scenario.js';

const scenario = useScenario();

describe('handlers', () => {
  it('that join later are told what is there, then every change, like all others', async () => {
    const { server, clock, informer, recorder } = await scenario.start(['a', 'b']);
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
    const { server, clock, informer, equal } = await scenario.start([]);
    const fail = (): never => {
      throw new Error('handler');
    };
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
    expect(scenario.harness.count('hawser_informer_handler_errors_total')).toBe(4);
    expect(scenario.harness.logged).toHaveLength(4);
    expect(scenario.harness.logged[0]).toBe('an informer handler failed: default/a');
  });

  it('may stop the informer', async () => {
    const { server, clock, informer } = await scenario.start([]);
    let calls = 0;
    informer.addHandler({
      onAdd: () => {
        calls++;
        informer.release();
      },
    });
    server.create('a');
    server.create('b');
    await clock.advance(0);
    expect(calls).toBe(1);
    expect(server.openWatches).toBe(0);
    expect(scenario.harness.count('hawser_informer_objects')).toBe(0);
  });

  it('may stop the informer in the middle of a change', async () => {
    const { server, clock, informer } = await scenario.start(['a']);
    const adds: string[] = [];
    informer.addHandler({
      onDelete: () => {
        informer.release();
      },
      onAdd: (_object, initial) => {
        if (!initial) adds.push('add');
      },
    });
    server.silenceWatches();
    server.delete('a');
    informer.observe(server.create('a'));
    await clock.advance(0);
    expect(adds).toEqual([]);
    expect(scenario.harness.count('hawser_informer_objects')).toBe(0);
  });

  it('an index function that throws costs its index one object, nothing else', async () => {
    const { server, clock, informer, equal } = await scenario.start(['a']);
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
    const { server, clock, informer } = await scenario.start(['a']);
    informer.onStateChange(() => {
      throw new Error('listener');
    });
    server.failWatches(apiError('Unreachable'));
    await clock.advance(1000);
    await synced(informer);
    expect(scenario.harness.count('hawser_informer_handler_errors_total')).toBe(2);
  });
});

describe('shares', () => {
  it('of equal specs are one informer; the last release closes the watch and drops the cache', async () => {
    scenario.create();
    const { server, clock, informers } = scenario.harness;
    server.create('a');
    const first = scenario.harness.acquire();
    const second = scenario.harness.acquire({ labelSelector: '', projection: 'full', keepManagedFields: false });
    await synced(first);
    await synced(second);
    expect(server.openWatches).toBe(1);
    expect(informers.active).toEqual([
      expect.objectContaining({ shares: 2, objects: 1, state: expect.objectContaining({ phase: 'watching' }) }),
    ]);
    expect(scenario.harness.count('hawser_informer_objects')).toBe(1);

    const phases: string[] = [];
    second.onStateChange(({ phase }) => {
      phases.push(phase);
    });
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
    expect(phases).toEqual(['stopped']);
    expect(second.size).toBe(0);
    expect(scenario.harness.count('hawser_informer_objects')).toBe(0);
    expect(scenario.harness.series('hawser_informer_last_event_timestamp_seconds').size).toBe(0);

    const third = scenario.harness.acquire();
    expect(third.hasSynced).toBe(false);
    await synced(third);
    expect(third.size).toBe(2);
    expect(server.listRequests).toHaveLength(2);
  });

  it('of different specs are different informers', async () => {
    scenario.create();
    const specs = [
      {},
      { namespace: 'a' },
      { labelSelector: 'a' },
      { fieldSelector: 'a' },
      { projection: 'metadata' },
      { keepManagedFields: true },
    ] as const;
    const handles = specs.map((spec) => scenario.harness.acquire(spec));
    await Promise.all(handles.map(synced));
    expect(scenario.harness.informers.active.map(({ spec }) => spec)).toEqual(
      specs.map((spec) => expect.objectContaining(spec)),
    );
    expect(scenario.harness.server.watchRequests.map((request) => request.representation)).toContain('metadata');
    expect(scenario.harness.server.openWatches).toBe(specs.length);
  });

  it('wait for the list with a signal, and are let go when they end', async () => {
    scenario.create();
    scenario.harness.server.listFaults.push('hang');
    const first = scenario.harness.acquire();
    const second = scenario.harness.acquire();
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
    const closing = scenario.harness.informers.close();
    await expect(closed).rejects.toMatchObject({ code: 'Stopped' });
    await closing;
    expect(() => scenario.harness.acquire()).toThrow(expect.objectContaining({ code: 'Stopped' }));
  });

  it.each(['listing', 'waiting', 'watching', 'connecting'])('can be closed while %s', async (phase) => {
    scenario.create({ pageSize: 1 });
    const { server, clock } = scenario.harness;
    server.create('a');
    server.create('b');
    if (phase === 'listing') server.listFaults.push(undefined, 'hang');
    if (phase === 'waiting') server.listFaults.push(apiError('Forbidden'));
    if (phase === 'connecting') server.watchFaults.push('hang');
    const informer = scenario.harness.acquire();
    await until(() => (phase === 'connecting' ? server.watchRequests.length === 1 : informer.state.phase === phase));
    await scenario.harness.informers.close();
    await scenario.harness.informers.close();
    expect(informer.state).toEqual({ phase: 'stopped' });
    await clock.advance(3_600_000);
    const requests = server.listRequests.length + server.watchRequests.length;
    await clock.advance(3_600_000);
    expect(server.listRequests.length + server.watchRequests.length).toBe(requests);
  });
});
