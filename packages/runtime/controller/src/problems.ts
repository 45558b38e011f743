import type { ObjectProblem, Problem } from './problem.js';

/** The objects of one controller that are out of step for a reason that needs attention. */
export interface Problems {
  /** Sets the problem of an object. Returns true if the reason is new for it. */
  set(object: string, problem: Problem): boolean;
  clear(object: string): void;
  get(object: string): ObjectProblem | undefined;
  all(): readonly ObjectProblem[];
  readonly size: number;
}

/** `changed` is called for every new, changed or solved problem. */
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
