import { type HawserSubject, metric, startHawser } from './hawser.js';
import type { Installation } from './installation.js';
import { type Load, openLoad } from './load.js';
import { median, pause } from './writers.js';

export interface SoakOptions {
  /** Objects that exist all the time. */
  readonly count: number;
  readonly minutes: number;
  readonly root: string;
  readonly print: (line: string) => void;
}

/** Resources of the process at one moment. */
export interface SoakSample {
  readonly minute: number;
  readonly rssBytes: number;
  /** The smallest heap in use since the previous sample: the live data after a garbage collection. */
  readonly heapBytes: number;
  readonly sockets: number;
  readonly timers: number;
  readonly changes: number;
}

/** Objects that are created and deleted, beside the changed ones. */
const CHURN = 50;
const SAMPLE_MS = 30_000;
const LOOK_MS = 1_000;

/** Constant churn over many objects: after the first minutes no resource of the process may grow. */
export async function benchSoak(
  installation: Installation,
  { count, minutes, root, print }: SoakOptions,
): Promise<readonly SoakSample[]> {
  const stock = await openLoad(installation.target, 'stock');
  const churn = await openLoad(installation.target, 'churn');
  const subject = await startHawser(installation, root);
  await stock.create(count);
  await stock.settled();
  await stock.setStatus(count);
  const samples: SoakSample[] = [];
  const end = performance.now() + minutes * 60_000;
  const state = { changes: 0, running: true };
  const churning = keepChurning(stock, churn, count, state);
  try {
    while (performance.now() < end) {
      const sample = {
        ...(await look(subject)),
        minute: minutes - (end - performance.now()) / 60_000,
        changes: state.changes,
      };
      samples.push(sample);
      print(describe(sample));
    }
  } finally {
    state.running = false;
    await churning;
    stock.close();
    churn.close();
    await subject.stop();
  }
  print(
    `last third / second third: heap ${ratio(samples, 'heapBytes')}, resident ${ratio(samples, 'rssBytes')}, sockets ${ratio(samples, 'sockets')}, timers ${ratio(samples, 'timers')}; ${state.changes} changes of ${count} objects`,
  );
  return samples;
}

/** Changes in sequence, each awaited; now and then objects that come and go. */
async function keepChurning(
  stock: Load,
  churn: Load,
  count: number,
  state: { changes: number; readonly running: boolean },
): Promise<void> {
  while (state.running) {
    await stock.change(state.changes++ % count);
    if (state.changes % 500 !== 0) continue;
    await churn.create(CHURN);
    await churn.settled();
    await churn.setStatus(CHURN);
    await churn.delete(CHURN);
  }
}

async function look(subject: HawserSubject): Promise<Omit<SoakSample, 'minute' | 'changes'>> {
  let heapBytes = Number.POSITIVE_INFINITY;
  for (let waited = 0; waited < SAMPLE_MS; waited += LOOK_MS) {
    await pause(LOOK_MS);
    heapBytes = Math.min(heapBytes, await subject.heapBytes());
  }
  const timers = (await metric(subject.address, /^nodejs_active_resources\{type="Timeout"\}/mu)) ?? 0;
  return { rssBytes: subject.rssBytes(), heapBytes, sockets: subject.sockets(), timers };
}

/** Ratio of the medians of both thirds: the first third is warm-up. */
function ratio(samples: readonly SoakSample[], figure: 'rssBytes' | 'heapBytes' | 'sockets' | 'timers'): string {
  const third = Math.floor(samples.length / 3);
  if (third === 0) return 'too short to tell';
  const of = (part: readonly SoakSample[]): number => median(part.map((sample) => sample[figure]));
  return (of(samples.slice(-third)) / of(samples.slice(third, 2 * third))).toFixed(3);
}

function describe({ minute, rssBytes, heapBytes, sockets, timers, changes }: SoakSample): string {
  const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
  return `  minute ${minute.toFixed(1).padStart(4)}: heap ${mib(heapBytes)} MiB, resident ${mib(rssBytes)} MiB, ${sockets} sockets, ${timers} timers, ${changes} changes`;
}
