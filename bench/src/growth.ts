import type { Installation } from './installation.js';
import { type Load, openLoad } from './load.js';
import { type HawserSubject, startHawser } from './hawser.js';
import { pause } from './writers.js';

export interface GrowthOptions {
  /** Numbers of objects; each has its own process. */
  readonly counts: readonly number[];
  readonly root: string;
  readonly profile?: string | undefined;
  readonly print: (line: string) => void;
}

/** Use of one process for `count` objects. CPU in milliseconds, user and system. */
export interface Growth {
  readonly count: number;
  readonly startCpuMs: number;
  readonly createCpuMs: number;
  readonly statusCpuMs: number;
  readonly deletionCpuMs: number;
  readonly systemCpuMs: number;
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly restRssBytes: number;
  /** JavaScript heap in use at rest, garbage included. */
  readonly heapBytes: number;
  readonly sockets: number;
}

/** V8 compacts its heap after some seconds of little work. */
const REST_MS = 15_000;

/**
 * Growth of CPU and memory with the number of objects: constant costs, start and warm-up, cancel out in the difference.
 */
export async function benchGrowth(installation: Installation, options: GrowthOptions): Promise<readonly Growth[]> {
  const results: Growth[] = [];
  for (const count of options.counts) {
    const subject = await startHawser(installation, options.root, { profile: options.profile });
    const load = await openLoad(installation.target, `growth-${count}`);
    const result = await grow(subject, load, count);
    load.close();
    await subject.stop();
    results.push(result);
    options.print(describe(result));
  }
  return results;
}

async function grow(subject: HawserSubject, load: Load, count: number): Promise<Growth> {
  const atStart = subject.cpu();
  await load.create(count);
  await load.settled();
  const afterCreation = subject.cpu();
  await load.setStatus(count);
  await pause(1_000);
  const afterStatus = subject.cpu();
  const rssBytes = subject.rssBytes();
  const sockets = subject.sockets();
  await pause(REST_MS);
  const restRssBytes = subject.rssBytes();
  const heapBytes = await subject.heapBytes();
  const beforeDeletion = subject.cpu();
  await load.delete(count);
  const atEnd = subject.cpu();
  const createCpuMs = afterCreation.total - atStart.total;
  const statusCpuMs = afterStatus.total - afterCreation.total;
  const deletionCpuMs = atEnd.total - beforeDeletion.total;
  const systemCpuMs = afterStatus.system - atStart.system + (atEnd.system - beforeDeletion.system);
  return {
    count,
    startCpuMs: atStart.total,
    createCpuMs,
    statusCpuMs,
    deletionCpuMs,
    systemCpuMs,
    cpuMs: createCpuMs + statusCpuMs + deletionCpuMs,
    rssBytes,
    restRssBytes,
    heapBytes,
    sockets,
  };
}

/** Per further object, between the smallest and the largest number. */
export function slope(results: readonly Growth[], figure: 'cpuMs' | 'rssBytes' | 'restRssBytes' | 'heapBytes'): number {
  const [first] = results;
  const last = results.at(-1);
  return first === undefined || last === undefined || last.count === first.count
    ? Number.NaN
    : (last[figure] - first[figure]) / (last.count - first.count);
}

function describe({
  count,
  startCpuMs,
  createCpuMs,
  statusCpuMs,
  deletionCpuMs,
  systemCpuMs,
  cpuMs,
  rssBytes,
  restRssBytes,
  heapBytes,
  sockets,
}: Growth): string {
  const each = (ms: number): string => (ms / count).toFixed(2);
  const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
  return `  ${count} objects: ${each(cpuMs)} ms CPU per object (creation ${each(createCpuMs)}, status ${each(statusCpuMs)}, deletion ${each(deletionCpuMs)}; in the kernel ${each(systemCpuMs)}), start ${startCpuMs} ms; ${mib(rssBytes)} MiB, at rest ${mib(restRssBytes)} MiB, heap ${mib(heapBytes)} MiB; ${sockets} sockets`;
}
