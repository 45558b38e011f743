import { sample } from '../sample.js';
import type { Subject } from '../subject.js';
import { pause, writers } from '../writers.js';
import { type Calls, type ProbedSubject, between, writesOf } from './agent.js';
import { type AgentInstallation, raw } from './installation.js';
import type { AgentLoad } from './load.js';

/** Objects per second that 32 writers create, on either side, without a sync. */
export interface AgentRaw {
  readonly service: number;
  readonly kcp: number;
}

export interface Phases<T> {
  readonly creation: T;
  readonly status: T;
  readonly deletion: T;
}

/** Results of one subject in one round. Rates are objects per second, times milliseconds. */
export interface AgentMeasurement {
  readonly down: number;
  readonly status: number;
  readonly deletion: number;
  /** Single changes, in the order in which they were made. */
  readonly changesDown: readonly number[];
  readonly changesUp: readonly number[];
  /** CPU of the subject per object. */
  readonly cpuMs: Phases<number>;
  readonly rssBytes: number;
  /** Heap in use with all objects in sync, after a garbage collection; not for the reference. */
  readonly heapBytes: number | undefined;
  /** Requests of the subject; none for the reference. */
  readonly calls: Phases<Calls> & { readonly idle: Calls };
  readonly idleWrites: number;
}

export interface Footprint {
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly sockets: number;
}

/** A syncing subject and its objects. */
export interface AgentContestant {
  readonly subject: Subject & Partial<Pick<ProbedSubject, 'heap'>>;
  readonly calls: (() => Promise<Calls>) | undefined;
  readonly load: AgentLoad;
}

export interface MeasureOptions {
  readonly count: number;
  readonly changes: number;
  readonly idleMs: number;
  /** Which contestant goes first: it has the fresher servers. */
  readonly first: number;
}

const WIDTH = 32;
/** Time for writes after the last effect visible from outside: the state Secret, Events. */
const SETTLE_MS = 2_000;
const RAW_PER_WORKSPACE = 1_000;

export async function measureAgentRaw(
  { serviceClient, workspaces }: AgentInstallation,
  count: number,
  round: number,
): Promise<AgentRaw> {
  const name = (index: number): string => `raw-${round}-${index}`;
  const onService = await writers(count, WIDTH, (index) =>
    serviceClient.create(raw, sample(raw, 'raw', name(index)), { representation: 'metadata' }),
  );
  await writers(count, WIDTH, (index) => serviceClient.delete(raw, { namespace: 'raw', name: name(index) }));
  const workspace = workspaces[0];
  if (workspace === undefined) throw new Error('there is no workspace');
  const many = Math.min(count, RAW_PER_WORKSPACE);
  const inKcp = await writers(many, WIDTH, (index) =>
    workspace.client.create(raw, sample(raw, 'default', name(index)), { representation: 'metadata' }),
  );
  await writers(many, WIDTH, (index) => workspace.client.delete(raw, { namespace: 'default', name: name(index) }));
  return { service: (count * 1_000) / onService, kcp: (many * 1_000) / inKcp };
}

/** Longer than an idle socket is kept: sockets still open then stay open. */
export const SOCKETS_REST_MS = 32_000;

export async function footprint(subject: ProbedSubject, restMs = SETTLE_MS): Promise<Footprint> {
  await pause(restMs);
  const { heapBytes } = await subject.heap();
  return { heapBytes, rssBytes: subject.rssBytes(), sockets: subject.sockets() };
}

/**
 * Measures creation, status, single changes both ways, and deletion, contestant by contestant. Changes alternate: other
 * load on the machine affects both alike.
 */
export async function measureAgents(
  contestants: readonly AgentContestant[],
  { count, changes, idleMs, first }: MeasureOptions,
): Promise<readonly AgentMeasurement[]> {
  const order = [...contestants.slice(first), ...contestants.slice(0, first)];
  const found = new Map<AgentContestant, Omit<AgentMeasurement, 'deletion' | 'changesDown' | 'changesUp'>>();
  for (const contestant of order) found.set(contestant, await growing(contestant, count, idleMs));
  const down = order.map((): number[] => []);
  const up = order.map((): number[] => []);
  for (let change = 0; change < changes; change++) {
    for (const [index, { load }] of order.entries()) {
      down[index]?.push(await load.changeDown(change % count));
      await pause(5);
      up[index]?.push(await load.changeUp(change % count));
      await pause(5);
    }
  }
  const results = new Map<AgentContestant, AgentMeasurement>();
  for (const [index, contestant] of order.entries()) {
    const grown = found.get(contestant);
    if (grown === undefined) continue;
    await pause(SETTLE_MS);
    const [ms, cpuMs, calls] = await phase(contestant, count, () => contestant.load.delete(count));
    results.set(contestant, {
      ...grown,
      deletion: (count * 1_000) / ms,
      changesDown: down[index] ?? [],
      changesUp: up[index] ?? [],
      cpuMs: { ...grown.cpuMs, deletion: cpuMs },
      calls: { ...grown.calls, deletion: calls },
    });
  }
  return contestants.flatMap((contestant) => results.get(contestant) ?? []);
}

async function growing(
  contestant: AgentContestant,
  count: number,
  idleMs: number,
): Promise<Omit<AgentMeasurement, 'deletion' | 'changesDown' | 'changesUp'>> {
  const { subject, load } = contestant;
  const [createMs, createCpu, creation] = await phase(contestant, count, () => load.create(count));
  const [statusMs, statusCpu, status] = await phase(contestant, count, () => load.setStatus(count));
  const rssBytes = subject.rssBytes();
  const before = await contestant.calls?.();
  await pause(idleMs);
  const idle = between(before ?? {}, (await contestant.calls?.()) ?? {});
  const heapBytes = (await subject.heap?.())?.heapBytes;
  return {
    down: (count * 1_000) / createMs,
    status: (count * 1_000) / statusMs,
    rssBytes,
    heapBytes,
    cpuMs: { creation: createCpu, status: statusCpu, deletion: Number.NaN },
    calls: { creation, status, deletion: {}, idle },
    idleWrites: writesOf(idle),
  };
}

/** Milliseconds of the phase, CPU per object, and the calls. */
async function phase(
  { subject, calls }: AgentContestant,
  count: number,
  work: () => Promise<number>,
): Promise<[number, number, Calls]> {
  const before = await calls?.();
  const cpu = subject.cpu().total;
  const ms = await work();
  await pause(SETTLE_MS);
  return [ms, (subject.cpu().total - cpu) / count, between(before ?? {}, (await calls?.()) ?? {})];
}
