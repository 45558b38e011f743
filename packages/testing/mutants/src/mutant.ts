/** A mistake, as changes of source text: while the mutant is active, each `find` stands in its file as `replace`. */
export interface Mutant {
  /** In kebab case, or as docs/reference/compared.md numbers it (`R33`, `RE-7`). */
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

/** What fails while the mutant is active. At least one of them. */
export interface FoundBy {
  /** Test files. */
  readonly tests?: readonly string[];
  /** The first seed of the simulation, an hour long with 24 objects, that finds it; it and some after it are tried. `any`: looked for from the first seed on. */
  readonly seed?: number | 'any';
  /** The first seed of the simulation in `core.kbind.io`, as long and as large, that finds it; it and some after it are tried. */
  readonly coreKbindSeed?: number;
  /** A run in `simulation/regressions` that finds it: where it takes a schedule that few seeds have. */
  readonly regression?: string;
  /** The first seed of the simulation of the agent that finds it; it and some after it are tried. */
  readonly agentSeed?: number;
}
