import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { describeFault } from './fault.js';
import { minimise } from './minimise.js';
import { type Defect, defects, plant } from './planted.js';
import { type Report, type Task, runAll } from './pool.js';
import { regressions } from './regressions.js';
import { simulate } from './simulate.js';

const HELP = `npm run simulate -- [options]

  --seeds N      how many seeds (default 100), besides every one that ever failed
  --from N       the first seed (default: by the time of day; it is printed)
  --seed N       this one seed, with its faults and the end of its trace
  --trace N      with --seed: how many lines of the trace (default 60)
  --minimise     with --seed: look for a smaller schedule that fails in the same way
  --hours N      virtual hours with faults (default 1);  --days N: the same in days
  --objects N    objects of users (default 24)
  --planted D    with a planted defect: ${defects.join(', ')}
  --defects      looks for each planted defect, in up to 200 seeds
  --workers N    processes (default: one per core)
  --results F    writes {"passed":…,"failed":…} to a file
`;

const MOST_SEEDS_PER_DEFECT = 200;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' }, from: { type: 'string' }, seed: { type: 'string' }, hours: { type: 'string' }, days: { type: 'string' },
    objects: { type: 'string', default: '24' }, workers: { type: 'string', default: String(availableParallelism()) }, planted: { type: 'string' }, trace: { type: 'string', default: '60' }, results: { type: 'string' },
    minimise: { type: 'boolean', default: false }, defects: { type: 'boolean', default: false }, help: { type: 'boolean', default: false },
  },
});
const size = { hours: values.days === undefined ? Number(values.hours ?? '1') : 24 * Number(values.days), objects: Number(values.objects) };
const workers = Number(values.workers);
const startedAt = performance.now();
const tally = { passed: 0, failed: 0 };

const planted = defects.find((name) => name === values.planted);
if (values.help) print(HELP);
else if (values.planted !== undefined && planted === undefined) print(`no such defect: ${values.planted}\n`, 2);
else if (values.seed !== undefined) await one(Number(values.seed), planted);
else {
  await many(Number(values.seeds), Number(values.from ?? Date.now() % 1_000_000_000), planted);
  if (values.defects) await findDefects();
  if (values.results !== undefined) writeFileSync(values.results, `${JSON.stringify(tally)}\n`);
}

function print(text: string, exitCode?: number): void {
  process.stdout.write(text);
  if (exitCode !== undefined) process.exitCode = exitCode;
}

/** One seed, for people. */
async function one(seed: number, defect: Defect | undefined): Promise<void> {
  plant(defect);
  const options = { ...size, seed, keepTrace: Number(values.trace) };
  let result = await simulate(options);
  if (result.violations.length > 0 && values.minimise) result = await minimise(result, options, 200);
  for (const fault of result.schedule.faults) print(`${describeFault(fault)}\n`);
  for (const line of result.trace) print(line);
  const { violations, requests, virtualMs, convergedMs, digest } = result;
  for (const { atMs, invariant, what } of violations) print(`at ${(atMs / 1_000).toFixed(1)} s: ${invariant}: ${what}\n`, 1);
  print(`seed ${seed}: ${violations.length === 0 ? 'holds' : 'FAILS'}; ${requests} requests in ${(virtualMs / 3_600_000).toFixed(1)} virtual hours, ${convergedMs === undefined ? 'never in step' : `in step ${convergedMs / 1_000} s after the last fault`}, digest ${digest}\n`);
}

/** Every seed that ever failed, and fresh ones. */
async function many(seeds: number, from: number, defect: Defect | undefined): Promise<void> {
  const tasks: Task[] = [...regressions, ...Array.from({ length: seeds }, (_, index) => ({ ...size, seed: from + index }))].map(({ seed, hours, objects }) => ({ seed, hours, objects, planted: defect }));
  print(`${seeds} seeds from ${from}, ${size.hours} virtual hours each, and ${regressions.length} that failed before\n`);
  let next = 0;
  let virtualHours = 0;
  await runAll(() => tasks[next++], Math.min(workers, tasks.length), (task, report) => {
    virtualHours += report.virtualMs / 3_600_000;
    if (report.violations.length === 0) tally.passed++;
    else fail(task, report);
    const done = tally.passed + tally.failed;
    if (done % 25 === 0 || done === tasks.length) print(`${done} of ${tasks.length} seeds, ${tally.failed} failing, ${virtualHours.toFixed(0)} virtual hours in ${seconds()} s\n`);
  });
}

function fail({ seed, hours, objects }: Task, { violations }: Report): void {
  tally.failed++;
  for (const { invariant, what } of violations.slice(0, 3)) print(`seed ${seed} FAILS: ${invariant}: ${what}\n`, 1);
  print(`  replay: npm run simulate -- --seed ${seed} --hours ${hours} --objects ${objects} --minimise\n`);
}

/** Shows that the simulation finds what is planted. */
async function findDefects(): Promise<void> {
  for (const defect of defects) {
    let seed = 0;
    let found: { readonly seed: number; readonly by: string } | undefined;
    await runAll(
      () => (found !== undefined || seed >= MOST_SEEDS_PER_DEFECT ? undefined : { ...size, seed: ++seed, planted: defect }),
      workers,
      (task, { violations: [first] }) => {
        if (first !== undefined && (found === undefined || task.seed < found.seed)) found = { seed: task.seed, by: `${first.invariant}: ${first.what}` };
      },
    );
    if (found === undefined) {
      tally.failed++;
      print(`${defect}: NOT FOUND in ${MOST_SEEDS_PER_DEFECT} seeds\n`, 1);
    } else {
      tally.passed++;
      print(`${defect}: found by seed ${found.seed}, ${found.by}\n`);
    }
  }
  print(`${defects.length} defects in ${seconds()} s\n`);
}

function seconds(): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(0);
}
