import type { Watched } from '@hawser/controller';
import {
  type APIServiceExportTemplate,
  type Collection,
  type Condition,
  conditionTypes,
  type Conditions,
} from '@hawser/kube-bind';

/** One Event for each condition that says something new, and bad. */
export function tellProblems<T extends APIServiceExportTemplate | Collection>(
  cache: Pick<Watched<T>, 'tell'>,
  object: T,
  conditions: Conditions,
): void {
  const before: readonly Condition[] = object.status?.conditions ?? [];
  for (const condition of conditions) {
    const { type, status, reason = '', message = '' } = condition;
    if (status !== 'False' || type === conditionTypes.ready || before.includes(condition)) continue;
    cache.tell(object, { type: 'Warning', reason, message });
  }
}
