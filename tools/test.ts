// `npm test`: runs every check, with one total. `npm test -- lint typecheck` runs only those stages, `--list` names
// them.
import { parseArgs } from 'node:util';
import { type Stage, type StageResult, skippedStage } from './test/stage.ts';
import { stages } from './test/stages.ts';
import { add, nothing, oneFailed, total } from './test/tally.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false } },
});
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
  const startedAt = performance.now();
  const computing = chosen.filter(({ computes }) => computes === true);
  const behind = [
    ...computing.filter(({ after }) => after === undefined),
    ...computing.filter(({ after }) => after !== undefined),
  ];
  const before = chosen.filter(({ computes }) => computes !== true);
  const areBoth = behind.length > 0 && before.length > 0;
  const ended = new Map<Stage, { readonly result: StageResult; readonly line: string }>();
  const ends = new Map(before.map(({ name }) => [name, Promise.withResolvers<undefined>()]));
  const inLine = async (stagesOfLine: readonly Stage[], isBehind: boolean): Promise<void> => {
    for (const stage of stagesOfLine) {
      await ends.get(stage.after ?? '')?.promise;
      console.log(`\n==> ${stage.name}${isBehind ? ', behind the others' : ''}`);
      const stageStartedAt = performance.now();
      const result = await runOne(stage, isBehind);
      const line = `${stage.name.padEnd(10)} ${seconds(stageStartedAt).padStart(7)}  ${total(result.tally)}`;
      console.log(`<== ${line}`);
      ended.set(stage, { result, line });
      ends.get(stage.name)?.resolve(undefined);
    }
  };
  await Promise.all([inLine(behind, areBoth), inLine(before, false)]);
  const outcomes = chosen.flatMap((stage) => ended.get(stage) ?? []);
  const sum = outcomes.map(({ result }) => result.tally).reduce(add, nothing);
  const lines = outcomes.flatMap(({ line, result }) => [line, ...result.notes.map((note) => `    ${note}`)]);
  console.log(`\n${lines.join('\n')}\nall in ${seconds(startedAt)}\n\n${total(sum)}`);
  if (sum.failed > 0) process.exitCode = 1;
}

async function runOne(stage: Stage, behind: boolean): Promise<StageResult> {
  const reason = stage.skip?.();
  if (reason !== undefined) return skippedStage(reason);
  try {
    return await stage.run(behind);
  } catch (error) {
    return {
      tally: oneFailed,
      notes: [`failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`],
    };
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
