import type { Installation } from './installation.js';
import type { Load, LoadTarget } from './load.js';
import { rawResource, sample } from './sample.js';
import type { Subject } from './subject.js';
import { pause, writers } from './writers.js';

/** Results of one subject in one round. Rates are objects per second, times milliseconds. */
export interface Measurement {
  readonly up: number;
  readonly status: number;
  readonly deletion: number;
  /** Single changes, in the order in which they were made. */
  readonly changes: readonly number[];
  /** Write requests per object, for its creation and first status. */
  readonly writesPerObject: number;
  /** CPU of the subject per object, for creation with first status, and for deletion; the kernel's part of both. */
  readonly cpuMsPerCreation: number;
  readonly cpuMsPerDeletion: number;
  readonly systemCpuMsPerObject: number;
  readonly rssBytes: number;
  /** Writes and CPU share at rest. */
  readonly idleWrites: number;
  readonly idleCpuShare: number;
}

/** A syncing subject and its objects. */
export interface Contestant {
  readonly subject: Subject;
  readonly target: LoadTarget;
  readonly load: Load;
}

const WIDTH = 32;

/** The ceiling: as many writers create the same objects straight on one API server. Objects per second. */
export async function measureRaw({ provider }: Installation, count: number, round: number): Promise<number> {
  const ms = await writers(count, WIDTH, (index) =>
    provider.create(rawResource, sample(rawResource, 'raw', `raw-${round}-${index}`), { representation: 'metadata' }),
  );
  await writers(count, WIDTH, (index) =>
    provider.delete(rawResource, { namespace: 'raw', name: `raw-${round}-${index}` }),
  );
  return (count * 1_000) / ms;
}

export interface Growing {
  readonly up: number;
  readonly status: number;
  readonly writesPerObject: number;
  readonly rssBytes: number;
  readonly idleWrites: number;
  readonly idleCpuShare: number;
  readonly cpuMs: number;
  readonly systemCpuMs: number;
}

/** Creation, first status, then a rest. */
export async function measureCreation(
  installation: Installation,
  { subject, target, load }: Contestant,
  count: number,
  idleMs: number,
): Promise<Growing> {
  const writesNow = await writeCounter(installation, target);
  const atStart = subject.cpu();
  const up = (count * 1_000) / (await load.create(count));
  await load.settled();
  const status = (count * 1_000) / (await load.setStatus(count));
  await pause(1_000);
  const atEnd = subject.cpu();
  const rssBytes = subject.rssBytes();
  const writes = await writesNow();
  const idleFrom = subject.cpu().total;
  await pause(idleMs);
  const idleCpuShare = (subject.cpu().total - idleFrom) / idleMs;
  const idleWrites = (await writesNow()) - writes;
  return {
    up,
    status,
    writesPerObject: writes / count,
    rssBytes,
    idleWrites,
    idleCpuShare,
    cpuMs: atEnd.total - atStart.total,
    systemCpuMs: atEnd.system - atStart.system,
  };
}

/** Contestants alternate change by change: other load on the machine affects both alike. */
export async function measureChanges(
  contestants: readonly Contestant[],
  count: number,
  objects: number,
): Promise<readonly (readonly number[])[]> {
  const times = contestants.map((): number[] => []);
  for (let change = 0; change < count; change++) {
    for (const [index, { load }] of contestants.entries()) {
      times[index]?.push(await load.change(change % objects));
      await pause(5);
    }
  }
  return times;
}

export async function measureDeletion(
  { subject, load }: Contestant,
  count: number,
  created: Growing,
  changes: readonly number[],
): Promise<Measurement> {
  const atStart = subject.cpu();
  const deletion = (count * 1_000) / (await load.delete(count));
  const atEnd = subject.cpu();
  const { cpuMs, systemCpuMs, ...figures } = created;
  return {
    ...figures,
    deletion,
    changes,
    cpuMsPerCreation: cpuMs / count,
    cpuMsPerDeletion: (atEnd.total - atStart.total) / count,
    systemCpuMsPerObject: (systemCpuMs + atEnd.system - atStart.system) / count,
  };
}

/** Counts writes to the objects of `place`, from now on, without the bench's own. */
async function writeCounter({ planes }: Installation, { resource }: LoadTarget): Promise<() => Promise<number>> {
  const logs = [planes.consumer.auditLog(), planes.provider.auditLog()];
  const marks = await Promise.all(logs.map((log) => log.mark()));
  return async () => {
    const writes = await Promise.all(
      logs.map((log, index) =>
        log.writes({
          ...(marks[index] === undefined ? {} : { since: marks[index] }),
          resource: resource.resource,
          group: resource.group,
        }),
      ),
    );
    return writes.flat().filter(({ userAgent }) => !userAgent.startsWith('bench')).length;
  };
}
