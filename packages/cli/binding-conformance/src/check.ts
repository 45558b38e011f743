/**
 * - `must`: the contract; programs that fail one do not work together.
 * - `should`: what people expect who trust it with their data; the contract is silent, and some programs do otherwise.
 * - `measured`: a figure, which nobody passes or fails.
 */
export type Level = 'must' | 'should' | 'measured';

/** Whose behaviour it is. */
export type Part = 'konnector' | 'backend' | 'agent';

/** One thing that is looked at from outside, by requests to the API servers. `W` is what it is looked at in. */
export interface Check<W> {
  /** Stays the same between versions. */
  readonly id: string;
  readonly part: Part;
  readonly level: Level;
  /** What is right, as a sentence without a full stop. */
  readonly title: string;
  /** Section of the contract that says so, or why it is expected. */
  readonly source: string;
  /** Ids of checks without which it says nothing. */
  readonly needs?: readonly string[];
  /** Checks that need to see what a backend does, or to be the backend themselves. Default: both. */
  readonly backend?: 'real' | 'playedByUs';
  /** Resolves to a figure, if there is one. @throws Deviation */
  run(world: W): Promise<string | undefined>;
}

/** What was seen is not what is right. */
export class Deviation extends Error {
  override readonly name = 'Deviation';
}

/** @throws Deviation */
export function expectThat(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Deviation(otherwise);
}
