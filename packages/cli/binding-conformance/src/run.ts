import { messageOf } from '@hawser/client';
import type { Check, Level, Part } from './check.js';
import type { Ground, GroundOptions } from './ground.js';

export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'measured'; readonly figure: string }
  | { readonly kind: 'failed'; readonly why: string }
  /** The check does not apply, for this reason. */
  | { readonly kind: 'skipped'; readonly why: string };

export interface Result {
  readonly id: string;
  readonly part: Part;
  readonly level: Level;
  readonly title: string;
  readonly source: string;
  readonly outcome: Outcome;
  readonly ms: number;
}

export interface Report {
  /** The checked programs: `pair`, `konnector`, `provider` or `agent`. */
  readonly role: string;
  readonly results: readonly Result[];
  /** Objects that could not be removed. */
  readonly left: readonly string[];
}

export interface RunOptions extends GroundOptions {
  /** Called with each result. */
  readonly onResult: (result: Result) => void;
  /** Keeps all objects for inspection. */
  readonly keep: boolean;
  /** Only these checks, and those that they need. Default: all. */
  readonly only?: readonly string[] | undefined;
}

/** A kind of run: its environment and its checks. */
export interface Course<W> {
  readonly role: string;
  readonly world: W;
  /** All checks of the run. */
  readonly checks: readonly Check<W>[];
  /** Sets up what the first check needs. */
  begin(): Promise<void>;
  /** Sets up what a check needs. */
  prepare(check: Check<W>): Promise<void>;
  /** Why a check does not apply, if so; also if one that it needs has not passed. */
  unfit(check: Check<W>, before: readonly Result[]): string | undefined;
}

/** Runs checks one after the other, and removes all made objects at the end. */
export async function carryOut<W extends Ground>(course: Course<W>, options: RunOptions): Promise<Report> {
  const { role, world, checks } = course;
  const results: Result[] = [];
  const left: string[] = [];
  try {
    await course.begin();
    for (const check of chosen(checks, options.only)) {
      await course.prepare(check);
      const began = options.clock.monotonic();
      const outcome = await outcomeOf(course, check, results);
      options.signal.throwIfAborted();
      const { id, part, level, title, source } = check;
      const result = { id, part, level, title, source, outcome, ms: options.clock.monotonic() - began };
      results.push(result);
      options.onResult(result);
    }
  } finally {
    if (!options.keep) left.push(...(await world.remove()));
  }
  return { role, results, left };
}

/** The chosen checks, with all that they need. */
function chosen<W>(checks: readonly Check<W>[], only: readonly string[] | undefined): readonly Check<W>[] {
  if (only === undefined) return checks;
  const wanted = new Set(only);
  // A check needs only earlier ones.
  for (const { id, needs = [] } of checks.toReversed()) if (wanted.has(id)) for (const need of needs) wanted.add(need);
  return checks.filter(({ id }) => wanted.has(id));
}

async function outcomeOf<W>(course: Course<W>, check: Check<W>, before: readonly Result[]): Promise<Outcome> {
  const why = course.unfit(check, before);
  if (why !== undefined) return { kind: 'skipped', why };
  try {
    const figure = await check.run(course.world);
    return figure === undefined ? { kind: 'passed' } : { kind: 'measured', figure };
  } catch (error) {
    return { kind: 'failed', why: messageOf(error) };
  }
}

/** The needed checks that have not passed, as a reason to skip a check; undefined if all passed. */
export function unmet<W>(
  { needs = [] }: Check<W>,
  before: readonly Result[],
  isMet: (result: Result | undefined) => boolean = (result) => result?.outcome.kind === 'passed',
): string | undefined {
  const missing = needs.filter((need) => !isMet(before.find(({ id }) => id === need)));
  return missing.length === 0 ? undefined : `it needs ${missing.join(', ')}`;
}
