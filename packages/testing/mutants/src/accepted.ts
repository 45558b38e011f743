/** A generated mutant that no unit test of its package has to find. */
export interface AcceptedMutant {
  /** From the repository's root. */
  readonly file: string;
  /** The function that it changes. */
  readonly within: string;
  /** As `npm run mutants` prints both. */
  readonly find: string;
  readonly replace: string;
  readonly reason: string;
}

/** Survivors that are known, each with the reason why it may. One that is generated no longer, or that a test finds, fails the run. */
export const acceptedMutants: readonly AcceptedMutant[] = [];
