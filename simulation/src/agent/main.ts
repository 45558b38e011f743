import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { activate, mutants } from '@hawser/mutants';
import { describeFault } from '../fault.js';
import { type Task, runAll } from '../pool.js';
import { printedLog } from '../printed-log.js';
import { simulateAgent } from './simulate-agent.js';

const MOST_SEEDS_PER_MUTANT = 40;
/** Seeds around the one that is known to find a mutant. */
const SEEDS_NEAR = 5;

const HELP = `npm run simulate -- --agent [options]

  --seeds N      how many seeds (default 20);  --from N: the first one (default 1)
  --seed N       this one seed, with its faults and the end of its trace
  --trace N      with --seed: how many lines of the trace (default 60)
  --log          with --seed: what the agents log, as it comes
  --mutant M     with a mutant
  --mutants      looks for each mutant where it was found before, and in the seeds after that
  --search-mutants  looks for each mutant of the agent in up to ${MOST_SEEDS_PER_MUTANT} seeds from 1 on
  --workers N    processes (default: one per core)
  --results F    writes {"passed":…,"failed":…} to a file
`;

const { values } = parseArgs({
  options: {
    agent: { type: 'boolean' },
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'string', default: '60' },
    log: { type: 'boolean', default: false },
    mutant: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    'search-mutants': { type: 'boolean', default: false },
    workers: { type: 'string', default: String(availableParallelism()) },
    results: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const workers = Number(values.workers);
const startedAt = performance.now();
const tally = { passed: 0, failed: 0 };

activate(values.mutant);
if (values.help) process.stdout.write(HELP);
else if (values.seed !== undefined) await one(Number(values.seed));
else {
  await many(Number(values.from), Number(values.seeds), values.mutant);
  if (values.mutants || values['search-mutants']) await findMutants(values['search-mutants']);
  if (values.results !== undefined) writeFileSync(values.results, `${JSON.stringify(tally)}\n`);
}

/** One run, for people. */
async function one(seed: number): Promise<void> {
  const { schedule, trace, violations, requests, virtualMs, convergedMs, digest } = await simulateAgent({
    seed,
    keepTrace: Number(values.trace),
    logger: values.log ? (name) => printedLog(name) : undefined,
  });
  for (const fault of schedule.faults) process.stdout.write(`${describeFault(fault)}\n`);
  for (const line of trace) process.stdout.write(line);
  for (const { atMs, invariant, what } of violations)
    process.stdout.write(`at ${(atMs / 1_000).toFixed(1)} s: ${invariant}: ${what}\n`);
  if (violations.length > 0) process.exitCode = 1;
  process.stdout.write(
    `seed ${seed}: ${violations.length === 0 ? 'holds' : 'FAILS'}; ${requests} requests in ${(virtualMs / 3_600_000).toFixed(1)} virtual hours, ${convergedMs === undefined ? 'never in step' : `in step ${convergedMs / 1_000} s after the last fault`}, digest ${digest}\n`,
  );
}

async function many(from: number, seeds: number, mutant: string | undefined): Promise<void> {
  let begun = 0;
  await runAll(
    () => (begun >= seeds ? undefined : task(from + begun++, mutant)),
    Math.min(workers, seeds),
    ({ seed }, { violations }) => {
      if (violations.length === 0) {
        tally.passed++;
        return;
      }
      tally.failed++;
      process.exitCode = 1;
      for (const { invariant, what } of violations.slice(0, 3))
        process.stdout.write(`seed ${seed} FAILS: ${invariant}: ${what}\n`);
      process.stdout.write(`  replay: npm run simulate -- --agent --seed ${seed}\n`);
    },
    mutant !== undefined,
  );
  process.stdout.write(`${seeds} seeds of the agent, ${tally.failed} failing, ${seconds()} s\n`);
}

/**
 * Shows that the simulation finds mistakes in the agent: in the known seed, and the next few; `fromScratch`: in up to
 * 200 seeds.
 */
async function findMutants(fromScratch: boolean): Promise<void> {
  const sought = mutants.filter(({ edits, foundBy }) =>
    fromScratch ? edits.some(({ file }) => file.startsWith('packages/syncagent/')) : foundBy.agentSeed !== undefined,
  );
  const left = sought.values();
  const searchers = Array.from({ length: workers }, async () => {
    for (const { name, foundBy } of left) await findMutant(name, fromScratch ? undefined : foundBy.agentSeed);
  });
  await Promise.all(searchers);
  process.stdout.write(`${sought.length} mutants of the agent, ${seconds()} s\n`);
}

async function findMutant(name: string, seed: number | undefined): Promise<void> {
  const first = seed ?? 1;
  const most = seed === undefined ? MOST_SEEDS_PER_MUTANT : SEEDS_NEAR;
  let begun = 0;
  let found: string | undefined;
  await runAll(
    () => (found !== undefined || begun >= most ? undefined : task(first + begun++, name)),
    1,
    (run, { violations: [violation] }) => {
      if (violation !== undefined) found = `seed ${run.seed}, ${violation.invariant}: ${violation.what}`;
    },
    true,
  );
  if (found === undefined) {
    tally.failed++;
    process.exitCode = 1;
    process.stdout.write(`${name}: NOT FOUND in ${most} seeds from ${first}\n`);
  } else {
    tally.passed++;
    process.stdout.write(`${name}: found by ${found}\n`);
  }
}

function task(seed: number, mutant: string | undefined): Task {
  return { agent: true, seed, hours: 0, objects: 0, mutant };
}

function seconds(): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(0);
}
