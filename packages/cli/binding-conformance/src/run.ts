import { messageOf } from '@hawser/client';
import type { Check, Level, Part } from './check.js';
import { backendChecks } from './checks/backend.js';
import { claimChecks } from './checks/claims.js';
import { connectionChecks, disturbingChecks } from './checks/connection.js';
import { endingChecks } from './checks/ending.js';
import { measures } from './checks/measures.js';
import { objectChecks } from './checks/objects.js';
import { schemaChecks } from './checks/schemas.js';
import { type Role, World, type WorldOptions } from './world.js';

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
  readonly role: Role;
  readonly results: readonly Result[];
  /** What could not be removed. */
  readonly left: readonly string[];
}

export interface RunOptions extends WorldOptions {
  /** Told of each result as it comes. */
  readonly tell: (result: Result) => void;
  /** Leave everything where it is, to look at it. */
  readonly keep: boolean;
  /** Only these, and what they need. Default: all. */
  readonly only?: readonly string[] | undefined;
}

/** All of them, in the order in which they are carried out. */
export const checks: readonly Check[] = [
  ...backendChecks,
  ...connectionChecks,
  ...objectChecks,
  ...claimChecks,
  ...schemaChecks,
  ...measures,
  ...disturbingChecks,
  ...endingChecks,
];

/**
 * Checks a pair of programs, or one of them, from outside: by what stands in the API servers. Everything that it makes has names of its own, and is removed at the end.
 * @throws Deviation if the clusters are not fit for it, ApiError if they do not answer; nothing is left then either
 */
export async function runConformance(options: RunOptions): Promise<Report> {
  const { role, keep, tell, clock } = options;
  const world = new World(options);
  await world.assertFree();
  const results: Result[] = [];
  const left: string[] = [];
  try {
    await world.onboard();
    if (role === 'konnector') await world.backend.offer(world.name, world.api);
    let isBound = false;
    for (const check of chosen(options.only)) {
      if (check.part === 'konnector' && role !== 'provider' && !isBound) {
        await world.bind();
        isBound = true;
      }
      const began = clock.monotonic();
      const outcome = await outcomeOf(world, check, role, results);
      options.signal.throwIfAborted();
      const { id, part, level, title, source } = check;
      const result = { id, part, level, title, source, outcome, ms: clock.monotonic() - began };
      results.push(result);
      tell(result);
    }
  } finally {
    if (!keep) left.push(...(await world.remove()));
  }
  return { role, results, left };
}

/** With everything that they need. */
function chosen(only: readonly string[] | undefined): readonly Check[] {
  if (only === undefined) return checks;
  const wanted = new Set(only);
  // A check needs only what comes before it.
  for (const { id, needs = [] } of checks.toReversed()) if (wanted.has(id)) for (const need of needs) wanted.add(need);
  return checks.filter(({ id }) => wanted.has(id));
}

async function outcomeOf(world: World, check: Check, role: Role, before: readonly Result[]): Promise<Outcome> {
  const why = unfit(check, role, before);
  if (why !== undefined) return { kind: 'skipped', why };
  try {
    const figure = await check.run(world);
    return figure === undefined ? { kind: 'passed' } : { kind: 'measured', figure };
  } catch (error) {
    return { kind: 'failed', why: messageOf(error) };
  }
}

function unfit({ part, backend, needs = [] }: Check, role: Role, before: readonly Result[]): string | undefined {
  if (part === 'konnector' && role === 'provider') return 'no konnector is looked at';
  if (part === 'backend' && role === 'konnector') return 'no backend is looked at';
  if (backend === 'playedByUs' && role === 'pair') return 'the backend would have to be played by the checks';
  const missing = needs.filter((need) => {
    const found = before.find(({ id }) => id === need);
    // What a backend has to do for it, the checks have done.
    return found?.outcome.kind !== 'passed' && !(found?.part === 'backend' && role === 'konnector');
  });
  return missing.length === 0 ? undefined : `it needs ${missing.join(', ')}`;
}
