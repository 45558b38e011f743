import { describe, expect, it } from '@jest/globals';
import { reasonSubjects } from '@hawser/reasons';
import { attemptGroups } from '../e2e/src/attempts.ts';
import { withAttempts } from './security/attempts-markdown.ts';
import { withThreats } from './security/markdown.ts';
import { otherThreatGroups } from './security/other-threats.ts';
import { testTitles, threatProblems } from './security/problems.ts';
import { type ThreatGroup, threatGroups } from './security/threats.ts';
import { root } from './workspace.ts';

const reasons = new Set(
  reasonSubjects.flatMap(({ groups }) => groups.flatMap((group) => group.reasons.map(({ reason }) => reason))),
);
const group = (fields: object): readonly ThreatGroup[] => [
  {
    title: 'G',
    threats: [
      {
        threat: 't',
        outcome: 'refused',
        answer: 'a',
        reasons: [],
        tests: [{ file: 'tools/security.test.ts', title: 'has a test for each threat' }],
        ...fields,
      },
    ],
  },
];

describe('the table of threats', () => {
  it('has a test for each threat', () => {
    expect(threatProblems([...threatGroups, ...otherThreatGroups], root, reasons)).toEqual([]);
  });

  it.each([
    [
      'a test that is not there',
      { tests: [{ file: 'tools/security.test.ts', title: 'is missing' }] },
      'has no test "is missing"',
    ],
    [
      'a file that is not there',
      { tests: [{ file: 'tools/missing.test.ts', title: 'x' }] },
      'tools/missing.test.ts has no test',
    ],
    ['a reason that is not there', { reasons: ['Missing'] }, 'reason Missing'],
  ])('finds %s', (_, fields, words) => {
    expect(threatProblems(group(fields), root, reasons)).toEqual([expect.stringContaining(words)]);
  });

  it('stands in its place in the text, and comes out the same a second time', () => {
    const text =
      'before\n<!-- Generated from tools/security/threats.ts by `npm run security`. -->\n<!-- End of what is generated. -->\nafter';
    const once = withThreats(text, group({ reasons: ['R'] }));
    expect(once).toContain('| t | refused | a | `R` | [has a test for each threat](../../tools/security.test.ts) |');
    expect(once.startsWith('before') && once.endsWith('after')).toBe(true);
    expect(withThreats(once, group({ reasons: ['R'] }))).toBe(once);
    expect(() => withThreats('nothing', [])).toThrow('has no place');
  });
});

describe('the table of attempts', () => {
  it('says who stops what, and comes out the same a second time', () => {
    const text =
      'before\n<!-- Generated from e2e/src/attempts.ts by `npm run security`. -->\n<!-- End of the attempts. -->\nafter';
    const once = withAttempts(text, attemptGroups);
    expect(once).toContain(
      '| lists all Secrets of the provider | its kubeconfig | `GET /api/v1/secrets` | RBAC | 403 |',
    );
    expect(once).toContain('| replays a token from before it was revoked | a revoked token |');
    expect(withAttempts(once, attemptGroups)).toBe(once);
    expect(() => withAttempts('nothing', [])).toThrow('has no place');
  });

  it.each(attemptGroups.map((group) => [group.title, group] as const))('tries nothing twice: %s', (_, { attempts }) => {
    const titles = attempts.map(({ tries, settings = ['Prefixed'] }) => `${tries} (${settings.join(', ')})`);
    expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
  });
});

it.each([
  ["it('one', () => {});", ['one']],
  ["it.each(['a', 'b'])('for %s', () => {});", ['for %s', 'a', 'b']],
  ["it.each<[string, number]>([['row', 1]])('%s', () => {});", ['%s', 'row']],
  ["it.skip('skipped', () => {}); describe('group', () => {});", []],
])('titles in %s', (text, titles) => {
  expect([...testTitles(text)]).toEqual(titles);
});
