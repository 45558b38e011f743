import { describe, expect, it } from '@jest/globals';
import { conforms, junit, tally } from './report.js';
import { agentChecks } from './agent/agent-run.js';
import { bindingChecks } from './kube-bind/binding-run.js';
import type { Outcome, Report, Result } from './run.js';

const result = (id: string, level: Result['level'], outcome: Outcome): Result => ({
  id,
  part: 'konnector',
  level,
  title: 'a title',
  source: 'a section',
  outcome,
  ms: 1_500,
});
const passed: Outcome = { kind: 'passed' };
const failed: Outcome = { kind: 'failed', why: 'it said <"no" & \u0001more>\nand left' };
const report = (...results: readonly Result[]): Report => ({ role: 'pair', results, left: [] });

describe('a report', () => {
  it('conforms if nothing fails that must hold; strictly, if nothing fails that should', () => {
    const one = report(result('a', 'must', passed), result('b', 'should', failed));
    expect([conforms(one, false), conforms(one, true)]).toEqual([true, false]);
    expect(conforms(report(result('a', 'must', failed)), false)).toBe(false);
    expect(conforms(report(result('a', 'measured', failed)), true)).toBe(true);
    expect(conforms(report(result('a', 'must', { kind: 'skipped', why: 'x' })), true)).toBe(true);
  });

  it('counts by level', () => {
    const { results } = report(
      result('a', 'must', passed),
      result('b', 'must', failed),
      result('c', 'must', { kind: 'skipped', why: 'x' }),
      result('d', 'should', passed),
    );
    expect(tally(results, 'must')).toEqual({ passed: 1, failed: 1, skipped: 1 });
    expect(tally(results, 'should')).toEqual({ passed: 1, failed: 0, skipped: 0 });
  });

  it('is XML for CI systems, whatever a server has said', () => {
    const xml = junit(
      report(
        result('a', 'must', passed),
        result('b', 'should', failed),
        result('c', 'measured', { kind: 'measured', figure: '9 ms' }),
        result('d', 'must', { kind: 'skipped', why: 'it needs b' }),
      ),
    );
    expect(xml).toContain('<testsuite name="kube-bind conformance, pair" tests="4" failures="1" skipped="1">');
    expect(xml).toContain('<failure message="it said &lt;&quot;no&quot; &amp; �more&gt;&#10;and left"/>');
    expect(xml).toContain('<system-out>9 ms</system-out>');
    expect(xml).toContain('<testcase classname="kube-bind.pair.must" name="a: a title" time="1.500"/>');
    expect(xml).toContain('<skipped message="it needs b"/>');
  });
});

describe('the checks', () => {
  it.each([
    ['a binding', bindingChecks],
    ['an agent', agentChecks],
  ])('of %s have ids of their own, and need only what comes before them', (_, checks) => {
    const known = new Set<string>();
    for (const { id, needs = [] } of checks) {
      expect(known).not.toContain(id);
      expect([...known]).toEqual(expect.arrayContaining([...needs]));
      known.add(id);
    }
  });
});
