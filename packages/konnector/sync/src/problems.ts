import type { Actor } from './decision.js';

/** Why one object is not in step, in words for the person who must act. */
export interface Problem {
  /** CamelCase token, stable. */
  readonly reason: string;
  readonly message: string;
  readonly actor: Actor;
}

/** A problem and the consumer object (`namespace/name`, or `name`) that has it. */
export interface ObjectProblem extends Problem {
  readonly object: string;
  /** Milliseconds since the epoch at which it was first seen with this reason. */
  readonly since: number;
}

/** An object whose writes keep being refused. It is parked: the same write is tried again ever less often. */
export interface DeadLetter extends ObjectProblem {
  /** How often the write was refused in a row. */
  readonly attempts: number;
  /** When it is tried again at the latest, in milliseconds since the epoch. */
  readonly nextAttempt: number;
}

/** The objects of one sync that are not in step for a reason that somebody must see to. */
export interface Problems {
  /** Returns true if the object did not have a problem with this reason before. */
  set(object: string, problem: Problem): boolean;
  clear(object: string): void;
  all(): readonly ObjectProblem[];
  readonly size: number;
}

export function createProblems(now: () => number, changed: () => void): Problems {
  const problems = new Map<string, ObjectProblem>();
  return {
    set(object, problem) {
      const known = problems.get(object);
      const isNew = known?.reason !== problem.reason;
      if (!isNew && known.message === problem.message) return false;
      problems.set(object, { ...problem, object, since: isNew ? now() : known.since });
      changed();
      return isNew;
    },
    clear(object) {
      if (problems.delete(object)) changed();
    },
    all: () => [...problems.values()],
    get size() {
      return problems.size;
    },
  };
}
