// Packs every published package, judges the tarballs with publint and attw, and installs them into an empty project
// outside the workspace, where it imports, type-checks and uses each. `--keep` leaves that project behind.
import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { executables, makeExecutable } from './release/executable.ts';
import { must, run } from './run.ts';
import { npmPack, type StagedPackage, stagePackages } from './stage-packages.ts';
import { root } from './workspace.ts';

const problems: string[] = [];
const project = mkdtempSync(join(tmpdir(), 'hawser-pack-'));
try {
  const packages = await timed('stage', () => stagePackages());
  await timed('publint', () => lint(packages));
  const tarballs = await timed('pack', () =>
    npmPack(
      packages.map(({ staged }) => staged),
      join(project, 'tarballs'),
    ),
  );
  const isImported = ({ manifest }: StagedPackage): boolean => manifest.exports?.['.'] !== undefined;
  await timed('attw', () => checkTypes(tarballs.filter((_, index) => isImported(packages[index]!))));
  await timed('install', () => install(packages, tarballs));
  const importable = packages.filter(isImported).map(({ manifest }) => manifest.name);
  await timed('type-check', () => typeCheck(importable));
  await timed('use', () => use(importable));
  await timed('programs', () => startPrograms(packages));
  await timed('programs alone', () => startAlone(packages));
  await timed('executables', () => startExecutables());
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${packages.length} packages are fit to publish`);
} finally {
  if (process.argv.includes('--keep')) console.log(`left behind: ${project}`);
  else rmSync(project, { recursive: true, force: true });
}

async function lint(packages: readonly StagedPackage[]): Promise<void> {
  for (const { manifest, staged } of packages) {
    const { messages, pkg } = await publint({ pkgDir: staged, pack: false, strict: true });
    for (const message of messages) {
      if (message.type !== 'error') continue;
      problems.push(`publint: ${manifest.name}: ${formatMessage(message, pkg, { color: false }) ?? message.code}`);
    }
  }
}

/** As `attw --profile esm-only`: CommonJS and the resolution of old TypeScript are not supported. */
async function checkTypes(tarballs: readonly string[]): Promise<void> {
  for (const tarball of tarballs) {
    const { packageName, ...result } = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
    if (result.types === false) {
      problems.push(`attw: ${packageName}: contains no types`);
      continue;
    }
    for (const problem of result.problems.filter(concernsEsm))
      problems.push(`attw: ${packageName}: ${JSON.stringify(problem)}`);
  }
}

function concernsEsm(problem: Problem): boolean {
  if ('resolutionKind' in problem)
    return problem.resolutionKind !== 'node10' && problem.resolutionKind !== 'node16-cjs';
  return !('resolutionOption' in problem) || problem.resolutionOption !== 'node10';
}

async function install(packages: readonly StagedPackage[], tarballs: readonly string[]): Promise<void> {
  const dependencies = Object.fromEntries(
    packages.map(({ manifest }, index) => [manifest.name, `file:${tarballs[index]!}`]),
  );
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name: 'empty', private: true, type: 'module', dependencies }),
  );
  await must(
    'npm',
    ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'],
    { cwd: project, timeoutMs: 5 * 60_000 },
  );
}

/** The published declarations, without the condition that leads to the sources. */
async function typeCheck(names: readonly string[]): Promise<void> {
  const imports = names.map((name, index) => `export * as package${index} from '${name}';`);
  writeFileSync(join(project, 'consumer.ts'), `${imports.join('\n')}\n`);
  const options = [
    '--strict',
    '--noEmit',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--types',
    'node',
    '--typeRoots',
    join(root, 'node_modules', '@types'),
  ];
  const { ok, stdout } = await run(
    process.execPath,
    [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ...options, 'consumer.ts'],
    { cwd: project, capture: true },
  );
  if (!ok) problems.push(stdout.trim());
}

async function use(names: readonly string[]): Promise<void> {
  writeFileSync(join(project, 'use.mjs'), readFileSync(join(root, 'tools', 'pack', 'use.mjs')));
  const { ok, stdout, stderr } = await run(process.execPath, ['use.mjs', ...names], {
    cwd: project,
    capture: true,
    timeoutMs: 2 * 60_000,
  });
  if (!ok) problems.push(`${stdout}${stderr}`.trim());
}

async function startPrograms(packages: readonly StagedPackage[]): Promise<void> {
  for (const program of packages.flatMap(({ manifest }) => Object.keys(manifest.bin ?? {}))) {
    const { ok, how, stdout, stderr } = await run(join(project, 'node_modules', '.bin', program), ['--version'], {
      cwd: project,
      capture: true,
      timeoutMs: 60_000,
    });
    if (!ok) problems.push(`${program} --version: ${how}: ${`${stdout}${stderr}`.trim()}`);
  }
}

/** A program is complete: it has no modules beside it. */
async function startAlone(packages: readonly StagedPackage[]): Promise<void> {
  for (const { manifest, staged } of packages.filter(({ dir }) => dir.startsWith('apps/'))) {
    const folder = join(project, 'alone', manifest.name.replace('/', '-'));
    cpSync(staged, folder, { recursive: true });
    // The completion program prints words, and no version.
    for (const file of globSync('bin/*.mjs', { cwd: folder, exclude: ['bin/*complete*'] }))
      await starts(process.execPath, [join(folder, file), '--version'], folder);
  }
}

/** As single files; the same sources give the same file. */
async function startExecutables(): Promise<void> {
  for (const executable of executables) {
    const files = ['one', 'other'].map((name) => join(project, 'executables', name, executable.name));
    for (const file of files) await makeExecutable({ ...executable, file });
    const [one, other] = files.map((file) => createHash('sha256').update(readFileSync(file)).digest('hex'));
    if (one !== other) problems.push(`${executable.name}: two builds are two files`);
    const folder = join(project, 'empty');
    mkdirSync(folder, { recursive: true });
    await starts(files[0]!, ['--version'], folder);
  }
}

async function starts(program: string, args: readonly string[], cwd: string): Promise<void> {
  const { ok, how, stdout, stderr } = await run(program, args, { cwd, capture: true, timeoutMs: 60_000 });
  if (!ok || !stdout.startsWith('v'))
    problems.push(`${program} ${args.join(' ')}: ${how}: ${`${stdout}${stderr}`.trim()}`);
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const before = performance.now();
  const result = await work();
  console.log(`${what}: ${((performance.now() - before) / 1000).toFixed(1)} s`);
  return result;
}
