/**
 * Runs the suite by hand:
 *
 *     show real|embedded [filter …]     prints transcripts
 *     record [filter …]                 writes the real API server's answers into recorded/
 *     check real|embedded [filter …]    prints differences between a server and the recording
 *     explore [runs] [seed]             compares both servers on random sequences until they differ
 *
 * A filter is a part of `group: title`.
 */
import { stringify } from '@hawser/json';
import { parseArgs } from 'node:util';
import type { Case } from './case.js';
import { everyCase } from './every-case.js';
import type { Transcript } from './exchange.js';
import { explore } from './explore.js';
import { judge, judgeEmbedded } from './judge.js';
import { Recording, writeRecording } from './recorded.js';
import { starters } from './starters.js';
import { type Outcome, runCases } from './suite.js';

const { positionals } = parseArgs({ allowPositionals: true });
const [command = '', ...rest] = positionals;

switch (command) {
  case 'show':
    await show(serverNamed(rest[0]), rest.slice(1));
    break;
  case 'record':
    await record(rest);
    break;
  case 'check':
    await check(serverNamed(rest[0]), rest.slice(1));
    break;
  case 'explore':
    await exploreBoth(Number(rest[0] ?? '100'), Number(rest[1] ?? Date.now() % 1_000_000));
    break;
  default:
    console.error('show real|embedded, record, check real|embedded, each with parts of the names of cases; or explore');
    process.exitCode = 2;
}

function serverNamed(name = ''): keyof typeof starters {
  if (name === 'real' || name === 'embedded') return name;
  throw new Error(`there is no server ${name}`);
}

function choose(filters: readonly string[]): readonly Case[] {
  return everyCase.filter(
    ({ group, title }) => filters.length === 0 || filters.some((filter) => `${group}: ${title}`.includes(filter)),
  );
}

async function show(server: keyof typeof starters, filters: readonly string[]): Promise<void> {
  for (const [one, outcome] of await run(server, filters)) {
    console.log(`\n=== ${one.group}: ${one.title}`);
    if ('error' in outcome) console.log(`failed: ${outcome.error.message}`);
    else for (const exchange of outcome.transcript) console.log(stringify(exchange));
  }
}

async function record(filters: readonly string[]): Promise<void> {
  const transcripts = new Map<Case, Transcript>();
  for (const [one, outcome] of await run('real', filters)) {
    if ('error' in outcome) fail(one, [outcome.error.message]);
    else transcripts.set(one, outcome.transcript);
  }
  writeRecording(everyCase, transcripts);
}

async function check(server: keyof typeof starters, filters: readonly string[]): Promise<void> {
  const recording = new Recording();
  let same = 0;
  for (const [one, outcome] of await run(server, filters)) {
    const expected = { name: 'recorded', transcript: recording.transcript(one) };
    const found = server === 'embedded' ? judgeEmbedded(one, expected, outcome) : judge(expected, server, outcome);
    if (found.length > 0) fail(one, found);
    else same++;
  }
  console.log(`\n${same} are as expected`);
}

async function exploreBoth(runs: number, seed: number): Promise<void> {
  const found = await explore(starters.real, starters.embedded, { runs, seed });
  console.log(
    `seed ${seed}: ${found === undefined ? `no difference in ${runs} sequences` : `they differ\n${found.differences.map((line) => `- ${line}`).join('\n')}\n\n${stringify(found.sequence)}`}`,
  );
  if (found !== undefined) process.exitCode = 1;
}

async function run(
  server: keyof typeof starters,
  filters: readonly string[],
): Promise<readonly (readonly [Case, Outcome])[]> {
  const chosen = choose(filters);
  const started = performance.now();
  const outcomes = await runCases(chosen, starters[server]);
  console.error(`${chosen.length} cases in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return chosen.flatMap((one) => {
    const outcome = outcomes.get(one);
    return outcome === undefined ? [] : [[one, outcome] as const];
  });
}

function fail({ group, title }: Case, lines: readonly string[]): void {
  console.log(`\n### ${group}: ${title}\n${lines.map((line) => `- ${line}`).join('\n')}`);
  process.exitCode = 1;
}
