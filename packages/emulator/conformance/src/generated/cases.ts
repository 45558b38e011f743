import fc from 'fast-check';
import { type Case, cases } from '../case.js';
import { type Sequence, sequences } from './operation.js';
import { perform } from './perform.js';

/** If you change this, or the generator, record again. */
const seed = 20_261_121;

/** The same sequences in every run, to compare with a recording. */
export const generatedCases: readonly Case[] = sequenceCases('generated', fc.sample(sequences, { seed, numRuns: 150 }));

/** One case for each sequence. */
export function sequenceCases(group: string, all: readonly Sequence[]): readonly Case[] {
  return cases(
    group,
    Object.fromEntries(
      all.map((sequence, index) => [`sequence ${index + 1} of ${sequence.kind}`, (api) => perform(api, sequence)]),
    ),
    { managedFields: true },
  );
}
