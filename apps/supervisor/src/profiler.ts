import { type Clock, sleep } from '@hawser/clock';

export type ProfileKind = 'cpu' | 'heap';

/** Longest profile: profiling slows the process. */
const LONGEST_SECONDS = 120;

/**
 * Takes profiles of this process, one at a time. Neither kind holds values of variables, and hence no Secret data: a
 * heap profile shows where memory was allocated, not its content.
 */
export interface Profiler {
  /** JSON for Chrome's developer tools: `.cpuprofile`, `.heapprofile`. Undefined while another profile runs. */
  take(kind: ProfileKind, seconds: number): Promise<string | undefined>;
}

export function createProfiler(clock: Clock): Profiler {
  let busy = false;
  return {
    async take(kind, seconds) {
      if (busy) return undefined;
      busy = true;
      // Loaded only on demand: it pulls in much of Node.
      const { Session } = await import('node:inspector/promises');
      const session = new Session();
      try {
        session.connect();
        const ms = Math.min(Math.max(seconds, 1), LONGEST_SECONDS) * 1_000;
        switch (kind) {
          case 'cpu':
            await session.post('Profiler.enable');
            await session.post('Profiler.start');
            await sleep(clock, ms);
            return JSON.stringify((await session.post('Profiler.stop')).profile);
          case 'heap':
            await session.post('HeapProfiler.startSampling');
            await sleep(clock, ms);
            return JSON.stringify((await session.post('HeapProfiler.stopSampling')).profile);
        }
      } finally {
        session.disconnect();
        busy = false;
      }
    },
  };
}
