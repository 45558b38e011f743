// Writes docs/reference/conditions.md from the registry of reasons. --check writes nothing. It fails if the file is out
// of date, if the sources set an unregistered reason, if a registered reason is never set, or if
// docs/how-to/troubleshoot.md names an unknown one.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conditionsMarkdown, reasonSubjects } from '../packages/api/reasons/src/index.ts';
import { findReasons, reportingSources } from './reasons.ts';
import { root } from './workspace.ts';

const target = join(root, 'docs', 'reference', 'conditions.md');
const troubleshooting = join(root, 'docs', 'how-to', 'troubleshoot.md');
const text = conditionsMarkdown(reasonSubjects);

if (process.argv.includes('--check')) check();
else writeFileSync(target, text);

function check(): void {
  const constants = [
    'packages/api/kube-bind/src/conditions/types.ts',
    'packages/api/kube-bind/src/conditions/condition-list.ts',
    'packages/api/core-kbind/src/conditions.ts',
  ].map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  const found = findReasons(reportingSources(root), constants);
  const known = new Set(
    reasonSubjects.flatMap(({ groups }) => groups.flatMap(({ reasons }) => reasons.map(({ reason }) => reason))),
  );
  const problems = [
    ...[...found]
      .filter(([reason]) => !known.has(reason))
      .map(([reason, where]) => `${where}: reason ${reason} is not in packages/api/reasons`),
    ...[...known]
      .filter((reason) => !found.has(reason))
      .map((reason) => `packages/api/reasons: nothing sets reason ${reason}`),
  ];
  if (read(target) !== text)
    problems.push('docs/reference/conditions.md: is not what packages/api/reasons says; run `npm run conditions`');
  problems.push(
    ...strangers(read(troubleshooting)).map(
      (word) => `docs/how-to/troubleshoot.md: ${word} is no word of docs/reference/conditions.md`,
    ),
  );
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`conditions: ${known.size} reasons, all of them used and documented`);
}

/** Words such as `SecretValid` in the troubleshooting guide that are no condition, reason or value. */
function strangers(guide: string): readonly string[] {
  const words = new Set(text.match(/\b[A-Z]\w+/gu));
  return [...guide.matchAll(/`([A-Z][a-z]\w+)`/gu)].map(([, word = '']) => word).filter((word) => !words.has(word));
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
