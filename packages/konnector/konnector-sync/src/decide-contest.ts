import type { UnstructuredObject } from '@hawser/client';

import { type Contest, contestOf } from './corrections.js';
import type { Decision } from './decision.js';
import type { Path } from './difference.js';
import { FIELD_MANAGER } from './marks.js';
import type { Observed, PairSettings } from './observed.js';
import { held, pathsInWords, progressing } from './verdicts.js';

/**
 * Decides about a fight over fields of a copy: name the other writer, then leave the copy unchanged. Undefined: there
 * is no fight, or a retry is due.
 */
export function decideContest(
  { memory, now }: Observed,
  copy: UnstructuredObject,
  wrong: readonly Path[],
  wantedHash: string,
  settings: PairSettings,
): Decision | undefined {
  const contest = contestOf(memory, wrong, wantedHash, now, settings.contestedAfter);
  if (contest === undefined) return undefined;
  const { name, namespace } = copy.metadata;
  if (contest.writers === undefined)
    return { actions: [{ type: 'nameWriters', key: { name, namespace }, contest }], verdict: progressing('write') };
  return {
    ...held('FieldContested', contestInWords(contest, 'provider'), 'provider'),
    requeueAfterMs: contest.until - now,
  };
}

/** Describes the fight: the fields, the other writers, and the remedy. */
export function contestInWords({ paths, writers = [], forMs }: Contest, side: 'consumer' | 'provider'): string {
  const who =
    writers.length === 0
      ? `another process with the field manager "${FIELD_MANAGER}"`
      : writers.map((writer) => `"${writer}"`).join(' and ');
  return `On the ${side}, ${who} writes ${pathsInWords(paths)} as often as it is put back. The copy is left as it is, and tried again after ${Math.round(forMs / 60_000)} min. Agree on one owner, or name the field in the binding's annotation hawser.dev/drift-ignore.`;
}
