import type { ObjectProblem, Problem } from '@hawser/controller';
import {
  type NewCondition,
  type PublishedResourceStatus,
  getCondition,
  hawserAnnotations,
  removeCondition,
  setCondition,
} from '@hawser/syncagent-api';
import type { Sync } from '@hawser/syncagent-sync';
import { publicationConditions } from '@hawser/publication';

/** State of one PublishedResource in the syncmanager. */
export type State =
  /** Nothing to sync: it is off, ends, or has no schema yet. */
  | { readonly kind: 'stopped' }
  /** No workspace binds the export, according to its endpoints. `problem`: a problem with these. */
  | { readonly kind: 'unbound'; readonly problem?: Problem | undefined }
  /** Not ready yet. `problem`: a person must act. */
  | { readonly kind: 'waiting'; readonly problem?: Problem | undefined }
  /** Its rules are invalid. */
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }
  | {
      readonly kind: 'running';
      readonly sync: ReportedSync;
      /** What is wrong with the endpoints. */ readonly endpoints?: (() => Problem | undefined) | undefined;
    };

export type ReportedSync = Pick<Sync, 'counts' | 'problems' | 'troubles' | 'surveyed' | 'pause'>;

/** Maximum number of objects that a message names. */
const NAMED = 3;

/** Merges the state into `status`. Depends on nothing else; unknown values stay. */
export function withState(status: PublishedResourceStatus, state: State, nowMs: number): PublishedResourceStatus {
  const set = (condition: NewCondition, from = status): PublishedResourceStatus => ({
    ...from,
    conditions: setCondition(from.conditions, condition, nowMs),
  });
  const without = (...types: readonly string[]): PublishedResourceStatus => ({
    ...status,
    counts: undefined,
    conditions: types.reduce(
      (conditions: PublishedResourceStatus['conditions'], type) => removeCondition(conditions, type),
      status.conditions,
    ),
  });
  switch (state.kind) {
    case 'stopped':
      return without(publicationConditions.objectsInSync, publicationConditions.valid, publicationConditions.paused);
    case 'invalid':
      return set(invalid(state.problems), without(publicationConditions.objectsInSync));
    case 'unbound': {
      const none: PublishedResourceStatus = {
        ...without(publicationConditions.objectsInSync),
        counts: { objects: 0, workspaces: 0, failing: 0 },
      };
      return state.problem === undefined ? none : set(outOfStep(state.problem), none);
    }
    case 'waiting':
      return state.problem === undefined ? status : set(outOfStep(state.problem));
    case 'running':
      return running(withPause(status, state.sync, nowMs), state.sync, state.endpoints?.(), nowMs);
  }
}

function withPause(status: PublishedResourceStatus, { pause }: ReportedSync, nowMs: number): PublishedResourceStatus {
  const type = publicationConditions.paused;
  if (pause === undefined) return { ...status, conditions: removeCondition(status.conditions, type) };
  const message = `Nothing is written for its objects, as the annotation ${hawserAnnotations.paused} says${pause.reason === '' ? '' : `: ${pause.reason}`}.`;
  return {
    ...status,
    conditions: setCondition(status.conditions, { type, status: 'True', reason: 'Paused', message }, nowMs),
  };
}

function running(
  status: PublishedResourceStatus,
  sync: ReportedSync,
  problem: Problem | undefined,
  nowMs: number,
): PublishedResourceStatus {
  const valid: PublishedResourceStatus = {
    ...status,
    conditions: setCondition(
      status.conditions,
      { type: publicationConditions.valid, status: 'True', reason: 'Valid', message: '' },
      nowMs,
    ),
  };
  const trouble = sync.troubles()[0] ?? problem;
  // Until every object was processed, the numbers of the last run are closer to the truth.
  if (!sync.surveyed)
    return trouble === undefined
      ? valid
      : { ...valid, conditions: setCondition(valid.conditions, outOfStep(trouble), nowMs) };
  const { objects, workspaces, failing, orphans } = sync.counts();
  const counted: PublishedResourceStatus = { ...valid, counts: { objects, workspaces, failing } };
  if (trouble !== undefined)
    return { ...counted, conditions: setCondition(valid.conditions, outOfStep(trouble), nowMs) };
  if (workspaces === 0)
    return { ...counted, conditions: removeCondition(valid.conditions, publicationConditions.objectsInSync) };
  return {
    ...counted,
    conditions: setCondition(
      valid.conditions,
      inStep(
        failing,
        orphans,
        sync.problems(),
        getCondition(status.conditions, publicationConditions.objectsInSync)?.message,
      ),
      nowMs,
    ),
  };
}

const invalid = (problems: readonly string[]): NewCondition => ({
  type: publicationConditions.valid,
  status: 'False',
  reason: 'RulesInvalid',
  message: `No object is synchronised until the provider corrects the spec: ${problems.join(' ')}`,
});

const outOfStep = ({ reason, message }: Problem): NewCondition => ({
  type: publicationConditions.objectsInSync,
  status: 'False',
  reason,
  message,
});

function inStep(
  failing: number,
  orphans: number,
  problems: readonly ObjectProblem[],
  before: string | undefined,
): NewCondition {
  const type = publicationConditions.objectsInSync;
  const kept =
    orphans === 0
      ? ''
      : `${copies(orphans)} on the service cluster ${orphans === 1 ? 'has' : 'have'} no object in kcp any more and ${orphans === 1 ? 'is' : 'are'} kept.`;
  if (failing === 0) return { type, status: 'True', reason: 'InStep', message: kept };
  const named = chosen(problems, before).map(({ object, message, actor }) => `${object}: ${message} (${actor})`);
  const message = `${failing === 1 ? '1 object is' : `${failing} objects are`} not in step: ${named.join('; ')}${failing > named.length ? '; …' : ''}`;
  return {
    type,
    status: 'False',
    reason: problems.every(({ reason }) => reason === problems[0]?.reason)
      ? (problems[0]?.reason ?? 'ObjectsFailing')
      : 'ObjectsFailing',
    message: [message, kept].filter((part) => part !== '').join(' '),
  };
}

/** Keeps named objects while they have their problems: the message then does not change with each other object. */
function chosen(problems: readonly ObjectProblem[], before = ''): readonly ObjectProblem[] {
  const rank = ({ object }: ObjectProblem): number => (before.includes(`${object}: `) ? 0 : 1);
  return problems
    .toSorted((a, b) => rank(a) - rank(b) || a.since - b.since || (a.object < b.object ? -1 : 1))
    .slice(0, NAMED);
}

const copies = (count: number): string => (count === 1 ? '1 copy' : `${count} copies`);
