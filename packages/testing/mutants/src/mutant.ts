/** A mistake as changes of source text: while the mutant is active, `replace` stands for each `find`. */
export interface Mutant {
  /** In kebab case, or as numbered in docs/reference/compared.md (`R33`, `RE-7`). */
  readonly name: string;
  readonly edits: readonly [Edit, ...Edit[]];
  readonly foundBy: FoundBy;
}

export interface Edit {
  /** Path from the repository's root. */
  readonly file: string;
  /** Occurs once in the file, inside the body of a function; white space does not count. */
  readonly find: string;
  readonly replace: string;
}

/** What fails while the mutant is active. At least one field is set. */
export interface FoundBy {
  /** Test files. */
  readonly tests?: readonly string[];
  /**
   * The first simulation seed that finds it, with an hour and 24 objects; it and some later ones are tried. `any`:
   * searches from the first seed on.
   */
  readonly seed?: number | 'any';
  /**
   * The first seed that finds it in the simulation of `core.kbind.io`, of the same length and size; it and some later
   * ones are tried.
   */
  readonly coreKbindSeed?: number;
  /** A run in `simulation/regressions` that finds it, for a schedule that few seeds have. */
  readonly regression?: string;
  /** The first seed that finds it in the simulation of the agent; it and some later ones are tried. */
  readonly agentSeed?: number;
}
