import { isUnreported } from '@hawser/konnector-connection';
import type { ObjectProblem, Problem } from '@hawser/controller';
import {
  type APIServiceBindingStatus,
  falseCondition,
  getCondition,
  setBindingSummary,
  setCondition,
  trueCondition,
} from '@hawser/kube-bind';

/** Why a whole resource of a binding, or part of it, is not synced. */
export interface ResourceProblem extends Problem {
  /** `databases.example.com`. */
  readonly resource: string;
}

/** All problems that keep a binding out of sync. */
export interface BindingProblems {
  readonly resources: readonly ResourceProblem[];
  readonly objects: readonly ObjectProblem[];
}

/** Hawser's condition on the APIServiceBinding: whether every object is in sync. */
export const OBJECTS_IN_SYNC = 'ObjectsInSync';

const EXAMPLES = 3;
const MAX_MESSAGE = 1_000;

/**
 * Computes the binding's status from the problems of its objects. Severity is empty: otherwise a Go konnector's summary
 * would keep Ready=False after a swap back. A binding without problems, now and before, stays unchanged.
 */
export function objectsInSync(
  before: APIServiceBindingStatus,
  problems: BindingProblems,
  now: number,
): APIServiceBindingStatus {
  const known = before.conditions ?? [];
  const all = [...problems.resources, ...problems.objects];
  // `Ready` of the binding follows this reason: another object's problem must not hide it.
  const first = all.find(({ reason }) => reason === 'ForbiddenByProvider') ?? all[0];
  if (first === undefined) {
    if (getCondition(known, OBJECTS_IN_SYNC)?.status !== 'False') return before;
    return {
      ...before,
      conditions: [...setBindingSummary(setCondition(known, trueCondition(OBJECTS_IN_SYNC), now), now)],
    };
  }
  const condition = falseCondition(OBJECTS_IN_SYNC, first.reason, '', messageOf(problems));
  return { ...before, conditions: [...setBindingSummary(setCondition(known, condition, now), now)] };
}

/** Text of a resource's problem in the condition; also identifies the problem there. */
export function resourceProblemText({ resource, reason, message }: ResourceProblem): string {
  return `${resource}: ${reason}: ${message}`;
}

/** Selects the problems not reported yet: neither `reported` last, nor in the condition's former `message`. Pure. */
export function unreportedProblems(
  problems: readonly ResourceProblem[],
  reported: ReadonlySet<string>,
  message: string,
): readonly ResourceProblem[] {
  return problems.filter((problem) => isUnreported(resourceProblemText(problem), reported, message));
}

function messageOf({ resources, objects }: BindingProblems): string {
  const message = [...resources.map(resourceProblemText), ...(objects.length === 0 ? [] : [objectsText(objects)])].join(
    ' ',
  );
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message;
}

function objectsText(problems: readonly ObjectProblem[]): string {
  const shown = [...problems]
    .sort((a, b) => a.since - b.since || (a.object < b.object ? -1 : 1))
    .slice(0, EXAMPLES)
    .map(({ object, reason, message }) => `${object}: ${reason}: ${message}`);
  const more = problems.length > EXAMPLES ? ` And ${problems.length - EXAMPLES} more.` : '';
  return `${problems.length} ${problems.length === 1 ? 'object is' : 'objects are'} not in step. ${shown.join(' ')}${more}`;
}
