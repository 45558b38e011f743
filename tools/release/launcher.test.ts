import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { root } from '../workspace.ts';
import { launcher } from './launcher.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hawser-launcher-'));
  for (const part of ['bin', 'dist']) mkdirSync(join(folder, part));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'dist/hawser.js'),
    `const malloc = Object.entries(process.env).filter(([name]) => name.startsWith('MALLOC_')).sort();
console.log(JSON.stringify({ flags: process.execArgv.sort(), malloc, args: process.argv.slice(2) }));`,
  );
  for (const name of ['hawser', 'hawser-syncagent']) {
    copyFileSync(join(root, 'apps/supervisor/bin', name), join(folder, 'bin', name));
    chmodSync(join(folder, 'bin', name), 0o755);
    writeFileSync(join(folder, 'bin', `${name}.mjs`), launcher(name), { mode: 0o755 });
  }
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Started {
  readonly flags: readonly string[];
}

function start(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;
  return JSON.parse(
    execFileSync(join(folder, 'bin', program), args, { env: { PATH, ...env }, encoding: 'utf8' }),
  ) as Started;
}

it.each([
  ['hawser', ['run', '--config=a file'], {}],
  ['hawser', ['syncagent', '--namespace', 'x'], {}],
  ['hawser-syncagent', ['--namespace', 'x'], {}],
  ['hawser', ['run'], { HAWSER_SEMI_SPACE_MB: '4', MALLOC_ARENA_MAX: '1' }],
])('%s %j starts with the same settings without a shell', (name, args, env) => {
  const started = start(`${name}.mjs`, args, env);
  expect(started).toEqual(start(name, args, env));
  expect(started.flags).toContain('--v8-pool-size=2');
});
