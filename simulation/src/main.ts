import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { activate, mutants } from '@hawser/mutants';
import { addChaos, noChaos } from './chaos.js';
import { describeFault } from './fault.js';
import { minimise } from './minimise.js';
import { printedLog } from './printed-log.js';
import { type Report, type Task, runAll } from './pool.js';
import { record, regressions } from './regressions.js';
import type { DialectName } from './settings.js';
import { type SimulationOptions, simulate } from './simulate.js';

/** What finds a mutant: a seed, or the run of a regression. Neither: any of the first seeds. */
interface Finder {
  readonly seed?: number | undefined;
  readonly regression?: string | undefined;
  readonly dialect?: DialectName | undefined;
}

/** Mutants that the simulation finds. */
const known = new Map(
  mutants.flatMap(({ name, foundBy: { seed, coreKbindSeed, regression } }): (readonly [string, Finder])[] => {
    // Runs in the dialect that is known to find it, whatever the seed would draw.
    if (coreKbindSeed !== undefined) return [[name, { seed: coreKbindSeed, dialect: 'core.kbind.io' }]];
    if (seed === undefined && regression === undefined) return [];
    return [[name, { seed: seed === 'any' ? undefined : seed, regression, dialect: 'kube-bind.io' }]];
  }),
);

const HELP = `npm run simulate -- [options]

  --seeds N      how many seeds (default 100), besides every run that ever failed
  --budget S     no more seeds once they have cost S seconds of CPU;  --least N: but so many (default 60)
  --only-seeds   without the runs that ever failed
  --from N       the first seed (default: by the time of day; it is printed)
  --seed N       this one seed, with its faults and the end of its trace
  --regression N a run that failed and was recorded, in the same way
  --trace N      with --seed: how many lines of the trace (default 60)
  --log          with --seed: what the processes log, as it comes
  --minimise     with --seed: look for a smaller schedule that fails in the same way
  --record N     with --seed: keep the run as a regression with that name;  --found T: what was wrong
  --hours N      virtual hours with faults (default 1);  --days N: the same in days
  --objects N    objects of users (default 24)
  --dialect D    all seeds in kube-bind.io, or in core.kbind.io (default: a third of them in core.kbind.io)
  --mutant M     with a mutant: ${[...known.keys()].join(', ')}
  --mutants      looks for each mutant where it was found before, and in the seeds after that
  --search-mutants  looks for each mutant in up to 200 seeds from 1 on
  --workers N    processes (default: one per core)
  --results F    writes {"passed":…,"failed":…} to a file;  --summary F: what went wrong in these runs, and what was found
`;

