import { describe, expect, it } from '@jest/globals';
import { reasonSubjects } from '@hawser/reasons';
import { findReasons, reportingSources } from './reasons.ts';
import { root } from './workspace.ts';

const found = (text: string, constants = ''): readonly string[] => [
  ...findReasons([{ file: 'a.ts', text }], [{ file: 'constants.ts', text: constants }]).keys(),
];

describe('reasons in sources', () => {
  it.each([
    ["tell({ reason: 'OfAProperty' });", ['OfAProperty']],
    ["tell({ reason: failed ? 'OneBranch' : 'OtherBranch' });", ['OneBranch', 'OtherBranch']],
    ["const reason = known ?? 'OfAVariable';", ['OfAVariable']],
    ["interface Problem { readonly reason: 'OfAType' | 'OfAnother' }", ['OfAType', 'OfAnother']],
    ["type StopReason = 'First' | 'Second';", ['First', 'Second']],
    ["function held(type: string, reason: string) {} held('Type', 'OfAParameter');", ['OfAParameter']],
    ["const no = (reason: string) => reason; no('OfAnArrow');", ['OfAnArrow']],
    ["class Actor { fail(object: object, reason: string) {} } actor.fail(object, 'OfAMethod');", ['OfAMethod']],
    ["class Actor { #record(reason: string) {} act() { this.#record('OfAPrivateMethod'); } }", ['OfAPrivateMethod']],
    ["export const SOME_REASON = 'OfANamedText'; tell({ reason: SOME_REASON });", ['OfANamedText']],
    ["const ownReasons = { a: 'OfAConstant', b: 'NotUsed' } as const; tell(ownReasons.a);", ['OfAConstant']],
  ])('are found in %s', (text, reasons) => {
    expect(found(text)).toEqual(reasons);
  });

  it('are found behind the functions and constants of another package', () => {
    const constants =
      "export const conditionReasons = { gone: 'Gone' }; export function falseCondition(type: string, reason: string) {}";
    expect(
      found("falseCondition('Ready', 'Here'); falseCondition('Ready', conditionReasons.gone);", constants),
    ).toEqual(['Here', 'Gone']);
  });

  it.each([
    "if (problem.reason === 'Compared') look();",
    "tell({ reason: is('Asked') });",
    "tell({ type: 'Type', message: 'Message' });",
    "tell({ reason: 'in words, for the log' });",
  ])('are not %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('of this repository are many, and the registry has no other subject than those that they are about', () => {
    expect(findReasons(reportingSources(root), []).size).toBeGreaterThan(30);
    expect(reasonSubjects.map(({ kind }) => kind)).toContain('BoundObject');
  });
});
