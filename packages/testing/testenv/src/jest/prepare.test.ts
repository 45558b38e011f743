import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { wantsControlPlanes } from './prepare.js';

let rootDir: string;
beforeAll(async () => {
  rootDir = await mkdtemp(join(tmpdir(), 'hawser-prepare-'));
  for (const file of ['packages/a/plain/src/x.test.ts', 'packages/a/wired/src/deep/y.integration.test.ts']) {
    await mkdir(join(rootDir, file, '..'), { recursive: true });
    await writeFile(join(rootDir, file), '');
  }
});
afterAll(async () => {
  await rm(rootDir, { recursive: true });
});

it.each([
  [[], true],
  [['packages/a/plain'], false],
  [['packages/a/plain', 'wired'], true],
  [['packages/a/wired/src/deep/y'], true],
  [['x\\.test'], false],
])('patterns %j want control planes: %s', (patterns, wanted) => {
  expect(wantsControlPlanes({ rootDir, testPathPatterns: { patterns } })).toBe(wanted);
});
