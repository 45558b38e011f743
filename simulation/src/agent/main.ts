import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { activate } from '@hawser/mutants';
import { describeFault } from '../fault.js';
import { printedLog } from '../printed-log.js';
import { simulateAgent } from './simulate-agent.js';

const HELP = `npm run simulate -- --agent [options]

  --seeds N      how many seeds (default 20);  --from N: the first one (default 1)
  --seed N       this one seed, with its faults and the end of its trace
  --trace N      with --seed: how many lines of the trace (default 60)
  --log          with --seed: what the agents log, as it comes
  --mutant M     with a mutant
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
    results: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

activate(values.mutant);
if (values.help) process.stdout.write(HELP);
else if (values.seed !== undefined) await one(Number(values.seed));
else await many(Number(values.from), Number(values.seeds));

/** One run, for people. */
async function one(seed: number): Promise<void> {
  const { plan, trace, violations, requests, virtualMs, convergedMs, digest } = await simulateAgent({
    seed,
    keepTrace: Number(values.trace),
    logger: values.log ? (name) => printedLog(name) : undefined,
  });
  for (const fault of plan.faults) process.stdout.write(`${describeFault(fault)}\n`);
  for (const line of trace) process.stdout.write(line);
  for (const { atMs, invariant, what } of violations)
    process.stdout.write(`at ${(atMs / 1_000).toFixed(1)} s: ${invariant}: ${what}\n`);
  if (violations.length > 0) process.exitCode = 1;
  process.stdout.write(
    `seed ${seed}: ${violations.length === 0 ? 'holds' : 'FAILS'}; ${requests} requests in ${(virtualMs / 3_600_000).toFixed(1)} virtual hours, ${convergedMs === undefined ? 'never in step' : `in step ${convergedMs / 1_000} s after the last fault`}, digest ${digest}\n`,
  );
}

async function many(from: number, seeds: number): Promise<void> {
  const startedAt = performance.now();
  const tally = { passed: 0, failed: 0 };
  for (let seed = from; seed < from + seeds; seed++) {
    const { violations } = await simulateAgent({ seed });
    if (violations.length === 0) tally.passed++;
    else {
      tally.failed++;
      process.exitCode = 1;
      for (const { invariant, what } of violations.slice(0, 3))
        process.stdout.write(`seed ${seed} FAILS: ${invariant}: ${what}\n`);
      process.stdout.write(`  replay: npm run simulate -- --agent --seed ${seed}\n`);
    }
  }
  process.stdout.write(
    `${seeds} seeds of the agent, ${tally.failed} failing, ${((performance.now() - startedAt) / 1_000).toFixed(0)} s\n`,
  );
  if (values.results !== undefined) writeFileSync(values.results, `${JSON.stringify(tally)}\n`);
}
