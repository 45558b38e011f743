import type { ObjectProblem, Problem } from './problem.js';

/** The objects of one controller that are not in step for a reason that somebody must see to. */
export interface Problems {
  /** Returns true if the object did not have a problem with this reason before. */
  set(object: string, problem: Problem): boolean;
  clear(object: string): void;
  get(object: string): ObjectProblem | undefined;
  all(): readonly ObjectProblem[];
  readonly size: number;
}

/** `changed` is told of every problem that is another, or is no more. */
export function createProblems(now: () => number, changed: () => void): Problems {
  const problems = new Map<string, ObjectProblem>();
  return {
    set(object, { reason, message, actor }) {
      const known = problems.get(object);
      const isNew = known?.reason !== reason;
      if (!isNew && known.message === message) return false;
      problems.set(object, { reason, message, actor, object, since: isNew ? now() : known.since });
      changed();
      return isNew;
    },
    clear(object) {
      if (problems.delete(object)) changed();
    },
    get: (object) => problems.get(object),
    all: () => [...problems.values()],
    get size() {
      return problems.size;
    },
  };
}
