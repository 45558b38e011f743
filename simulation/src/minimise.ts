import type { Schedule } from './schedule.js';
import { type SimulationOptions, type SimulationResult, simulate } from './simulate.js';

/**
 * Finds a smaller schedule that still breaks the same invariant: leaves out halves, quarters, … of the faults and then
 * of the actions, while it does. `budget`: most runs.
 */
export async function minimise(
  failing: SimulationResult,
  options: SimulationOptions,
  budget: number,
): Promise<SimulationResult> {
  const invariant = failing.violations[0]?.invariant;
  let best = failing;
  let runs = 0;
  const fails = async (schedule: Schedule): Promise<boolean> => {
    if (runs++ >= budget) return false;
    const result = await simulate({ ...options, settings: best.settings, schedule });
    if (result.violations[0]?.invariant !== invariant) return false;
    best = result;
    return true;
  };
  for (const part of ['faults', 'actions', 'kbindActions'] as const) {
    for (
      let size = Math.ceil(lengthOf(best.schedule, part) / 2);
      size >= 1 && runs < budget;
      size = size === 1 ? 0 : Math.ceil(size / 2)
    ) {
      for (let from = 0; from < lengthOf(best.schedule, part) && runs < budget;) {
        const { schedule } = best;
        const all: readonly object[] = schedule[part] ?? [];
        const left = [...all.slice(0, from), ...all.slice(from + size)];
        if (!(await fails({ ...schedule, [part]: left }))) from += size;
      }
    }
  }
  return best;
}

function lengthOf(schedule: Schedule, part: 'faults' | 'actions' | 'kbindActions'): number {
  return schedule[part]?.length ?? 0;
}
