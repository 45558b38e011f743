import { MalformedError } from '../../packages/runtime/client/src/malformed-error.ts';
import { hostileVariant } from './hostile.ts';
import { randomFrom } from './random.ts';
import type { Reader } from './readers.ts';

const MAX_MS = 100;
/** Garbage collection or compilation may interfere: the fastest of these tries counts. */
const TRIES = 4;

export interface Fed {
  /** The reader's fault. */
  readonly fault: string | undefined;
  readonly outcome: 'read' | 'refused' | 'stopped';
  readonly ms: number;
}

/** The object of a seed. */
export function objectOf({ samples }: Pick<Reader, 'samples'>, seed: number): unknown {
  const random = randomFrom(seed);
  return hostileVariant(random.of(samples), random);
}

/** Gives an object to a reader, after the checks in front of it. */
export function feed(reader: Reader, value: unknown, maxMs = MAX_MS): Fed {
  const front = run(() => (reader.front === undefined ? value : reader.front(structuredClone(value))));
  if (front.failed) {
    const stopped = front.error instanceof MalformedError;
    return { fault: stopped ? undefined : `in front: ${errorText(front.error)}`, outcome: 'stopped', ms: front.ms };
  }
  const before = fingerprint(front.value);
  const first = run(() => reader.read(front.value as never));
  let { ms } = first;
  for (let tries = 1; ms > maxMs && tries < TRIES; tries++)
    ms = Math.min(ms, run(() => reader.read(front.value as never)).ms);
  const outcome = first.failed ? 'refused' : 'read';
  if (first.failed && !isRefusal(reader, first.error)) return { fault: errorText(first.error), outcome, ms };
  if (ms > maxMs) return { fault: `takes longer than ${maxMs} ms`, outcome, ms };
  return { fault: fingerprint(front.value) === before ? undefined : 'changes what it was given', outcome, ms };
}

type Run = { readonly ms: number } & (
  { readonly failed: false; readonly value: unknown } | { readonly failed: true; readonly error: unknown }
);

/** Runs it and measures CPU time. */
function run(read: () => unknown): Run {
  const began = process.cpuUsage();
  const since = (): number => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  };
  try {
    const value = read();
    return { failed: false, value, ms: since() };
  } catch (error) {
    return { failed: true, error, ms: since() };
  }
}

function isRefusal({ refusals = [] }: Reader, error: unknown): boolean {
  return error instanceof Error && refusals.some((refusal) => error instanceof refusal);
}

const errorText = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** Without recursion, which would overflow on deep values. */
function fingerprint(value: unknown): string {
  const parts: string[] = [];
  const open: unknown[] = [value];
  for (let nodes = 0; open.length > 0 && nodes < 20_000; nodes++) {
    const one = open.pop();
    if (typeof one === 'object' && one !== null) {
      const entries = Object.entries(one);
      parts.push(Array.isArray(one) ? `[${entries.length}` : `{${entries.map(([key]) => key).join(',')}`);
      for (const [, child] of entries) open.push(child);
    } else {
      parts.push(`${typeof one}${String(one)}`);
    }
  }
  return parts.join('|');
}
