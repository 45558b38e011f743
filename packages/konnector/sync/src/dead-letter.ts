import type { ObjectProblem } from '@hawser/controller';

/** An object whose writes keep being refused. It is parked: the same write is tried again ever less often. */
export interface DeadLetter extends ObjectProblem {
  /** How often the write was refused in a row. */
  readonly attempts: number;
  /** When it is tried again at the latest, in milliseconds since the epoch. */
  readonly nextAttempt: number;
}
