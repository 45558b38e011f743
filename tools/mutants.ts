// `npm run mutants -- [NAME…]`: runs each mutant's tests with the mutant, and fails if one passes. Without names: all
// mutants that name tests. The simulation looks for its own (`npm run simulate -- --seeds 0 --mutants`). `npm run
// mutants -- PACKAGE…`, a folder, or one source file: generates the usual mutants of the files there that decide, prove
// or hold rights, and prints those that survive all unit tests of the package. `--list` only prints them all.
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { acceptedMutants } from '../packages/testing/mutants/src/accepted.ts';
import type { Mutant } from '../packages/testing/mutants/src/mutant.ts';
import { accepts, describeMutant, generatedOf, guardedFiles, unitTestsOf } from './mutants/generated.ts';
import { mutants } from './mutants/sources.ts';
import { type Fate, survey } from './mutants/survey.ts';
import { root } from './workspace.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false }, verbose: { type: 'boolean', default: false } },
});
const targets = positionals.filter((name) => name.includes('/'));
const unknown = positionals.filter(
  (name) => !targets.includes(name) && !mutants.some((mutant) => mutant.name === name),
);
const tested = mutants.filter(
  ({ name, foundBy: { tests } }) => tests !== undefined && (positionals.length === 0 || positionals.includes(name)),
);

if (unknown.length > 0) {
  console.error(`there is no mutant ${unknown.join(', ')}: --list names them`);
  process.exitCode = 2;
} else if (targets.length > 0) {
  for (const target of targets) await generated(target);
} else if (values.list) {
  for (const {
    name,
    foundBy: { tests = [], seed, coreKbindSeed, agentSeed, regression },
  } of mutants)
    console.log(
      [
        name,
        ...tests,
        ...((seed ?? coreKbindSeed ?? agentSeed ?? regression) === undefined ? [] : ['simulation']),
      ].join('  '),
    );
} else {
  for (const mutant of tested) await look(mutant);
}

/** Generates the mutants of a place, and reports survivors. */
async function generated(target: string): Promise<void> {
  const files = guardedFiles(target);
  const mutants = files.flatMap((file) => generatedOf(file));
  if (values.list) {
    for (const mutant of mutants) console.log(describeMutant(mutant));
    return;
  }
  const accepted = acceptedMutants.filter(({ file }) => files.includes(file));
  const fates = new Map<string, Fate>();
  const began = performance.now();
  await survey(mutants, unitTestsOf(target), (mutant, fate) => {
    fates.set(mutant.id, fate);
    const lives = fate === 'survived' || fate === 'unreached';
    if (lives && !accepted.some((entry) => accepts(entry, mutant)))
      console.log(`${fate.toUpperCase()} ${describeMutant(mutant)}`);
    else if (values.verbose) console.log(`${fate} ${describeMutant(mutant)}`);
  });
  const living = mutants.filter(({ id }) => fates.get(id) === 'survived' || fates.get(id) === 'unreached');
  const left = living.filter((mutant) => !accepted.some((entry) => accepts(entry, mutant)));
  const stale = accepted.filter((entry) => !living.some((mutant) => accepts(entry, mutant)));
  for (const { file, within, find, replace } of stale)
    console.log(
      `ACCEPTED IN VAIN ${file} in ${within}: ${find} → ${replace}\n    It is generated no longer, or a test finds it: take it off packages/testing/mutants/src/accepted.ts`,
    );
  console.log(
    `${target}: ${mutants.length} mutants in ${files.length} files, ${mutants.length - living.length} found, ${living.length - left.length} accepted, ${left.length} left; ${Math.round((performance.now() - began) / 1000)} s`,
  );
  if (left.length + stale.length > 0) process.exitCode = 1;
}

async function look({ name, foundBy: { tests = [] } }: Mutant): Promise<void> {
  for (const test of tests) {
    const survives = await passes(name, test);
    console.log(`${name}: ${survives ? 'SURVIVES' : 'found by'} ${test}`);
    if (survives) process.exitCode = 1;
  }
}

/** Whether a file's tests pass with the mutant. */
function passes(mutant: string, test: string): Promise<boolean> {
  const child = spawn(
    process.execPath,
    ['tools/jest.mjs', test, '--bail', '--silent', '--globals', JSON.stringify({ hawserMutant: mutant })],
    { cwd: root, stdio: values.verbose ? 'inherit' : 'ignore' },
  );
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      resolve(code === 0);
    });
  });
}
