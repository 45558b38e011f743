import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { apiError } from './testing/fake-api-server.js';
import { Recorder, contents, createHarness } from './testing/harness.js';

/** Everything that a server and the network in front of it may do, in any order. */
type Step =
  | { readonly kind: 'create' | 'update' | 'delete' | 'recreate'; readonly name: string; readonly observe: boolean }
  | { readonly kind: 'observeOld'; readonly which: number }
  | {
      readonly kind:
        'compact' | 'bookmark' | 'end' | 'reset' | 'silence' | 'expire' | 'malformed' | 'restore' | 'lateHandler';
    }
  | {
      readonly kind: 'failList' | 'failWatch';
      readonly code: 'Expired' | 'Unreachable' | 'Unauthorized' | 'NotFound' | 'InternalError' | 'hang' | 'none';
    }
  /** Written by us while a page is being read. */
  | { readonly kind: 'duringList'; readonly name: string }
  | { readonly kind: 'wait'; readonly ms: number };

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('create' as const, 'update' as const, 'delete' as const, 'recreate' as const),
      name,
      observe: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('observeOld' as const), which: fc.nat() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'compact' as const,
        'bookmark' as const,
        'end' as const,
        'reset' as const,
        'silence' as const,
        'expire' as const,
        'malformed' as const,
        'restore' as const,
        'lateHandler' as const,
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('failList' as const, 'failWatch' as const),
      code: fc.constantFrom(
        'Expired' as const,
        'Unreachable' as const,
        'Unauthorized' as const,
        'NotFound' as const,
        'InternalError' as const,
        'hang' as const,
        'none' as const,
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('duringList' as const), name }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(0, 500, 5000, 40_000, 160_000) }),
  },
);

async function replay(steps: readonly Step[], seed: number): Promise<void> {
  let state = seed >>> 0;
  const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const harness = createHarness({ pageSize: 2, random });
  const { server, clock, informers, logged } = harness;
  const informer = harness.acquire();
  const recorders = [new Recorder()];
  for (const recorder of recorders) informer.addHandler(recorder.handler);
  let value = 0;
  const during: string[] = [];
  server.beforePage = () => {
    for (const written of during.splice(0))
      informer.observe(
        server.objects.has(`default/${written}`) ? server.update(written, ++value) : server.create(written, ++value),
      );
  };

  const run = async (next: Step): Promise<void> => {
    switch (next.kind) {
      case 'create':
      case 'update': {
        const answer = server.objects.has(`default/${next.name}`)
          ? server.update(next.name, ++value)
          : server.create(next.name, ++value);
        if (next.observe) informer.observe(answer);
        return;
      }
      case 'delete':
      case 'recreate':
        if (server.objects.has(`default/${next.name}`)) server.delete(next.name);
        if (next.kind === 'recreate') {
          const answer = server.create(next.name, ++value);
          if (next.observe) informer.observe(answer);
        }
        return;
      case 'observeOld': {
        const old = server.history[next.which % Math.max(1, server.history.length)];
        if (old !== undefined) informer.observe(old);
        return;
      }
      case 'compact':
        server.compact();
        return;
      case 'bookmark':
        server.bookmark();
        return;
      case 'end':
        server.endWatches();
        return;
      case 'reset':
        server.failWatches(apiError('Unreachable'));
        return;
      case 'silence':
        server.silenceWatches();
        return;
      case 'expire':
        server.failWatches(apiError('Expired'));
        return;
      case 'malformed':
        server.failWatches(apiError('Malformed'));
        return;
      case 'restore': {
        const backup = server.backup();
        const known = server.history.length;
        // More versions are lost than will be written again: that a restore leaves no other trace is beyond anybody who watches.
        server.pass(10_000);
        for (const lost of ['a', 'b', 'g']) if (server.objects.has(`default/${lost}`)) server.update(lost, ++value);
        server.create(`lost${value}`, ++value);
        server.bookmark();
        if (value % 2 === 0) await clock.advance(0);
        server.restore(backup);
        server.history.length = known;
        return;
      }
      case 'lateHandler': {
        const recorder = new Recorder();
        informer.addHandler(recorder.handler);
        recorders.push(recorder);
        return;
      }
      case 'failList':
        server.listFaults.push(next.code === 'hang' || next.code === 'none' ? undefined : apiError(next.code));
        return;
      case 'failWatch':
        server.watchFaults.push(next.code === 'hang' ? 'hang' : next.code === 'none' ? undefined : apiError(next.code));
        return;
      case 'duringList':
        during.push(next.name);
        return;
      case 'wait':
        await clock.advance(next.ms);
        return;
    }
  };

  for (const next of steps) await run(next);

  // The faults end; time goes on, and a server that lives sends bookmarks.
  server.listFaults.length = 0;
  server.watchFaults.length = 0;
  for (let minute = 0; minute < 8; minute++) {
    server.pass(1);
    server.bookmark();
    await clock.advance(60_000);
  }
  expect(informer.state.phase).toBe('watching');
  expect(contents(informer.list())).toEqual(contents(server.objects.values()));
  for (const recorder of recorders) {
    expect(recorder.faults).toEqual([]);
    expect(contents(recorder.view.values())).toEqual(contents(server.objects.values()));
  }
  expect(logged).toEqual([]);
  await informers.close();
  expect(clock.pendingTimers).toBe(0);
  expect(server.openWatches).toBe(0);
}

describe('whatever happens', () => {
  it('once the faults end, the cache equals the server, and what the handlers were told adds up to the cache', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), fc.nat(), replay), {
      numRuns: 150,
    });
  });
});
