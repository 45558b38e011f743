import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { flushChanges, FsTree } from 'nx/src/generators/tree';
import { readJson, root } from '../../workspace.ts';
import { problemsOf } from '../../controllers.ts';
import generate from './generator.ts';

// Below the root, so that what is generated finds the packages of the workspace.
mkdirSync(join(root, 'tmp'), { recursive: true });
const workspace = mkdtempSync(join(root, 'tmp', 'generated-'));
const dir = 'packages/provider/usage-report';

function generateInto(options: Partial<Parameters<typeof generate>[1]> = {}): void {
  const tree = new FsTree(workspace, false);
  generate(tree, { name: 'usage-report', role: 'provider', skipInstall: true, ...options });
  flushChanges(workspace, tree.listChanges());
}

function node(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { readonly ok: boolean; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...(script.includes('jest') ? ['--experimental-vm-modules'] : []), join(root, script), ...args],
    {
      cwd: workspace,
      encoding: 'utf8',
      env: { ...process.env, ...env },
      timeout: 120_000,
    },
  );
  return { ok: status === 0, output: stdout + stderr };
}

describe('a generated controller', () => {
  beforeAll(() => {
    for (const file of [
      'package.json',
      'tsconfig.json',
      'tsconfig.base.json',
      'docs/reference/packages.md',
      'tools',
      'packages/testing/mutants/src',
    ]) {
      cpSync(join(root, file), join(workspace, file), {
        recursive: true,
        filter: (path) => !path.endsWith('.test.ts'),
      });
    }
    generateInto();
  });

  afterAll(() => {
    rmSync(workspace, { recursive: true, force: true });
  });

  it('has its layer, and depends on what it uses', () => {
    const manifest = readJson<Record<string, unknown>>(join(workspace, dir, 'package.json'));
    expect(manifest).toMatchObject({
      name: '@hawser/usage-report',
      nx: { tags: ['layer:provider'] },
      version: readJson<{ version: string }>(join(root, 'package.json')).version,
    });
    expect(readJson(join(workspace, dir, 'tsconfig.json'))).toMatchObject({
      references: Object.keys(manifest['dependencies'] as object).map((name) => ({
        path: name.replace('@hawser', '../../runtime'),
      })),
    });
  });

  it('is entered in the root tsconfig and in the table of packages', () => {
    expect(readJson<{ references: unknown[] }>(join(workspace, 'tsconfig.json')).references).toContainEqual({
      path: dir,
    });
    expect(readFileSync(join(workspace, 'docs/reference/packages.md'), 'utf8')).toContain(
      `[usage-report](../../${dir}) |\n`,
    );
  });

  it('refuses a name that is taken, or is none', () => {
    expect(() => {
      generateInto();
    }).toThrow('exists');
    expect(() => {
      generateInto({ name: 'UsageReport' });
    }).toThrow('kebab case');
  });

  it('compiles, its tests and its README included', () => {
    const readme = readFileSync(join(workspace, dir, 'README.md'), 'utf8');
    const example = /^```ts\n(.*?)^```$/msu.exec(readme)?.[1]?.replace("'@hawser/usage-report'", "'./index.js'");
    writeFileSync(join(workspace, dir, 'src', 'readme.ts'), example ?? 'no example');
    const compilerOptions = {
      composite: false,
      declaration: false,
      declarationMap: false,
      emitDeclarationOnly: false,
      noEmit: true,
      types: ['node'],
      allowImportingTsExtensions: true,
    };
    writeFileSync(
      join(workspace, 'check.json'),
      JSON.stringify({ extends: './tsconfig.base.json', compilerOptions, include: [dir] }),
    );
    const { ok, output } = node('node_modules/typescript/bin/tsc', ['-p', 'check.json']);
    // What is wrong elsewhere in the workspace is told by its own checks.
    const errors = output
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('../../') && !line.startsWith(' '));
    expect({ ok: ok || output.startsWith('../../packages/'), errors }).toEqual({ ok: true, errors: [] });
  }, 180_000);

  it('is told what is missing until it is wired in', () => {
    const text = (file: string): string => readFileSync(join(workspace, dir, file), 'utf8');
    const sources = new Map(
      ['index.ts', 'usage-report-controller.ts', 'decide.ts', 'act.ts'].map((file) => [
        `src/${file}`,
        text(`src/${file}`),
      ]),
    );
    const problems = problemsOf(
      { dir, readme: text('README.md'), sources },
      { supervisor: '', config: '', running: '', chart: 'resources: [events]\nverbs: [create, patch]' },
    );
    expect(problems).toEqual([
      `${dir}/README.md: 3 TODOs are left`,
      `${dir}/src/usage-report-controller.ts: 1 TODO is left`,
      `${dir}: no file of apps/supervisor/src starts createUsageReportController`,
      `${dir}/README.md: the section "Where it runs" names no field of the config file, and does not say "always"`,
      `charts/provider/templates: no rule gives get, list, watch, patch on configmaps, as the table of rights in ${dir}/README.md does`,
    ]);
  });

  it('works, against a control plane where there is one', () => {
    const config = join(workspace, 'jest.config.mjs');
    writeFileSync(
      config,
      [
        `import base from ${JSON.stringify(join(root, 'jest.config.js'))};`,
        `export default { ...base, rootDir: ${JSON.stringify(workspace)}, modulePathIgnorePatterns: [], globalSetup: undefined, globalTeardown: undefined };`,
      ].join('\n'),
    );
    const report = join(workspace, 'report.json');
    const { ok, output } = node('node_modules/jest/bin/jest.js', [
      '--config',
      config,
      '--json',
      `--outputFile=${report}`,
      dir,
    ]);
    for (const suite of ['decide.test.ts', 'usage-report-controller.test.ts']) expect(output).toContain(suite);
    expect(ok).toBe(true);
    const hasControlPlane = process.env['HAWSER_TESTENV_HOST'] !== undefined;
    expect(readJson(report)).toMatchObject({ numFailedTests: 0, numPendingTests: hasControlPlane ? 0 : 1 });
  }, 180_000);
});