const MOST_SEEDS_PER_MUTANT = 200;
/** Seeds around the one that is known to find a mutant. */
const SEEDS_NEAR = 10;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    budget: { type: 'string' },
    least: { type: 'string', default: '60' },
    from: { type: 'string' },
    seed: { type: 'string' },
    regression: { type: 'string' },
    record: { type: 'string' },
    found: { type: 'string', default: '' },
    hours: { type: 'string' },
    days: { type: 'string' },
    objects: { type: 'string', default: '24' },
    dialect: { type: 'string' },
    workers: { type: 'string', default: String(availableParallelism()) },
    mutant: { type: 'string' },
    trace: { type: 'string', default: '60' },
    results: { type: 'string' },
    summary: { type: 'string' },
    log: { type: 'boolean', default: false },
    minimise: { type: 'boolean', default: false },
    'only-seeds': { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    'search-mutants': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const size = {
  hours: values.days === undefined ? Number(values.hours ?? '1') : 24 * Number(values.days),
  objects: Number(values.objects),
  dialect: (['kube-bind.io', 'core.kbind.io'] as const).find((dialect) => dialect === values.dialect),
};
const workers = Number(values.workers);
const startedAt = performance.now();
const tally = { passed: 0, failed: 0 };
const summary = {
  seeds: 0,
  regressions: 0,
  failing: 0,
  virtualHours: 0,
  requests: 0,
  chaos: noChaos,
  mutants: 0,
  found: 0,
};
const recorded = regressions();

const chosen = mutants.find(({ name }) => name === values.mutant)?.name;
const regression = values.regression === undefined ? undefined : recorded.get(values.regression);
if (values.help) print(HELP);
else if (values.mutant !== undefined && chosen === undefined) print(`no such mutant: ${values.mutant}\n`, 2);
else if (values.regression !== undefined && regression === undefined)
  print(`no such regression: ${values.regression}\n`, 2);
else if (regression !== undefined) await one(regression, chosen);
else if (values.seed !== undefined) await one({ ...size, seed: Number(values.seed) }, chosen);
else {
  await many(Number(values.seeds), Number(values.from ?? Date.now() % 1_000_000_000), chosen);
  if (values.mutants || values['search-mutants']) await findMutants(values['search-mutants']);
  if (values.results !== undefined) writeFileSync(values.results, `${JSON.stringify(tally)}\n`);
  if (values.summary !== undefined) writeFileSync(values.summary, `${JSON.stringify(summary)}\n`);
}

function print(text: string, exitCode?: number): void {
  process.stdout.write(text);
  if (exitCode !== undefined) process.exitCode = exitCode;
}

/** One run, for people. */
async function one(
  run: SimulationOptions & Pick<typeof size, 'hours' | 'objects'>,
  mutant: string | undefined,
): Promise<void> {
  activate(mutant);
  const logger = values.log ? (name: string) => printedLog(name) : undefined;
  const options = { ...run, keepTrace: Number(values.trace), logger };
  let result = await simulate(options);
  if (result.violations.length > 0 && values.minimise) result = await minimise(result, options, 200);
  for (const fault of result.schedule.faults) print(`${describeFault(fault)}\n`);
  for (const line of result.trace) print(line);
  const { seed, settings, schedule, violations, requests, virtualMs, convergedMs, digest } = result;
  for (const { atMs, invariant, what } of violations)
    print(`at ${(atMs / 1_000).toFixed(1)} s: ${invariant}: ${what}\n`, 1);
  print(
    `seed ${seed}: ${violations.length === 0 ? 'holds' : 'FAILS'}; ${requests} requests in ${(virtualMs / 3_600_000).toFixed(1)} virtual hours, ${convergedMs === undefined ? 'never in step' : `in step ${convergedMs / 1_000} s after the last fault`}, digest ${digest}\n`,
  );
  if (values.record !== undefined)
    print(
      `recorded in ${record(values.record, { found: values.found, seed, hours: run.hours, objects: run.objects, settings, schedule })}\n`,
    );
}

/** Every run that ever failed, and fresh seeds. */
async function many(seeds: number, from: number, mutant: string | undefined): Promise<void> {
  const again: Task[] = [...(values['only-seeds'] ? [] : recorded)].map(
    ([name, { seed, hours, objects, settings, schedule }]) => ({
      name,
      seed,
      hours,
      objects,
      settings,
      schedule,
      mutant,
    }),
  );
  const budgetMs = values.budget === undefined ? Infinity : Number(values.budget) * 1_000;
  print(
    `${values.budget === undefined ? '' : 'up to '}${seeds} seeds from ${from}, ${size.hours} virtual hours each${again.length === 0 ? '' : `, and ${again.length} runs that failed before`}\n`,
  );
  let begun = 0;
  let virtualHours = 0;
  let cpuMs = 0;
  const printProgress = (): void => {
    print(
      `${tally.passed + tally.failed - again.length} seeds, ${tally.failed} failing, ${virtualHours.toFixed(0)} virtual hours, ${(cpuMs / 1_000).toFixed(0)} s of CPU, ${seconds()} s\n`,
    );
  };
  const next = (): Task | undefined => {
    const first = again[begun];
    const index = begun - again.length;
    if (first === undefined && (index >= seeds || (cpuMs >= budgetMs && index >= Number(values.least))))
      return undefined;
    begun++;
    return first ?? { ...size, seed: from + index, mutant };
  };
  await runAll(next, Math.min(workers, again.length + seeds), (task, report) => {
    virtualHours += report.virtualMs / 3_600_000;
    cpuMs += report.cpuMs;
    summary[task.name === undefined ? 'seeds' : 'regressions']++;
    summary.requests += report.requests;
    summary.chaos = addChaos(summary.chaos, report.chaos);
    if (report.violations.length === 0) tally.passed++;
    else fail(task, report);
    if ((tally.passed + tally.failed) % 25 === 0) printProgress();
  });
  summary.virtualHours = virtualHours;
  summary.failing = tally.failed;
  printProgress();
}

function fail({ name, seed, hours, objects }: Task, { violations }: Report): void {
  tally.failed++;
  for (const { invariant, what } of violations.slice(0, 3))
    print(`${name ?? `seed ${seed}`} FAILS: ${invariant}: ${what}\n`, 1);
  print(
    `  replay: npm run simulate -- ${name === undefined ? `--seed ${seed} --hours ${hours} --objects ${objects}` : `--regression ${name}`} --minimise\n`,
  );
}

/** Shows that the simulation finds mutants: several at a time with known seeds, else several seeds of one. */
async function findMutants(fromScratch: boolean): Promise<void> {
  const spent = { cpuMs: 0 };
  const left = known.entries();
  const searchers = Array.from({ length: fromScratch ? 1 : workers }, async () => {
    for (const [name, finder] of left)
      await findMutant(name, fromScratch ? { dialect: finder.dialect } : finder, spent);
  });
  await Promise.all(searchers);
  summary.mutants = known.size;
  print(`${known.size} mutants, ${(spent.cpuMs / 1_000).toFixed(0)} s of CPU, ${seconds()} s\n`);
}

async function findMutant(name: string, finder: Finder, spent: { cpuMs: number }): Promise<void> {
  const run = finder.regression === undefined ? undefined : recorded.get(finder.regression);
  const { seed = run?.seed } = finder;
  const first = seed ?? 1;
  const most = run !== undefined ? 1 : seed === undefined ? MOST_SEEDS_PER_MUTANT : SEEDS_NEAR;
  let begun = 0;
  let found: { readonly seed: number; readonly by: string } | undefined;
  await runAll(
    () =>
      found !== undefined || begun >= most
        ? undefined
        : { ...size, dialect: finder.dialect, ...run, seed: first + begun++, mutant: name },
    seed === undefined ? workers : 1,
    (task, { violations: [violation], cpuMs }) => {
      spent.cpuMs += cpuMs;
      if (violation !== undefined && (found === undefined || task.seed < found.seed))
        found = { seed: task.seed, by: `${violation.invariant}: ${violation.what}` };
    },
    true,
  );
  if (found === undefined) {
    tally.failed++;
    print(
      `${name}: NOT FOUND ${run === undefined ? `in ${most} seeds from ${first}` : `by ${finder.regression ?? ''}`}\n`,
      1,
    );
  } else {
    tally.passed++;
    summary.found++;
    print(`${name}: found by seed ${found.seed}, ${found.by}\n`);
  }
}

function seconds(): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(0);
}
