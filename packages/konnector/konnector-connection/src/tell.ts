import type { KubeObject } from '@hawser/client';
import { writesUndone } from '@hawser/controller';
import { type Conditions, type NewCondition, getCondition, hasSameState } from '@hawser/kube-bind';
import type { EventMessage, EventRecorder } from '@hawser/telemetry';

/** What has conditions of the contract. */
type Conditioned = KubeObject & { readonly status?: { readonly conditions?: Conditions | undefined } | undefined };

/**
 * Records a Warning on `object` (a binding, or a bundle) for each of `conditions` that is False and was not before, in the same words. `object` is as it was
 * before the conditions were written.
 */
export function tellConditions(events: EventRecorder, object: Conditioned, conditions: readonly NewCondition[]): void {
  const { apiVersion, kind, metadata } = object;
  for (const event of conditionEvents(object, conditions))
    events.record({ apiVersion, kind, name: metadata.name, uid: metadata.uid }, event);
}

/** Records on `object` (a binding, or a bundle) that the API server answered without `what` was written; `fields`: those of it that the answer lacks. */
export function tellUndone(
  events: EventRecorder,
  object: KubeObject,
  what: string,
  fields: readonly string[] = [],
): void {
  const { apiVersion, kind, metadata } = object;
  events.record({ apiVersion, kind, name: metadata.name, uid: metadata.uid }, writesUndone(what, fields));
}

/** What {@link tellConditions} records. */
export function conditionEvents(object: Conditioned, conditions: readonly NewCondition[]): readonly EventMessage[] {
  return conditions.flatMap((condition) => {
    const before = getCondition(object.status?.conditions, condition.type);
    if (condition.status !== 'False' || (before !== undefined && hasSameState(before, condition))) return [];
    return [{ type: 'Warning', reason: condition.reason ?? condition.type, message: condition.message ?? '' } as const];
  });
}

/** The message of a condition may be cut: this much of a text tells it from others. */
const KNOWN_BY = 200;

/** Whether nobody has heard of `text` yet: neither by what was `told` last, nor by the `message` of the condition as it was. */
export function isUntold(text: string, told: ReadonlySet<string>, message: string): boolean {
  return !told.has(text) && !message.includes(text.slice(0, KNOWN_BY));
}
