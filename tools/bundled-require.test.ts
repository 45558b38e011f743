import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { looseModules } from './bundled-require.ts';
import { root } from './workspace.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hawser-bundle-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

it('an executable has with it what a source loads at its first use', () => {
  const source = join(folder, 'packages/x/y/src/app.ts');
  mkdirSync(join(folder, 'packages/x/y/src'), { recursive: true });
  writeFileSync(
    source,
    `import { createRequire } from 'node:module';
const { RE2JS } = createRequire(import.meta.url)('re2js') as { RE2JS: { matches(pattern: string, text: string): boolean } };
console.log(RE2JS.matches('a+', 'aaa'));`,
  );
  // Not here: esbuild does not run within jest.
  const build = `
import { build } from 'esbuild';
import { bundledRequire } from './tools/bundled-require.ts';
await build({
  entryPoints: [${JSON.stringify(source)}], outfile: ${JSON.stringify(join(folder, 'app.mjs'))},
  bundle: true, format: 'esm', platform: 'node', nodePaths: ['node_modules'], plugins: [bundledRequire],
});`;
  execFileSync(process.execPath, ['--input-type=module', '-e', build], { cwd: root });
  expect(execFileSync(process.execPath, [join(folder, 'app.mjs')], { encoding: 'utf8' })).toBe('true\n');
});

it('what an executable would look for beside itself is found in its text', () => {
  expect(
    looseModules(`var e=()=>createRequire(import.meta.url)("re2js").RE2JS,f=createRequire2(import.meta.url)('yaml')`),
  ).toEqual(['re2js', 'yaml']);
  expect(looseModules('const require=createRequire(import.meta.url);require("node:fs")')).toEqual([]);
});
