// `node tools/previous.ts`: builds the previous release candidate (e2e/previous.json) from this repository's history,
// for the e2e suite `upgrade`, and prints its folder. Caches it by commit. A checkout without that commit, such as a
// shallow clone, has none: then the suite is skipped.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cacheFolder } from './programs/go-program.ts';
import { readJson, root } from './workspace.ts';

const { version, commit } = readJson<{ version: string; commit: string }>(join(root, 'e2e/previous.json'));
const folder = join(cacheFolder(process.env), 'previous', commit);

if (existsSync(folder)) console.log(`${version}: ${folder}`);
else process.exitCode = build();

function build(): number {
  if (!runs('git', ['cat-file', '-e', `${commit}^{commit}`], root, 'ignore')) {
    console.log(`${version}: this checkout has no commit ${commit}`);
    return 1;
  }
  const checkout = mkdtempSync(join(tmpdir(), 'hawser-previous-'));
  try {
    const steps: readonly (readonly [string, readonly string[]])[] = [
      ['git', ['clone', '--quiet', '--no-checkout', '--shared', root, '.']],
      ['git', ['checkout', '--quiet', commit]],
      ['npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund']],
      ['node_modules/.bin/nx', ['run-many', '-t', 'build', '-p', '@hawser/supervisor', '--output-style=static']],
    ];
    for (const [program, args] of steps) {
      console.log(`${version}: ${program} ${args.join(' ')}`);
      if (!runs(program, args, checkout, ['ignore', 'ignore', 'inherit'])) return 1;
    }
    const staged = `${folder}.${process.pid}`;
    mkdirSync(join(staged, 'apps/supervisor'), { recursive: true });
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(join(checkout, 'apps/supervisor', part), join(staged, 'apps/supervisor', part), { recursive: true });
    cpSync(join(checkout, 'charts'), join(staged, 'charts'), { recursive: true });
    mkdirSync(dirname(folder), { recursive: true });
    renameSync(staged, folder);
    console.log(`${version}: ${folder}`);
    return 0;
  } finally {
    rmSync(checkout, { recursive: true, force: true });
  }
}

function runs(
  program: string,
  args: readonly string[],
  cwd: string,
  stdio: 'ignore' | readonly ('ignore' | 'inherit')[],
): boolean {
  const { status } = spawnSync(program, args, {
    cwd,
    stdio: typeof stdio === 'string' ? stdio : [...stdio],
    env: { ...process.env, NX_DAEMON: 'false', PATH: `${join(cwd, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` },
  });
  return status === 0;
}
