import fc from 'fast-check';
import { type Case, caseId } from './case.js';
import { differences } from './difference.js';
import { installFixtures } from './fixtures.js';
import { sequenceCases } from './generated/cases.js';
import { type Sequence, sequences } from './generated/operation.js';
import { runCase } from './run-case.js';
import type { StartServer } from './suite.js';

export interface ExploreOptions {
  readonly runs: number;
  readonly seed: number;
}

/** The fewest operations that show a difference between two servers. */
export interface Discovery {
  readonly sequence: Sequence;
  readonly differences: readonly string[];
}

/**
 * Runs random sequences on both servers until their answers differ, then minimises the sequence. Undefined if they
 * never differ.
 */
export async function explore(
  startReal: StartServer,
  startOther: StartServer,
  { runs, seed }: ExploreOptions,
): Promise<Discovery | undefined> {
  const real = await startReal({ controllers: false });
  const other = await startOther({ controllers: false });
  let attempt = 0;
  const compare = async (sequence: Sequence): Promise<readonly string[]> => {
    // Minimising repeats sequences: each attempt has its own namespace.
    attempt++;
    const [one] = sequenceCases(`exploring ${seed} ${attempt}`, [sequence]) as readonly [Case];
    const [expected, actual] = [await runCase(one, real), await runCase(one, other)];
    return differences('real', expected, other.name, actual).map((line) => line.replaceAll(caseId(one), '…'));
  };
  try {
    await Promise.all([installFixtures(real), installFixtures(other)]);
    const property = fc.asyncProperty(sequences, async (sequence) => {
      const found = await compare(sequence);
      if (found.length > 0) throw new Error(found.join('\n'));
    });
    const result = await fc.check(property, { numRuns: runs, seed, interruptAfterTimeLimit: 600_000 });
    const found = result.counterexample?.[0];
    if (found === undefined) return undefined;
    return {
      sequence: found,
      differences: (result.errorInstance instanceof Error
        ? result.errorInstance.message
        : String(result.errorInstance)
      ).split('\n'),
    };
  } finally {
    await Promise.all([real.stop(), other.stop()]);
  }
}
