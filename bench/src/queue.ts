import PQueue, { type Queue, type QueueAddOptions, type RunFunction } from 'p-queue';

import { collectGarbage } from './collect-garbage.js';
import { median } from './writers.js';

/** Cost of holding the waiting keys in p-queue, per key and compared with the same keys and workers without it. */
export interface QueueCost {
  readonly what: string;
  /** CPU to add one key and run an empty reconcile, in µs. */
  readonly cpuMicros: number;
  /** Heap of a waiting key, in bytes. */
  readonly heapBytes: number;
}

const KEYS = 100_000;
const ROUNDS = 7;
const WIDTH = 32;

/** Keys in order, each once: the minimum for a queue of keys, in p-queue's interface (`queueClass`). */
class KeyedRuns implements Queue<RunFunction, QueueAddOptions> {
  readonly #waiting = new Map<string, RunFunction>();
  readonly #order: string[] = [];
  #next = 0;

  get size(): number {
    return this.#waiting.size;
  }

  enqueue(run: RunFunction, { id = '' }: Partial<QueueAddOptions> = {}): void {
    this.#waiting.set(id, run);
    this.#order.push(id);
  }

  dequeue(): RunFunction | undefined {
    const id = this.#order[this.#next++] ?? '';
    const run = this.#waiting.get(id);
    this.#waiting.delete(id);
    return run;
  }

  filter(): RunFunction[] {
    return [...this.#waiting.values()];
  }

  setPriority(): void {
    throw new RangeError('not measured');
  }

  remove(id: string): void {
    this.#waiting.delete(id);
  }
}

interface Measured {
  add(key: string): void;
  /** Runs them; resolves when none is left. */
  run(): Promise<unknown>;
}

const reconcile = async (): Promise<void> => {
  await Promise.resolve();
};

/** The workers take keys themselves. */
function workers(): Measured {
  const waiting = new KeyedRuns();
  const work = async (): Promise<void> => {
    for (let run = waiting.dequeue(); run !== undefined; run = waiting.dequeue()) await run();
  };
  return {
    add(key) {
      waiting.enqueue(reconcile, { id: key });
    },
    run: () => Promise.all(Array.from({ length: WIDTH }, work)),
  };
}

function pQueue(): Measured {
  const queue = new PQueue({ concurrency: WIDTH, autoStart: false, queueClass: KeyedRuns });
  return {
    add(key) {
      void queue.add(reconcile, { id: key });
    },
    run() {
      const idle = queue.onIdle();
      queue.start();
      return idle;
    },
  };
}

export async function benchQueue(): Promise<readonly QueueCost[]> {
  const keys = Array.from({ length: KEYS }, (_, index) => `team-a/object-${index}`);
  const contestants = [
    ['workers that take keys', workers],
    ['p-queue with the keys in its queueClass', pQueue],
  ] as const;
  const rounds = new Map<string, Pick<QueueCost, 'cpuMicros' | 'heapBytes'>[]>();
  for (let round = 0; round < ROUNDS; round++)
    for (const [what, make] of contestants) {
      const measured = await measure(make(), keys);
      // The first round warms up the compiler.
      if (round > 0) rounds.set(what, [...(rounds.get(what) ?? []), measured]);
    }
  return [...rounds].map(([what, of]) => ({
    what,
    cpuMicros: median(of.map(({ cpuMicros }) => cpuMicros)),
    heapBytes: median(of.map(({ heapBytes }) => heapBytes)),
  }));
}

async function measure(queue: Measured, keys: readonly string[]): Promise<Pick<QueueCost, 'cpuMicros' | 'heapBytes'>> {
  collectGarbage();
  const heapBefore = process.memoryUsage().heapUsed;
  const cpuBefore = process.cpuUsage();
  for (const key of keys) queue.add(key);
  const added = process.cpuUsage(cpuBefore);
  collectGarbage();
  const heapBytes = (process.memoryUsage().heapUsed - heapBefore) / keys.length;
  const cpuRun = process.cpuUsage();
  await queue.run();
  const ran = process.cpuUsage(cpuRun);
  return { cpuMicros: (added.user + added.system + ran.user + ran.system) / keys.length, heapBytes };
}
