/**
 * - `must`: the contract; programs that fail one do not work together.
 * - `should`: what people expect who trust it with their data; the contract is silent, and some programs do otherwise.
 * - `measured`: a figure without pass or fail.
 */
export type Level = 'must' | 'should' | 'measured';

/** The program that is checked. */
export type Part = 'konnector' | 'backend' | 'agent';

/** One check from outside, by requests to the API servers. `W` is its environment. */
export interface Check<W> {
  /** Stays the same between versions. */
  readonly id: string;
  readonly part: Part;
  readonly level: Level;
  /** The expected behaviour, as a sentence without a full stop. */
  readonly title: string;
  /** Section of the contract that requires it, or why people expect it. */
  readonly source: string;
  /** Ids of checks that must pass first. */
  readonly needs?: readonly string[];
  /** For checks that need to observe a backend, or to play it themselves. Default: both. */
  readonly backend?: 'real' | 'playedByUs';
  /** Resolves to a figure, if there is one. @throws Deviation */
  run(world: W): Promise<string | undefined>;
}

/** The observed behaviour is not the expected one. */
export class Deviation extends Error {
  override readonly name = 'Deviation';
}

/** @throws Deviation */
export function expectThat(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Deviation(otherwise);
}
