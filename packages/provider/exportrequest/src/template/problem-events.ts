import {
  type APIServiceExportTemplate,
  type Collection,
  type Condition,
  conditionTypes,
  type Conditions,
} from '@hawser/kube-bind';
import type { EventMessage } from '@hawser/telemetry';

/** One Event for each condition with a new problem. */
export function problemEvents(
  object: APIServiceExportTemplate | Collection,
  conditions: Conditions,
): readonly EventMessage[] {
  const before: readonly Condition[] = object.status?.conditions ?? [];
  return conditions.flatMap((condition) => {
    const { type, status, reason = '', message = '' } = condition;
    if (status !== 'False' || type === conditionTypes.ready || before.includes(condition)) return [];
    return [{ type: 'Warning', reason, message } as const];
  });
}
