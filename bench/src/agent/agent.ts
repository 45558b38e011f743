import { join } from 'node:path';

import { freePort } from '@hawser/testenv';

import { type Subject, startSubject } from '../subject.js';
import { pause } from '../writers.js';

/** Answered requests by `side verb resource[/subresource]`; refused ones with their status. */
export type Calls = Readonly<Record<string, number>>;

/**
 * One request: when it was made and when its answer began, in milliseconds from the start of the process; and the CPU
 * used by then.
 */
export interface TimedCall {
  readonly call: string;
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly cpuMs: number;
}

export interface Heap {
  /** Live heap after a garbage collection. */
  readonly heapBytes: number;
  readonly externalBytes: number;
}

interface ProbeAnswer extends Heap {
  readonly calls: Calls;
  readonly timeline: readonly TimedCall[];
}

/** A process with a probe. */
export interface ProbedSubject extends Subject {
  /** Since its start. */
  calls(): Promise<Calls>;
  /** Its first requests, in the order of their answers. */
  timeline(): Promise<readonly TimedCall[]>;
  /** After a garbage collection. */
  heap(): Promise<Heap>;
}

export interface ProbedOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly root: string;
  /** Folder for a CPU profile. */
  readonly profile?: string | undefined;
}

export async function startProbed({
  name,
  command,
  args,
  folder,
  root,
  profile,
}: ProbedOptions): Promise<ProbedSubject> {
  const port = await freePort();
  const options = [
    `--import=${join(root, 'bench/dist/probe.js')}`,
    ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
  ];
  const subject = startSubject(
    name,
    command,
    args,
    { POD_NAME: 'bench', HAWSER_BENCH_PROBE: String(port), NODE_OPTIONS: options.join(' ') },
    join(folder, `${name}.log`),
  );
  const ask = async (path: string): Promise<ProbeAnswer> => {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
      if (answer !== undefined) return (await answer.json()) as ProbeAnswer;
      await pause(20);
    }
  };
  return {
    ...subject,
    calls: async () => (await ask('/')).calls,
    timeline: async () => (await ask('/')).timeline,
    heap: () => ask('/gc'),
  };
}

/** Difference of two counts, without zeros. */
export function between(before: Calls, after: Calls): Calls {
  return Object.fromEntries(
    Object.entries(after)
      .map(([call, count]): [string, number] => [call, count - (before[call] ?? 0)])
      .filter(([, count]) => count !== 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

export function writesOf(calls: Calls): number {
  return Object.entries(calls).reduce(
    (sum, [call, count]) => sum + (WRITES.includes(call.split(' ')[1] ?? '') ? count : 0),
    0,
  );
}

/** `service POST secrets 1.00`, per object. Leaves out calls below one in fifty objects. */
export function perObject(calls: Calls, objects: number): string {
  return Object.entries(calls)
    .filter(([, count]) => count * 50 >= objects)
    .map(([call, count]) => `${call} ${(count / objects).toFixed(2)}`)
    .join(', ');
}
