import type { Case } from './case.js';
import { differences } from './difference.js';
import type { Transcript } from './exchange.js';
import type { Outcome } from './suite.js';
import { unsupportedReason } from './unsupported.js';

/** What is expected of a case, and by which name it goes in messages. */
export interface Expectation {
  readonly name: string;
  readonly transcript: Transcript | undefined;
}

/** Why the outcome of a case on a server is not what is expected; empty if it is. */
export function judge(expected: Expectation, server: string, outcome: Outcome | undefined): readonly string[] {
  if (outcome === undefined) return ['did not run'];
  if ('error' in outcome) return [`${server}: ${outcome.error.message}`];
  if (expected.transcript === undefined) return ['was never recorded: see the README of the conformance suite'];
  return differences(expected.name, expected.transcript, server, outcome.transcript);
}

/** As {@link judge}, for the embedded server: what it openly cannot do is listed, and only that. */
export function judgeEmbedded(one: Case, expected: Expectation, outcome: Outcome | undefined): readonly string[] {
  if (unsupportedReason(one) === undefined) return judge(expected, 'embedded', outcome);
  const refused =
    outcome !== undefined && 'transcript' in outcome && outcome.transcript.some(({ status }) => status === 501);
  return refused ? [] : ['is listed as unsupported, and there is no 501 in its transcript'];
}
