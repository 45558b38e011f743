// Writes docs/reference/compared.md, tables of differences from the Go programs. --check writes nothing, and fails if
// the file is out of date or a table names a missing test or mutant.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { comparisons } from './compared/comparisons.ts';
import { comparedText } from './compared/markdown.ts';
import { comparedProblems } from './compared/problems.ts';
import { simulatedMutants } from './mutants/sources.ts';
import { root } from './workspace.ts';

const target = join(root, 'docs', 'reference', 'compared.md');
const entries = comparisons.flatMap((comparison) => comparison.entries);
const wanted = comparedText(comparisons);

if (process.argv.includes('--check')) check();
else writeFileSync(target, wanted);

function check(): void {
  const problems = [...comparedProblems(entries, root, simulatedMutants)];
  if (!existsSync(target) || readFileSync(target, 'utf8') !== wanted)
    problems.push('docs/reference/compared.md: is not what tools/compared says; run `npm run compared`');
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`compared: ${entries.length} entries, each with a test`);
}
