import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { run, type RunOptions } from '../run.ts';
import { display, root } from '../workspace.ts';
import {
  add,
  type JestReport,
  nothing,
  ofJest,
  oneFailed,
  onePassed,
  oneSkipped,
  skippedByFile,
  type Tally,
} from './tally.ts';

/** What came out of a stage. `notes` are printed under its line: why it failed, or why something was skipped. */
export interface StageResult {
  readonly tally: Tally;
  readonly notes: readonly string[];
}

/** One part of `npm test`. */
export interface Stage {
  readonly name: string;
  /** Why there is nothing to do, or undefined if there is. */
  readonly skip?: () => string | undefined;
  /** Set: it only computes, so it runs behind the other stages, which wait much, and not in line with them. */
  readonly computes?: true;
  /** With `computes`: the stage that has to have ended before, if it runs at all. */
  readonly after?: string;
  /** @param behind others run: see {@link RunOptions.behind}. For a stage that `computes`. */
  readonly run: (behind: boolean) => Promise<StageResult>;
}

const passedStage: StageResult = { tally: onePassed, notes: [] };

function failedStage(...notes: readonly string[]): StageResult {
  return { tally: oneFailed, notes };
}

export function skippedStage(reason: string): StageResult {
  return { tally: oneSkipped, notes: [`skipped: ${reason}`] };
}

/** Adds up what several checks of one stage gave. */
export function combine(results: readonly StageResult[]): StageResult {
  return {
    tally: results.map(({ tally }) => tally).reduce(add, nothing),
    notes: results.flatMap(({ notes }) => notes),
  };
}

/** A command that counts as one check. */
export async function command(program: string, args: readonly string[], options?: RunOptions): Promise<StageResult> {
  const { ok, how } = await run(program, args, options);
  return ok ? passedStage : failedStage(`failed: ${call(program, args)} (${how})`);
}

/** A command that runs jest, which writes its report to `reportFile`. Without a report the command counts as one check. */
export async function jest(
  reportFile: string,
  program: string,
  args: readonly string[],
  options?: RunOptions,
): Promise<StageResult> {
  mkdirSync(dirname(reportFile), { recursive: true });
  rmSync(reportFile, { force: true });
  const { ok, how } = await run(program, args, options);
  if (!existsSync(reportFile)) return ok ? passedStage : failedStage(`failed: ${call(program, args)} (${how})`);
  const report = JSON.parse(readFileSync(reportFile, 'utf8')) as JestReport;
  const tally = ofJest(report);
  const notes = [
    ...report.testResults.flatMap(({ name, assertionResults, message }) => {
      const failed = assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName }) => `failed: ${display(name)}: ${fullName}`);
      return failed.length === 0 && message !== '' && assertionResults.length === 0
        ? [`failed: ${display(name)} does not load`]
        : failed;
    }),
    ...[...skippedByFile(report)].map(([file, count]) => `skipped: ${count} in ${display(file)}`),
  ];
  // Jest passed and its command did not: something beside the tests went wrong, a leaked server for example.
  if (!ok && tally.failed === 0)
    return { tally: add(tally, oneFailed), notes: [...notes, `failed: ${call(program, args)} (${how})`] };
  return { tally, notes };
}

/** A command that writes how many checks it made, and how they ended, to `reportFile`. Without a report it counts as one. */
export async function counted(
  reportFile: string,
  program: string,
  args: readonly string[],
  options?: RunOptions,
): Promise<StageResult> {
  mkdirSync(dirname(reportFile), { recursive: true });
  rmSync(reportFile, { force: true });
  const { ok, how } = await run(program, args, options);
  if (!existsSync(reportFile)) return ok ? passedStage : failedStage(`failed: ${call(program, args)} (${how})`);
  const tally: Tally = { ...nothing, ...(JSON.parse(readFileSync(reportFile, 'utf8')) as Partial<Tally>) };
  if (ok) return { tally, notes: [] };
  return {
    tally: tally.failed === 0 ? add(tally, oneFailed) : tally,
    notes: [`failed: ${call(program, args)} (${how})`],
  };
}

function call(program: string, args: readonly string[]): string {
  return [basename(program), ...args.map((arg) => arg.replace(root, '.'))].join(' ');
}
