import type { KubeObject } from '@hawser/client';
import { writesUndone } from '@hawser/controller';
import { type Conditions, type NewCondition, getCondition, hasSameState } from '@hawser/kube-bind';
import type { EventMessage, EventRecorder } from '@hawser/telemetry';

/** An object with conditions of the contract. */
type Conditioned = KubeObject & { readonly status?: { readonly conditions?: Conditions | undefined } | undefined };

/**
 * Records a Warning on `object` (a binding, or a bundle) for each of `conditions` that has become False, with the same
 * text. `object` is the state before the conditions were written.
 */
export function recordConditions(
  events: EventRecorder,
  object: Conditioned,
  conditions: readonly NewCondition[],
): void {
  const { apiVersion, kind, metadata } = object;
  for (const event of conditionEvents(object, conditions))
    events.record({ apiVersion, kind, name: metadata.name, uid: metadata.uid }, event);
}

/**
 * Records on `object` (a binding, or a bundle) that the API server's answer lacks the written `what`; `fields`: the
 * missing fields.
 */
export function recordUndone(
  events: EventRecorder,
  object: KubeObject,
  what: string,
  fields: readonly string[] = [],
): void {
  const { apiVersion, kind, metadata } = object;
  events.record({ apiVersion, kind, name: metadata.name, uid: metadata.uid }, writesUndone(what, fields));
}

/** The Events of {@link recordConditions}. */
export function conditionEvents(object: Conditioned, conditions: readonly NewCondition[]): readonly EventMessage[] {
  return conditions.flatMap((condition) => {
    const before = getCondition(object.status?.conditions, condition.type);
    if (condition.status !== 'False' || (before !== undefined && hasSameState(before, condition))) return [];
    return [{ type: 'Warning', reason: condition.reason ?? condition.type, message: condition.message ?? '' } as const];
  });
}

/** A condition's message may be cut: this much of a text identifies it. */
const KNOWN_BY = 200;

/** Whether `text` was not reported yet: neither in `reported`, nor in the earlier `message` of the condition. */
export function isUnreported(text: string, reported: ReadonlySet<string>, message: string): boolean {
  return !reported.has(text) && !message.includes(text.slice(0, KNOWN_BY));
}
