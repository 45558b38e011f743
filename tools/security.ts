// Writes the tables of threats by providers and consumers into docs/reference/threats.md. --check writes nothing, and
// fails if the file is out of date, if it names a missing test, or if a reason is not in the registry.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonSubjects } from '../packages/api/reasons/src/index.ts';
import { attemptGroups } from '../e2e/src/attempts.ts';
import { withAttempts } from './security/attempts-markdown.ts';
import { withThreats } from './security/markdown.ts';
import { threatProblems } from './security/problems.ts';
import { otherThreatGroups } from './security/other-threats.ts';
import { threatGroups } from './security/threats.ts';
import { root } from './workspace.ts';

const target = join(root, 'docs', 'reference', 'threats.md');
const text = readFileSync(target, 'utf8');
const allThreats = [...threatGroups, ...otherThreatGroups];
const wanted = withAttempts(withThreats(withThreats(text, threatGroups), otherThreatGroups, 'others'), attemptGroups);

if (process.argv.includes('--check')) check();
else writeFileSync(target, wanted);

function check(): void {
  const reasons = new Set(
    reasonSubjects.flatMap(({ groups }) => groups.flatMap((group) => group.reasons.map(({ reason }) => reason))),
  );
  const problems = [...threatProblems(allThreats, root, reasons)];
  if (text !== wanted)
    problems.push(
      'docs/reference/threats.md: is not what tools/security/threats.ts, other-threats.ts and e2e/src/attempts.ts say; run `npm run security`',
    );
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else
    console.log(
      `security: ${allThreats.flatMap(({ threats }) => threats).length} threats, each with a test; ${attemptGroups.flatMap(({ attempts }) => attempts).length} attempts, each tried by the suite isolation`,
    );
}
