import { equal } from '@hawser/json';
import type { FieldError } from '../field-error.js';
import { invalidStatusMessage, toStatusCauses } from '../status-message.js';
import { type Answer, sortedCauses } from './api-server.js';

/** Answers of this package and the real server about the same object, if they differ. */
export interface Difference {
  readonly what: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

/** Compares acceptance, causes and message. `undefined` if they agree. */
export function compareErrors(
  what: string,
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
  theirs: Answer,
): Difference | undefined {
  const ours = sortedCauses(toStatusCauses(errors));
  const expected = sortedCauses(theirs.causes);
  if (
    !equal(ours, expected) ||
    (theirs.status === 422) !== errors.length > 0 ||
    theirs.status < 300 !== (errors.length === 0)
  ) {
    return {
      what,
      ours: ours.filter((line) => !expected.includes(line)),
      theirs: [
        theirs.status,
        theirs.causes.length === 0 ? theirs.message : '',
        ...expected.filter((line) => !ours.includes(line)),
      ],
    };
  }
  if (errors.length === 0) return undefined;
  // Go reports in any order: puts ours into the order of theirs.
  const order = new Map(theirs.causes.map((cause, index) => [sortedCauses([cause])[0], index]));
  const rank = (error: FieldError): number => order.get(sortedCauses(toStatusCauses([error]))[0]) ?? 0;
  const message = invalidStatusMessage(
    kind,
    name,
    [...errors].sort((a, b) => rank(a) - rank(b)),
  );
  return message === theirs.message ? undefined : { what, ours: message, theirs: theirs.message };
}
