import { expect } from '@jest/globals';
import type { Ended } from './command.js';

/** Output of `hawser conformance -o json`. */
export interface ConformanceReport {
  readonly results: readonly {
    readonly id: string;
    readonly outcome: { readonly kind: string; readonly why?: string };
  }[];
  readonly left: readonly string[];
  readonly must: { readonly passed: number };
  readonly should: { readonly passed: number };
}

/** Expects that every check passed or was skipped, and left nothing behind. */
export function expectConformance({ code, out, err }: Ended): ConformanceReport {
  const report = JSON.parse(out) as ConformanceReport;
  expect(report.results.filter(({ outcome }) => outcome.kind === 'failed')).toEqual([]);
  expect({ code, left: report.left, err }).toEqual({ code: 0, left: [], err: '' });
  return report;
}
