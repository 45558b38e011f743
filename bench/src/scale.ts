import { type HawserSubject, startHawser } from './hawser.js';
import type { Installation } from './installation.js';
import { openLoad } from './load.js';
import { pause } from './writers.js';

export interface ScaleOptions {
  /** Objects of all bindings together. */
  readonly count: number;
  readonly root: string;
  readonly print: (line: string) => void;
}

export interface Scale {
  readonly bindings: number;
  readonly count: number;
  readonly createMs: number;
  readonly statusMs: number;
  readonly cpuMs: number;
  readonly before: Footprint;
  readonly after: Footprint;
  readonly rest: Footprint;
}

interface Footprint {
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly sockets: number;
}

/** Many objects, or many bindings: time until all are in sync, memory, sockets. */
export async function benchScale(installation: Installation, { count, root, print }: ScaleOptions): Promise<Scale> {
  const { targets } = installation;
  const each = Math.ceil(count / targets.length);
  const loads = await Promise.all(targets.map((target) => openLoad(target, 'scale')));
  const subject = await startHawser(installation, root);
  await pause(10_000);
  const before = await footprint(subject);
  print(`  ${targets.length} bindings, nothing to do: ${describe(before)}`);
  const cpu = subject.cpu().total;
  let start = performance.now();
  await Promise.all(loads.map((load) => load.create(each)));
  const createMs = performance.now() - start;
  print(`  ${each * targets.length} objects created and copied in ${(createMs / 1_000).toFixed(0)} s`);
  for (const load of loads) await load.settled();
  start = performance.now();
  await Promise.all(loads.map((load) => load.setStatus(each)));
  const statusMs = performance.now() - start;
  await pause(1_000);
  const cpuMs = subject.cpu().total - cpu;
  const after = await footprint(subject);
  await pause(30_000);
  const rest = await footprint(subject);
  print(
    `  all with status after further ${(statusMs / 1_000).toFixed(0)} s; CPU ${(cpuMs / each / targets.length).toFixed(2)} ms per object; ${describe(after)}; at rest ${describe(rest)}`,
  );
  for (const load of loads) load.close();
  await subject.stop();
  return { bindings: targets.length, count: each * targets.length, createMs, statusMs, cpuMs, before, after, rest };
}

async function footprint(subject: HawserSubject): Promise<Footprint> {
  return { rssBytes: subject.rssBytes(), heapBytes: await subject.heapBytes(), sockets: subject.sockets() };
}

function describe({ rssBytes, heapBytes, sockets }: Footprint): string {
  return `${(rssBytes / 2 ** 20).toFixed(0)} MiB resident, heap ${(heapBytes / 2 ** 20).toFixed(0)} MiB, ${sockets} sockets`;
}
