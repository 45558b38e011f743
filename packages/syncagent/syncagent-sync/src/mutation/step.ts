import type { JsonObject, JsonValue } from '@hawser/json';

/** What a step is applied to: the object as the steps before have left it, and the object on the other side, if there is one. */
export interface Subject {
  readonly self: JsonObject;
  readonly other: JsonObject | undefined;
}

/** One compiled step: the object as it is after it. Changes nothing that it is given. @throws {MutationError} */
export type Step = (subject: Subject) => JsonValue;
