// `npm test`: every check there is, one total. `npm test -- lint typecheck` runs only those stages, `--list` names them.
import { parseArgs } from 'node:util';
import { type Stage, type StageResult, skippedStage } from './test/stage.ts';
import { stages } from './test/stages.ts';
import { add, nothing, oneFailed, total } from './test/tally.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { list: { type: 'boolean', default: false } } });
const names = stages.map(({ name }) => name);
const unknown = positionals.filter((name) => !names.includes(name));
if (values.list) {
  console.log(names.join('\n'));
} else if (unknown.length > 0) {
  console.error(`unknown stage: ${unknown.join(', ')} (there are: ${names.join(', ')})`);
  process.exitCode = 2;
} else {
  await runAll(stages.filter(({ name }) => positionals.length === 0 || positionals.includes(name)));
}

async function runAll(chosen: readonly Stage[]): Promise<void> {
  const lines: string[] = [];
  let sum = nothing;
  const startedAt = performance.now();
  for (const stage of chosen) {
    console.log(`\n==> ${stage.name}`);
    const before = performance.now();
    const { tally, notes } = await runOne(stage);
    sum = add(sum, tally);
    const line = `${stage.name.padEnd(10)} ${seconds(before).padStart(7)}  ${total(tally)}`;
    console.log(`<== ${line}`);
    lines.push(line, ...notes.map((note) => `    ${note}`));
  }
  console.log(`\n${lines.join('\n')}\nall in ${seconds(startedAt)}\n\n${total(sum)}`);
  if (sum.failed > 0) process.exitCode = 1;
}

async function runOne(stage: Stage): Promise<StageResult> {
  const reason = stage.skip?.();
  if (reason !== undefined) return skippedStage(reason);
  try {
    return await stage.run();
  } catch (error) {
    return { tally: oneFailed, notes: [`failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`] };
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
