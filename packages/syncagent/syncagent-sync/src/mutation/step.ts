import type { JsonObject, JsonValue } from '@hawser/json';

/** Input of a step: the object after the steps before, and the object on the other side, if there is one. */
export interface Subject {
  readonly self: JsonObject;
  readonly other: JsonObject | undefined;
}

/** One compiled step: returns the changed object. Changes none of its inputs. @throws {MutationError} */
export type Step = (subject: Subject) => JsonValue;
