import {
  type BindingStatus,
  type BoundAPI,
  conditionFalse,
  conditionTrue,
  conditionUnknown,
  getCondition,
  type NewCondition,
} from '@hawser/core-kbind';
import { compareBytes } from '@hawser/json';
import type { ObjectProblem } from '@hawser/controller';
import { OBJECTS_ELSEWHERE } from '@hawser/konnector-sync';
import type { StatusFacts } from './actions.js';
import type { APIVerdict } from './decide-api.js';
import type { APIObserved } from './observed.js';

/** State of one API. */
export interface Standing {
  readonly api: APIObserved;
  readonly verdict: APIVerdict;
}

/** The facts of a binding that cannot proceed. */
export function waitingFacts(reason: string, message: string): StatusFacts {
  return { conditions: [conditionFalse('Ready', reason, message)] };
}

/** The status of a binding from the state of its APIs, each on its own (spec/kbind-v2.md §27.4, K40). */
export function factsOf(standings: readonly Standing[], before: BindingStatus = {}): StatusFacts {
  // While the state is unknown, as at a restart, the old condition stays.
  const isKnown = standings.every(({ api }) => api.sync?.surveyed !== false);
  const stays = (type: string): boolean => !isKnown && getCondition(before.conditions, type) !== undefined;
  const boundAPIs = standings
    .flatMap(({ api, verdict }): BoundAPI[] => {
      if (verdict.kind !== 'serves') return [];
      const reportedCount = before.boundAPIs?.find(({ name }) => name === api.name)?.conflictCount ?? 0;
      const conflicts = api.sync?.surveyed === false ? reportedCount : conflictsOf(api).length;
      return [
        {
          name: api.name,
          ...(verdict.hash === undefined ? {} : { crdHash: verdict.hash }),
          ...(conflicts === 0 ? {} : { conflictCount: conflicts }),
        },
      ];
    })
    .sort((a, b) => compareBytes(a.name, b.name));
  return {
    boundAPIs,
    conditions: [
      readyOf(standings),
      syncedOf(standings),
      conflictsCondition(standings),
      deniedOf(standings),
      schemaOf(standings),
      ...routedOf(standings, before),
    ].filter(({ type }) => !ofObjects.has(type) || !stays(type)),
  };
}

/** Conditions that summarize the state of objects. */
const ofObjects: ReadonlySet<string> = new Set(['Synced', 'Conflicts', 'Routed']);

/** Present if an object of the binding is, or was, not where the bindings lead. */
function routedOf(standings: readonly Standing[], { conditions }: BindingStatus): readonly NewCondition[] {
  const misrouted = standings.flatMap(({ api }) => api.sync?.problems ?? []).filter(isMisrouted);
  const [first] = misrouted;
  if (first === undefined)
    return getCondition(conditions, 'Routed') === undefined ? [] : [conditionTrue('Routed', 'AsExpected')];
  const count = misrouted.length === 1 ? '1 object is' : `${misrouted.length} objects are`;
  const message = `${count} not where the bindings lead, such as ${first.object}: ${first.message}`;
  return [conditionFalse('Routed', OBJECTS_ELSEWHERE, message)];
}

function isMisrouted({ reason }: ObjectProblem): boolean {
  return reason === OBJECTS_ELSEWHERE;
}

function readyOf(standings: readonly Standing[]): NewCondition {
  const waiting = standings.flatMap(({ verdict }) => (verdict.kind === 'waits' ? [verdict] : []));
  const [first] = waiting;
  if (first === undefined) return conditionTrue('Ready', 'AsExpected');
  return conditionFalse('Ready', first.reason, waiting.map(({ message }) => message).join(' '));
}

function syncedOf(standings: readonly Standing[]): NewCondition {
  const syncs = standings.flatMap(({ api }) => (api.sync === undefined ? [] : [api.sync]));
  const problems = syncs.flatMap((sync) => sync.problems).filter((problem) => !isMisrouted(problem));
  const [first] = problems;
  if (first !== undefined) {
    const count = problems.length === 1 ? '1 object is' : `${problems.length} objects are`;
    return conditionFalse(
      'Synced',
      'ObjectsNotSynced',
      `${count} not in step, such as ${first.object}: ${first.message}`,
    );
  }
  if (syncs.length === 0 || syncs.some((sync) => !sync.surveyed))
    return conditionUnknown('Synced', 'Pending', 'Not every object was looked at yet.');
  return conditionTrue('Synced', 'AsExpected');
}

const conflictReasons: ReadonlySet<string> = new Set(['ForeignObjectExists', 'OwnedByAnother']);

function conflictsOf({ sync }: APIObserved): readonly string[] {
  return (sync?.problems ?? []).map(({ reason }) => reason).filter((reason) => conflictReasons.has(reason));
}

function conflictsCondition(standings: readonly Standing[]): NewCondition {
  const reasons = standings.flatMap(({ api }) => conflictsOf(api));
  if (reasons.length === 0) return conditionFalse('Conflicts', 'AsExpected', '');
  const reason = reasons.includes('ForeignObjectExists') ? 'ForeignObjectExists' : 'OwnedByAnother';
  const message = `${reasons.length === 1 ? '1 object is' : `${reasons.length} objects are`} not synced, because another object stands in the place of the copy.`;
  return conditionTrue('Conflicts', reason, message);
}

function deniedOf(standings: readonly Standing[]): NewCondition {
  const denied = standings.flatMap(({ verdict }) =>
    verdict.kind === 'waits' && verdict.reason === 'Forbidden' ? [verdict.message] : [],
  );
  return denied.length === 0
    ? conditionFalse('PermissionDenied', 'AsExpected', '')
    : conditionTrue('PermissionDenied', 'Forbidden', denied.join(' '));
}

/** A changed schema is held; the CRD stays as it is. */
function schemaOf(standings: readonly Standing[]): NewCondition {
  const held = standings.flatMap(({ api }) => (api.hold === undefined ? [] : [{ name: api.name, hold: api.hold }]));
  const [first] = held;
  if (first === undefined) return schemaOfOthers(standings);
  const words = held.map(({ name, hold }) => {
    const approve =
      hold.hash === undefined
        ? ''
        : ` To let it through, annotate the binding with hawser.dev/schema-approved=${hold.hash}.`;
    return `The changed schema of ${name} is held (${hold.reason}): ${hold.message}${approve}`;
  });
  return conditionFalse('SchemaInSync', first.hold.reason, words.join(' '));
}

/** The CRD follows the Connection that installed it. */
function schemaOfOthers(standings: readonly Standing[]): NewCondition {
  const others = standings.flatMap(({ api: { name }, verdict }) =>
    verdict.kind === 'serves' && verdict.schemaOf !== undefined ? [{ name, connection: verdict.schemaOf }] : [],
  );
  if (others.length === 0) return conditionTrue('SchemaInSync', 'AsExpected');
  const words = others.map(
    ({ name, connection }) =>
      `The CRD ${name} has the schema that Connection ${connection} offers; this provider offers another one, and judges objects by it.`,
  );
  return conditionFalse('SchemaInSync', 'SchemaOfOtherConnection', words.join(' '));
}
