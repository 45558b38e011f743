import { describe, expect, it } from '@jest/globals';
import { add, type JestReport, nothing, ofJest, skippedByFile, total } from './tally.ts';

const report: JestReport = {
  success: true,
  numPassedTests: 7,
  numFailedTests: 0,
  numPendingTests: 2,
  numTodoTests: 1,
  numRuntimeErrorTestSuites: 0,
  testResults: [
    {
      name: '/a.test.ts',
      message: '',
      assertionResults: [
        { status: 'passed', fullName: 'a' },
        { status: 'pending', fullName: 'b' },
      ],
    },
    { name: '/b.test.ts', message: '', assertionResults: [{ status: 'passed', fullName: 'c' }] },
  ],
};

describe('the tally of a jest run', () => {
  it('counts pending and todo tests as skipped', () => {
    expect(ofJest(report)).toEqual({ passed: 7, failed: 0, skipped: 3 });
  });

  it('counts a file that does not load as a failure', () => {
    expect(ofJest({ ...report, success: false, numFailedTests: 1, numRuntimeErrorTestSuites: 2 }).failed).toBe(3);
  });

  it('never reports a failed run without a failure', () => {
    expect(ofJest({ ...report, success: false }).failed).toBe(1);
  });

  it('names the files whose tests were skipped', () => {
    expect([...skippedByFile(report)]).toEqual([['/a.test.ts', 1]]);
  });
});

describe('the total', () => {
  it('is one plain line', () => {
    expect(total(add(ofJest(report), { ...nothing, failed: 2 }))).toBe('7 passed, 2 failed, 3 skipped');
  });
});
