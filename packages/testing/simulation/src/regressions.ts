/**
 * Seeds that once failed. CI runs all of them. When the simulation itself changes, a seed means another run: tests of the packages hold what was fixed.
 */
export interface Regression {
  readonly seed: number;
  readonly hours: number;
  readonly objects: number;
  /** What was wrong. */
  readonly found: string;
}

export const regressions: readonly Regression[] = [
  { seed: 61, hours: 1, objects: 24, found: 'a backup gave the Lease back to a former holder, who took it at once, and two konnectors fought over every copy as fast as they could' },
  { seed: 113, hours: 1, objects: 24, found: 'two konnectors fought over every copy as fast as they could after a backup was restored' },
];
