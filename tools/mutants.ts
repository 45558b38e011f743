// `npm run mutants -- [NAME…]`: runs the tests that have to find each mutant, with it, and fails if one of them passes. Without names: all that name tests. The simulation looks
// for its own (`npm run simulate -- --seeds 0 --mutants`).
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import type { Mutant } from '../packages/testing/mutants/src/mutant.ts';
import { mutants } from './mutants/sources.ts';
import { root } from './workspace.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { list: { type: 'boolean', default: false }, verbose: { type: 'boolean', default: false } } });
const unknown = positionals.filter((name) => !mutants.some((mutant) => mutant.name === name));
const tested = mutants.filter(({ name, foundBy: { tests } }) => tests !== undefined && (positionals.length === 0 || positionals.includes(name)));

if (unknown.length > 0) {
  console.error(`there is no mutant ${unknown.join(', ')}: --list names them`);
  process.exitCode = 2;
} else if (values.list) {
  for (const { name, foundBy: { tests = [], seed } } of mutants) console.log([name, ...tests, ...(seed === undefined ? [] : ['simulation'])].join('  '));
} else {
  for (const mutant of tested) await look(mutant);
}

async function look({ name, foundBy: { tests = [] } }: Mutant): Promise<void> {
  for (const test of tests) {
    const survives = await passes(name, test);
    console.log(`${name}: ${survives ? 'SURVIVES' : 'found by'} ${test}`);
    if (survives) process.exitCode = 1;
  }
}

/** Whether the tests of a file pass with the mutant. */
function passes(mutant: string, test: string): Promise<boolean> {
  const child = spawn(process.execPath, ['tools/jest.mjs', test, '--bail', '--silent', '--globals', JSON.stringify({ hawserMutant: mutant })], { cwd: root, stdio: values.verbose ? 'inherit' : 'ignore' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => { resolve(code === 0); });
  });
}
