import type { SentRequest, SimProcess } from './sim-process.js';
import { holdsLittle, retriesBackOff, writerHasLease, writesAreFew } from './invariants.js';
import { renewsItself } from './shard-accounts.js';
import type { Trace } from './trace.js';
import type { VirtualTime } from './virtual-time.js';

export interface RequestAccountsParts {
  readonly time: VirtualTime;
  readonly trace: Trace;
  readonly renewDeadlineMs: number;
  /** Whether a request only reports again that a process is alive. */
  readonly isHeartbeat: (request: SentRequest['request']) => boolean;
  readonly violateAll: (findings: Iterable<{ readonly invariant: string; readonly what: string }>) => void;
}

/** A request under way. */
export interface TrackedRequest {
  readonly what: string;
  /** Whether it changes anything but a Lease. */
  readonly isWrite: boolean;
  /** The server has answered. */
  answered(status: number): void;
}

const MINUTE_MS = 60_000;
const WATCHES = /[?&]watch=(?:true|1)(?:&|$)/u;

/** Records the requests of processes, and checks them against the invariants for every process. */
export class RequestAccounts {
  readonly #parts: RequestAccountsParts;
  /** Process → sending time of the request that last acquired or renewed its lease. */
  readonly #renewed = new Map<SimProcess, number>();
  /** Number of requests of each process in the current minute. */
  readonly #sent = new Map<SimProcess, { minute: number; requests: number }>();
  /** Number of answered writes of each object in the current minute, and of those carried out. */
  #answered: { minute: number; writes: Map<string, number>; done: Map<string, number> } = {
    minute: -1,
    writes: new Map(),
    done: new Map(),
  };
  #writes: string[] = [];
  #requests = 0;

  constructor(parts: RequestAccountsParts) {
    this.#parts = parts;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Writes carried out since the last call, except leases and heartbeats. */
  takeWrites(): readonly string[] {
    const writes = this.#writes;
    this.#writes = [];
    return writes;
  }

  /** A process sends a request now. */
  send(sent: SentRequest): TrackedRequest {
    const { process, cluster, request, sentAt } = sent;
    const { time, trace, renewDeadlineMs, isHeartbeat, violateAll } = this.#parts;
    const path = request.path.replace(/[?].*$/u, '');
    const watch = request.method === 'GET' && WATCHES.test(request.path);
    const what = `${watch ? 'WATCH' : request.method} ${path}`;
    const lease = path.includes('/leases');
    const isWrite = request.method !== 'GET' && !path.includes('authorization.k8s.io') && !lease;
    this.#requests++;
    this.#countSent(process);
    violateAll(holdsLittle(process.machine.name, process.clock.pending, process.open));
    if (isWrite)
      violateAll(
        writerHasLease(process.machine.name, what, sentAt - (this.#renewed.get(process) ?? -Infinity), renewDeadlineMs),
      );
    return {
      what,
      isWrite,
      answered: (status) => {
        trace.add(time.monotonic(), `${process.machine.name} ${cluster.name} ${what} ${status}`);
        // Two processes may both have a lease after a replaced cluster: each counts for itself.
        if (isWrite && !isEvent(request))
          this.#countWrite(`${process.machine.name} ${cluster.name} ${what}${nameOfCreated(request)}`, status < 300);
        if (status >= 300 || request.method === 'GET' || isHeartbeat(request)) return;
        if (lease && renewsItself(sent)) this.#renewed.set(process, Math.max(sentAt, this.#renewed.get(process) ?? 0));
        else if (isWrite) this.#writes.push(`${process.machine.name} ${cluster.name} ${what}`);
      },
    };
  }

  #countSent(process: SimProcess): void {
    const minute = Math.floor(this.#parts.time.monotonic() / MINUTE_MS);
    const sent = this.#sent.get(process);
    if (sent?.minute !== minute) this.#sent.set(process, { minute, requests: 1 });
    else this.#parts.violateAll(retriesBackOff(process.machine.name, ++sent.requests, MINUTE_MS));
  }

  #countWrite(what: string, isDone: boolean): void {
    const minute = Math.floor(this.#parts.time.monotonic() / MINUTE_MS);
    if (this.#answered.minute !== minute) this.#answered = { minute, writes: new Map(), done: new Map() };
    this.#parts.violateAll(
      writesAreFew(what, isDone ? count(this.#answered.done, what) : 0, count(this.#answered.writes, what)),
    );
  }
}

/** Events: a repeated one overwrites an Event, and a report is no user's object. */
export function isEvent({ path }: SentRequest['request']): boolean {
  return /\/events(?:\/|\?|$)/u.test(path);
}

/**
 * The end of a created object's path: the request's path names only the collection. Empty for all other writes, and for
 * names that the server makes.
 */
export function nameOfCreated({ method, body = '' }: SentRequest['request']): string {
  if (method !== 'POST' || body === '') return '';
  const { metadata } = JSON.parse(body) as { readonly metadata?: { readonly name?: string } };
  return metadata?.name === undefined ? '' : `/${metadata.name}`;
}

/** Counts one more. */
export function count<K>(counts: Map<K, number>, key: K): number {
  const next = (counts.get(key) ?? 0) + 1;
  counts.set(key, next);
  return next;
}
