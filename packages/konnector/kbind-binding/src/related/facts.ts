import {
  type BindingStatus,
  conditionFalse,
  conditionTrue,
  conditionUnknown,
  getCondition,
  type NewCondition,
} from '@hawser/core-kbind';
import type { HeldRelated, RelatedObserved, RelatedReading } from './reading.js';

/**
 * Whether the related objects of a ClusterBinding or Binding are in step. A binding that never had rules does not get
 * it.
 */
export const RELATED_IN_SYNC = 'RelatedResourcesInSync';

/** Number of objects that the message names. */
const EXAMPLES = 3;

/** The condition, from the state of the related objects; none if there is nothing to report. */
export function relatedConditions(
  { refused, readings, held }: RelatedObserved,
  before: BindingStatus = {},
): readonly NewCondition[] {
  const isReported = getCondition(before.conditions, RELATED_IN_SYNC) !== undefined;
  if (refused.length === 0 && readings.length === 0 && !isReported) return [];
  const [rule] = refused;
  const [trouble] = readings.flatMap(({ troubles }) => troubles);
  const problems = readings.flatMap((reading) => reading.problems);
  const [first] = problems;
  const words = [...refused, ...(trouble === undefined ? [] : [trouble.message])];
  if (held !== undefined) words.push(heldInWords(held));
  if (first !== undefined) words.push(problemsInWords(problems.length, problems));
  const reason =
    rule === undefined
      ? (trouble?.reason ?? (held === undefined ? first?.reason : 'RelatedDeletionsHeld'))
      : 'RelatedRuleRefused';
  if (reason !== undefined) return [conditionFalse(RELATED_IN_SYNC, reason, words.join(' '))];
  if (readings.some(({ surveyed }) => !surveyed))
    // While the state is unknown, as at a restart, the old condition stays.
    return isReported ? [] : [conditionUnknown(RELATED_IN_SYNC, 'Pending', 'Not every object was looked at yet.')];
  return [conditionTrue(RELATED_IN_SYNC, 'AsExpected')];
}

function problemsInWords(count: number, problems: RelatedReading['problems']): string {
  const messages = [...new Set(problems.map(({ message }) => message))].slice(0, EXAMPLES);
  return `${count === 1 ? '1 related object is' : `${count} related objects are`} not in step${count > messages.length ? ', such as' : ''}: ${messages.join(' ')}`;
}

function heldInWords({ count, token, examples, perMinute }: HeldRelated): string {
  const more = count > examples.length ? `, and ${count - examples.length} more` : '';
  return `${count} related ${count === 1 ? 'copy' : 'copies'} would be deleted, because the originals are missing and no deletion of them was seen: ${examples.join(', ')}${more}. Up to ${perMinute} go in a minute; of more, none goes. If the originals were lost, restore them. If they are meant to be gone, annotate this binding with "hawser.dev/approve-deletions: ${token}".`;
}
