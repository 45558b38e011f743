import { messageOf } from '@hawser/client';
import type { Check, Level, Part } from './check.js';
import type { Ground, GroundOptions } from './ground.js';

export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'measured'; readonly figure: string }
  | { readonly kind: 'failed'; readonly why: string }
  /** It says nothing here, for this reason. */
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
  /** Which programs were looked at: `pair`, `konnector`, `provider` or `agent`. */
  readonly role: string;
  readonly results: readonly Result[];
  /** What could not be removed. */
  readonly left: readonly string[];
}

export interface RunOptions extends GroundOptions {
  /** Told of each result as it comes. */
  readonly tell: (result: Result) => void;
  /** Leave everything where it is, to look at it. */
  readonly keep: boolean;
  /** Only these, and what they need. Default: all. */
  readonly only?: readonly string[] | undefined;
}

/** A kind of run: where, and what. */
export interface Course<W> {
  readonly role: string;
  readonly world: W;
  /** All that there are. */
  readonly checks: readonly Check<W>[];
  /** What there must be before the first check. */
  begin(): Promise<void>;
  /** What a check needs before it. */
  prepare(check: Check<W>): Promise<void>;
  /** Why a check says nothing here, if it does not; also where one that it needs has not passed. */
  unfit(check: Check<W>, before: readonly Result[]): string | undefined;
}

/** Carries checks out one after the other, and removes what was made at the end. */
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
      options.tell(result);
    }
  } finally {
    if (!options.keep) left.push(...(await world.remove()));
  }
  return { role, results, left };
}

/** With everything that they need. */
function chosen<W>(checks: readonly Check<W>[], only: readonly string[] | undefined): readonly Check<W>[] {
  if (only === undefined) return checks;
  const wanted = new Set(only);
  // A check needs only what comes before it.
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

/** Which of the checks that one needs have not passed, as a reason to skip it; undefined where none is missing. */
export function unmet<W>(
  { needs = [] }: Check<W>,
  before: readonly Result[],
  isMet: (result: Result | undefined) => boolean = (result) => result?.outcome.kind === 'passed',
): string | undefined {
  const missing = needs.filter((need) => !isMet(before.find(({ id }) => id === need)));
  return missing.length === 0 ? undefined : `it needs ${missing.join(', ')}`;
}
