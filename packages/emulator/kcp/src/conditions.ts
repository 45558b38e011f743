import { objectField, objectsField, stringField, withAt } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';

/** A condition in kcp's form: a True one has neither reason nor message. */
export interface KcpCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly severity?: 'Error' | 'Warning' | 'Info';
  readonly reason?: string;
  readonly message?: string;
}

export const conditionsOf = (object: JsonObject): readonly JsonObject[] =>
  objectsField(objectField(object, 'status'), 'conditions');

/** Sets conditions; an unchanged one keeps its time. `Ready` comes first, the others by name. */
export function withConditions(object: JsonObject, conditions: readonly KcpCondition[], now: string): JsonObject {
  const before = conditionsOf(object);
  const set = conditions.map((condition): JsonObject => {
    const known = before.find((each) => each['type'] === condition.type);
    const same =
      known !== undefined &&
      known['status'] === condition.status &&
      known['reason'] === condition.reason &&
      known['message'] === condition.message;
    return same
      ? known
      : {
          ...condition,
          lastTransitionTime: known?.['status'] === condition.status ? (known['lastTransitionTime'] ?? now) : now,
        };
  });
  const others = before.filter((each) => !conditions.some((condition) => condition.type === each['type']));
  return withAt(object, ['status', 'conditions'], [...others, ...set].sort(byType));
}

function byType(a: JsonObject, b: JsonObject): number {
  const [left, right] = [stringField(a, 'type'), stringField(b, 'type')];
  if (left === right) return 0;
  if (left === 'Ready') return -1;
  if (right === 'Ready') return 1;
  return left < right ? -1 : 1;
}
