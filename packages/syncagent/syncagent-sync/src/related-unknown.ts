import { isApiError } from '@hawser/client';
import type { Problem } from '@hawser/controller';

import { type SideName, problemOf } from './problem-of.js';

/** The cache of a related type is not filled: nothing is known. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
}

/** A server refuses to show a related type: no event will report the end of that. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';

  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

/** Why a server does not show something, if that may last; undefined for transient failures. */
export function refusalOf(error: unknown, side: SideName): Problem | undefined {
  if (error instanceof Unreadable) return error.problem;
  return isApiError(error, 'Forbidden', 'Unauthorized', 'NotFound', 'MethodNotAllowed')
    ? problemOf(error, side, 'object')
    : undefined;
}
