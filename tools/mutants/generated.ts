import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import type { AcceptedMutant } from '../../packages/testing/mutants/src/accepted.ts';
import type * as apply from '../../packages/testing/mutants/src/apply.ts';
import type * as generate from '../../packages/testing/mutants/src/generate.ts';
import { root } from '../workspace.ts';

export type { GeneratedMutant } from '../../packages/testing/mutants/src/generate.ts';

const require = createRequire(import.meta.url);
const sources = join(root, 'packages', 'testing', 'mutants', 'src');
const { withChanges } = require(join(sources, 'apply.ts')) as typeof apply;
const { generateMutants, describeMutant } = require(join(sources, 'generate.ts')) as typeof generate;

export { describeMutant };

/** Further inputs of {@link withGenerated} besides the source. */
export const version = createHash('sha256')
  .update(readFileSync(join(sources, 'apply.ts')))
  .update(readFileSync(join(sources, 'generate.ts')))
  .digest('hex');

/** A generated mutant, with the name of its switch. */
export type Switched = generate.GeneratedMutant & { readonly id: string };

/** Mutants of a file, named by their order in it. */
export function generatedOf(file: string, text = readFileSync(join(root, file), 'utf8')): readonly Switched[] {
  return generateMutants(text, file).map((mutant, at) => ({ ...mutant, id: `${file}#${at}` }));
}

/** The source with its generated mutants, if it is one of the files. */
export function withGenerated(source: string, path: string, files: readonly string[]): string {
  const file = relative(root, path);
  return files.includes(file)
    ? withChanges(
        source,
        file,
        generatedOf(file, source).map(({ id, start, end, replace }) => ({ mutant: id, start, end, replace })),
      )
    : source;
}

/** Files that decide, prove, or hold rules about rights and ownership. */
const guarded = /^(?:decide|ownership)|(?:^|-)(?:proof|prover|policy|policies|rights?)(?:-|\.ts$)/u;

/** Guarded sources of a package, or the one named file. Paths from the repository's root. */
export function guardedFiles(target: string): readonly string[] {
  const path = join(root, target);
  if (statSync(path).isFile()) return [relative(root, path)];
  return filesIn(join(path, 'src')).filter((file) => isSource(file) && guarded.test(basename(file)));
}

/** Unit tests of the package that holds a file or folder. */
export function unitTestsOf(target: string): readonly string[] {
  return filesIn(join(packageOf(join(root, target)), 'src')).filter(
    (file) => file.endsWith('.test.ts') && !file.endsWith('.integration.test.ts'),
  );
}

/** Whether an accepted mutant is this one. */
export function accepts({ file, within, find, replace }: AcceptedMutant, mutant: generate.GeneratedMutant): boolean {
  return file === mutant.file && within === mutant.within && find === mutant.find && replace === mutant.replace;
}

function packageOf(path: string): string {
  return statSync(path).isDirectory() && readdirSync(path).includes('package.json') ? path : packageOf(dirname(path));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => relative(root, join(folder, name)))
    .sort();
}

function isSource(file: string): boolean {
  return file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('/testing/');
}
