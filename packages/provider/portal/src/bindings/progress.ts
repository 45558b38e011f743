import { type Clock, sleep } from '@hawser/clock';
import { equal } from '@hawser/json';
import type { BindingState } from '@hawser/consumer-states';

/** How often what is waited for is looked at. */
const LOOK_MS = 2_000;
/** A browser comes again by itself, and shows anew who it is. */
const STREAM_MS = 45_000;

/** Tells a state, and each one that differs from the one before, until there is nothing more to wait for or the time is up. */
export async function* progressOf(
  first: BindingState,
  read: () => Promise<BindingState>,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<BindingState> {
  const until = clock.monotonic() + STREAM_MS;
  yield first;
  for (let told = first; !isSettled(told) && clock.monotonic() < until;) {
    await sleep(clock, LOOK_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    const state = await read();
    if (!equal(steady(told), steady(state))) yield state;
    told = state;
  }
}

/** Whether nothing more is waited for. */
export function isSettled({ steps }: BindingState): boolean {
  return steps.every(({ state }) => state === 'done');
}

/** Without the time of the last heartbeat, which is news of nothing as long as they come. */
function steady({ steps, health, copies }: BindingState): object {
  return { health, copies, steps: steps.map((step) => (step.id === 'inContact' ? { ...step, at: undefined } : step)) };
}
