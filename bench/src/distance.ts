import { startHawser } from './hawser.js';
import type { Installation } from './installation.js';
import { openLoad } from './load.js';
import type { Relay } from './relay.js';
import { pause, quantile } from './writers.js';

export interface DistanceOptions {
  readonly count: number;
  readonly changes: number;
  /** Round trips between the konnector and the provider's API server, in milliseconds. */
  readonly roundTrips: readonly number[];
  readonly root: string;
  readonly print: (line: string) => void;
}

/** Results of a konnector over one distance. Rates in objects per second, times in milliseconds. */
export interface Distance {
  readonly roundTripMs: number;
  readonly up: number;
  readonly status: number;
  readonly deletion: number;
  /** Single changes in sequence, until the provider's own watch shows each: at least half a round trip. */
  readonly changes: readonly number[];
  /** The same after a rest that closes connections. */
  readonly changesAfterRest: readonly number[];
  readonly connections: number;
}

/** Longer than the konnector and API servers keep an idle connection. */
const REST_MS = 95_000;
const AFTER_RESTS = 2;

/** Needs an installation whose kubeconfigs point at `relay`. */
export async function benchDistance(
  installation: Installation,
  relay: Relay,
  { count, changes, roundTrips, root, print }: DistanceOptions,
): Promise<readonly Distance[]> {
  const results: Distance[] = [];
  for (const roundTripMs of roundTrips) {
    relay.setRoundTrip(roundTripMs);
    const before = relay.connections();
    const subject = await startHawser(installation, root);
    const load = await openLoad(installation.target, `distance-${roundTripMs}`);
    const rate = (ms: number): number => (count * 1_000) / ms;
    const up = rate(await load.create(count));
    await load.settled();
    const status = rate(await load.setStatus(count));
    await pause(2_000);
    const one = async (times: number, restMs: number): Promise<readonly number[]> => {
      const measured: number[] = [];
      while (measured.length < times) {
        await pause(restMs);
        measured.push(await load.change(measured.length % count));
      }
      return measured;
    };
    const single = await one(changes, 20);
    const changesAfterRest = await one(AFTER_RESTS, REST_MS);
    const deletion = rate(await load.delete(count));
    load.close();
    await subject.stop();
    const result = {
      roundTripMs,
      up,
      status,
      deletion,
      changes: single,
      changesAfterRest,
      connections: relay.connections() - before,
    };
    results.push(result);
    print(describe(result));
  }
  return results;
}

function describe({ roundTripMs, up, status, deletion, changes, changesAfterRest, connections }: Distance): string {
  return `  ${roundTripMs} ms: up ${up.toFixed(0)}/s status ${status.toFixed(0)}/s deletion ${deletion.toFixed(0)}/s, one change p50 ${quantile(changes, 0.5).toFixed(0)} p99 ${quantile(changes, 0.99).toFixed(0)} ms, after a rest ${quantile(changesAfterRest, 0.5).toFixed(0)} ms; ${connections} connections`;
}
