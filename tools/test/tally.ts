/** How many checks a stage made, and how they ended. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const nothing: Tally = { passed: 0, failed: 0, skipped: 0 };
export const onePassed: Tally = { ...nothing, passed: 1 };
export const oneFailed: Tally = { ...nothing, failed: 1 };
export const oneSkipped: Tally = { ...nothing, skipped: 1 };

export function add(a: Tally, b: Tally): Tally {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** The line that a run ends with; CI reads it. */
export function total(tally: Tally): string {
  return `${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`;
}

/** The parts of jest's `--json` report that count. */
export interface JestReport {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  /** Files that did not even load. */
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** A file that does not load counts as one failure; so does a run that fails without any failed test, e.g. in its global setup. */
export function ofJest(report: JestReport): Tally {
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && !report.success ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** Which files have skipped tests, and how many. */
export function skippedByFile(report: JestReport): ReadonlyMap<string, number> {
  const files = new Map<string, number>();
  for (const { name, assertionResults } of report.testResults) {
    const skipped = assertionResults.filter(
      ({ status }) => status === 'pending' || status === 'todo' || status === 'skipped',
    ).length;
    if (skipped > 0) files.set(name, skipped);
  }
  return files;
}
