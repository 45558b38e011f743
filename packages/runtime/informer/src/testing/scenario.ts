import { afterEach, expect } from '@jest/globals';
import type { FakeClock } from '@hawser/clock';
import type { InformerHandle } from '../informer.js';
import type { SharedInformersOptions } from '../shared-informers.js';
import type { FakeApiServer } from './fake-api-server.js';
import type { Thing } from './thing.js';
import { type Harness, Recorder, contents, createHarness, synced } from './harness.js';

export interface Started {
  readonly server: FakeApiServer;
  readonly clock: FakeClock;
  readonly informer: InformerHandle<Thing>;
  /** Has seen the start already. */
  readonly recorder: Recorder;
  /** Expects the server, the cache and the recorded calls to agree. */
  readonly equal: () => void;
  /** Lets time pass quietly, with a bookmark at its end: later breaks then end a long life. */
  readonly live: (ms?: number) => Promise<void>;
}

export interface Scenario {
  /** Harness of the current test. */
  readonly harness: Harness;
  create(options?: Partial<SharedInformersOptions>): void;
  /** An informer that watches a server with these objects. */
  start(names: readonly string[], options?: Partial<SharedInformersOptions>): Promise<Started>;
}

/** One harness per test; checks that nothing of it is left after its close. */
export function useScenario(): Scenario {
  let harness = createHarness();

  afterEach(async () => {
    await harness.informers.close();
    expect(harness.clock.pendingTimers).toBe(0);
    expect(harness.server.openWatches).toBe(0);
  });

  const create = (options: Partial<SharedInformersOptions> = {}): void => {
    harness = createHarness(options);
  };

  const start: Scenario['start'] = async (names, options) => {
    create(options);
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
    const live = async (ms = 60_000): Promise<void> => {
      await clock.advance(ms);
      server.pass(1);
      server.bookmark();
      await clock.advance(0);
    };
    return { server, clock, informer, recorder, equal, live };
  };

  return {
    get harness() {
      return harness;
    },
    create,
    start,
  };
}
