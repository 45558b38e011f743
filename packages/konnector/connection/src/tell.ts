import { type APIServiceBinding, type NewCondition, getCondition, hasSameState } from '@hawser/kube-bind';
import type { EventRecorder } from '@hawser/telemetry';

/**
 * Records a Warning on `binding` for each of `conditions` that is False and was not before, in the same words. `binding` is the object as it was
 * before the conditions were written.
 */
export function tellConditions(events: EventRecorder, binding: APIServiceBinding, conditions: readonly NewCondition[]): void {
  const { apiVersion, kind, metadata } = binding;
  for (const condition of conditions) {
    const before = getCondition(binding.status?.conditions, condition.type);
    if (condition.status !== 'False' || (before !== undefined && hasSameState(before, condition))) continue;
    events.record({ apiVersion, kind, name: metadata.name, uid: metadata.uid }, { type: 'Warning', reason: condition.reason ?? condition.type, message: condition.message ?? '' });
  }
}
