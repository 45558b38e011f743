// `npm run chaos [-- --seeds N] [--without-mutants]`: runs the simulation with its mutants over unchosen seeds. Appends
// the outcome to docs/reference/chaos.json, one line per commit, and generates docs/reference/chaos.md from it. --check
// runs nothing, and fails if the page is out of date.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ChaosRun, type Summary, chaosMarkdown } from './chaos/markdown.ts';
import { run } from './run.ts';
import { readJson, root } from './workspace.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '300' },
    'without-mutants': { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
const kept = join(root, 'docs/reference/chaos.json');
const page = join(root, 'docs/reference/chaos.md');
const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

const runs = readJson<readonly ChaosRun[]>(kept);
if (values.check) {
  if (readFileSync(page, 'utf8') !== chaosMarkdown(runs)) {
    console.error('docs/reference/chaos.md is not what chaos.json says: npm run chaos');
    process.exitCode = 1;
  }
} else {
  if (git('status', '--porcelain', '--', 'packages', 'apps', 'simulation') !== '')
    throw new Error('there are changes that no commit has: the line would be of another program');
  const commit = git('rev-parse', 'HEAD');
  const file = join(root, 'tmp', 'results', 'chaos.json');
  mkdirSync(dirname(file), { recursive: true });
  // Drawn from the commit: not chosen by hand, and repeatable.
  const from = 1_000_000 + Number.parseInt(commit.slice(0, 7), 16);
  const { ok, how } = await run(
    process.execPath,
    [
      'tools/simulate.ts',
      '--seeds',
      values.seeds,
      '--from',
      String(from),
      ...(values['without-mutants'] ? ['--only-seeds'] : ['--mutants']),
      '--summary',
      file,
    ],
    { timeoutMs: 3 * 60 * 60_000 },
  );
  if (!ok) console.error(`the simulation: ${how}`);
  const summary = readJson<Summary>(file);
  const line: ChaosRun = { commit, at: new Date().toISOString().slice(0, 10), from, ...summary };
  const all = [line, ...runs.filter((one) => one.commit !== commit)];
  writeFileSync(kept, `${JSON.stringify(all, undefined, 2)}\n`);
  writeFileSync(page, chaosMarkdown(all));
  if (!ok) process.exitCode = 1;
}
