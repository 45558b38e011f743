import type { Report, Result } from './run.js';

/** Number of passed checks of a level. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function tally(results: readonly Result[], level: 'must' | 'should'): Tally {
  const of = results.filter((result) => result.level === level);
  const count = (kind: Result['outcome']['kind']): number => of.filter(({ outcome }) => outcome.kind === kind).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

/** Whether no `must` check failed; with `strict`, no `should` check either. */
export function conforms({ results }: Report, strict: boolean): boolean {
  return tally(results, 'must').failed === 0 && (!strict || tally(results, 'should').failed === 0);
}

/** For CI systems that read the XML of JUnit. */
export function junit({ role, results }: Report): string {
  const contract = role === 'agent' ? 'api-syncagent' : 'kube-bind';
  const failures = results.filter(({ outcome }) => outcome.kind === 'failed').length;
  const skipped = results.filter(({ outcome }) => outcome.kind === 'skipped').length;
  const cases = results.map(({ id, level, title, outcome, ms }) => {
    const head = `  <testcase classname="${escaped(`${contract}.${role}.${level}`)}" name="${escaped(`${id}: ${title}`)}" time="${(ms / 1_000).toFixed(3)}"`;
    switch (outcome.kind) {
      case 'passed':
        return `${head}/>`;
      case 'measured':
        return `${head}>\n    <system-out>${escaped(outcome.figure)}</system-out>\n  </testcase>`;
      case 'failed':
        return `${head}>\n    <failure message="${escaped(outcome.why)}"/>\n  </testcase>`;
      case 'skipped':
        return `${head}>\n    <skipped message="${escaped(outcome.why)}"/>\n  </testcase>`;
    }
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${contract} conformance, ${role}" tests="${results.length}" failures="${failures}" skipped="${skipped}">`,
    ...cases,
    '</testsuite>',
  ].join('\n');
}

/** Messages of servers may hold characters that XML does not allow. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD]/gu, '�')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');
}
