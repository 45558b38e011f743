import type { Case } from './case.js';
import { differences } from './difference.js';
import type { Transcript } from './exchange.js';
import type { Outcome } from './suite.js';
import { unsupportedReason } from './unsupported.js';

/** The expected transcript of a case, and its name in messages. */
export interface Expectation {
  readonly name: string;
  readonly transcript: Transcript | undefined;
}

/** Why a case's outcome on a server differs from the expected one; empty if it does not. */
export function judge(expected: Expectation, server: string, outcome: Outcome | undefined): readonly string[] {
  if (outcome === undefined) return ['did not run'];
  if ('error' in outcome) return [`${server}: ${outcome.error.message}`];
  if (expected.transcript === undefined) return ['was never recorded: see the README of the conformance suite'];
  return differences(expected.name, expected.transcript, server, outcome.transcript);
}

/** {@link judge} for the embedded server: accepts exactly the listed unsupported features. */
export function judgeEmbedded(one: Case, expected: Expectation, outcome: Outcome | undefined): readonly string[] {
  if (unsupportedReason(one) === undefined) return judge(expected, 'embedded', outcome);
  const refused =
    outcome !== undefined && 'transcript' in outcome && outcome.transcript.some(({ status }) => status === 501);
  return refused ? [] : ['is listed as unsupported, and there is no 501 in its transcript'];
}
