import { sleep, systemClock } from '@hawser/clock';
import { DemoError, messageOf } from '../demo-error.js';

const PATIENCE_MS = 60_000;

/** Resolves when a portal serves its pages. */
export async function portalAnswers(url: string, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const failure = await fetch(url, { signal }).then(
      async (response) => {
        await response.body?.cancel();
        return response.ok ? undefined : `status ${response.status}`;
      },
      (error: unknown) => messageOf(error),
    );
    signal.throwIfAborted();
    if (failure === undefined) return;
    if (performance.now() > deadline) throw new DemoError('failed', `the portal ${url} does not answer: ${failure}`);
    await sleep(systemClock, 50, signal);
  }
}
