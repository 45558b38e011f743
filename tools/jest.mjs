#!/usr/bin/env node
// Runs jest with native ES modules. Arguments go to jest: `node tools/jest.mjs packages/runtime/json`.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const jest = join(dirname(createRequire(import.meta.url).resolve('jest/package.json')), 'bin', 'jest.js');
const result = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    jest,
    '--config',
    join(root, 'jest.config.js'),
    '--rootDir',
    root,
    ...process.argv.slice(2),
  ],
  {
    stdio: 'inherit',
    cwd: root,
  },
);
process.exit(result.status ?? 1);
