import type { Check } from '../check.js';
import { type Report, type Result, type RunOptions, carryOut, unmet } from '../run.js';
import { backendChecks } from './checks/backend.js';
import { claimChecks } from './checks/claims.js';
import { connectionChecks, disturbingChecks } from './checks/connection.js';
import { endingChecks } from './checks/ending.js';
import { measures } from './checks/measures.js';
import { objectChecks } from './checks/objects.js';
import { schemaChecks } from './checks/schemas.js';
import { type Role, World, type WorldOptions } from './world.js';

export type BindingRunOptions = RunOptions & WorldOptions;

/** All checks, in the order of execution. */
export const bindingChecks: readonly Check<World>[] = [
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
 * Checks a konnector and a backend, or one of them, from outside: by the objects in the API servers. All objects it
 * makes have names of its own, and it removes them at the end.
 * @throws Deviation if the clusters are unfit for it, ApiError if they do not answer; both leave nothing behind
 */
export async function runBindingConformance(options: BindingRunOptions): Promise<Report> {
  const { role } = options;
  const world = new World(options);
  await world.assertFree();
  let isBound = false;
  return carryOut(
    {
      role,
      world,
      checks: bindingChecks,
      begin: async () => {
        await world.onboard();
        if (role === 'konnector') await world.backend.offer(world.name, world.api);
      },
      prepare: async ({ part }) => {
        if (part !== 'konnector' || role === 'provider' || isBound) return;
        await world.bind();
        isBound = true;
      },
      unfit: (check, before) => unfit(check, role, before),
    },
    options,
  );
}

function unfit(check: Check<World>, role: Role, before: readonly Result[]): string | undefined {
  const { part, backend } = check;
  if (part === 'konnector' && role === 'provider') return 'no konnector is looked at';
  if (part === 'backend' && role === 'konnector') return 'no backend is looked at';
  if (backend === 'playedByUs' && role === 'pair') return 'the backend would have to be played by the checks';
  // The checks have done the part of the backend.
  return unmet(
    check,
    before,
    (found) => found?.outcome.kind === 'passed' || (found?.part === 'backend' && role === 'konnector'),
  );
}
