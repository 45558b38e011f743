import { type Clock, sleep } from '@hawser/clock';
import { equal } from '@hawser/json';
import type { BindingState } from '@hawser/consumer-states';

/** Polling period for awaited states. */
const LOOK_MS = 2_000;
/** A browser reconnects by itself, and authenticates again. */
const STREAM_MS = 45_000;

/** Yields a state, and each different one, until everything awaited is done or the time is up. */
export async function* progressOf(
  first: BindingState,
  read: () => Promise<BindingState>,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<BindingState> {
  const until = clock.monotonic() + STREAM_MS;
  yield first;
  for (let last = first; !isSettled(last) && clock.monotonic() < until;) {
    await sleep(clock, LOOK_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    const state = await read();
    if (!equal(steady(last), steady(state))) yield state;
    last = state;
  }
}

/** Whether nothing more is awaited. */
export function isSettled({ steps }: BindingState): boolean {
  return steps.every(({ state }) => state === 'done');
}

/** Drops the time of the last heartbeat: it is no news while heartbeats come. */
function steady({ steps, health, copies }: BindingState): object {
  return { health, copies, steps: steps.map((step) => (step.id === 'inContact' ? { ...step, at: undefined } : step)) };
}
