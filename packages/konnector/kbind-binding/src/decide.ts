import type { Decision as AnyDecision } from '@hawser/controller';
import {
  annotations,
  type Binding,
  type BindingStatus,
  conditionFalse,
  finalizers,
  mayUse,
  setConditions,
} from '@hawser/core-kbind';
import { isReady } from '@hawser/kbind-connection';
import { equal } from '@hawser/json';
import type { Action, StatusFacts } from './actions.js';
import { decideAPI } from './decide-api.js';
import { decideEnd, endPolicyOf } from './decide-end.js';
import { factsOf, type Standing, waitingFacts } from './facts.js';
import type { APIObserved, Observed } from './observed.js';
import { decideRelated, decideRelatedEnd, stopRelated } from './related/decide-related.js';
import { relatedConditions } from './related/facts.js';

export type Decision = AnyDecision<Action>;

/** Interval for state that no watch reports. */
const LATER_MS = 30_000;
/** Interval while objects or CRDs are being deleted. */
const SOON_MS = 2_000;

/** Decides the next steps for a binding. Pure. */
export function decide(observed: Observed): Decision {
  const { key, binding, malformed, connection, link, apis, left } = observed;
  if (binding === undefined) return { actions: stopAll(observed) };
  if (binding.metadata.deletionTimestamp !== undefined) return decideUnbinding(observed, binding);
  if (malformed !== undefined)
    return report(
      observed,
      binding,
      waitingFacts('Malformed', `${malformed}. Correct this object, and install the CRDs of the chart.`),
    );
  if (binding.metadata.finalizers?.includes(finalizers.cleanup) !== true)
    return { actions: [{ type: 'addFinalizer', binding }] };
  const leaving = left.flatMap((api) => releasing(observed, binding, api));
  if (leaving.length > 0) return { actions: leaving };
  const name = binding.spec.connectionRef.name;
  if (connection === undefined)
    return withoutLink(observed, binding, `There is no Connection ${name}. It is used as soon as there is.`);
  if (!mayUse(connection, binding.metadata.namespace))
    return withoutLink(
      observed,
      binding,
      `Connection ${name} is not open to namespace ${binding.metadata.namespace ?? ''}. The operator has to add it to the annotation ${annotations.allowedNamespaces} of the Connection.`,
      'NamespaceRefused',
    );
  // Another process found the Connection ready; this process must prove it first.
  if (link === undefined && isReady(connection)) return { actions: [] };
  if (link === undefined)
    return withoutLink(observed, binding, `Connection ${name} does not work; its conditions say why.`);
  const standings: Standing[] = [];
  const steps: Action[] = [...decideRelated(key, binding, link, observed.related.readings)];
  for (const api of apis) {
    const verdict = decideAPI(api, { key, binding, connection, link });
    if (verdict.kind === 'steps') steps.push(...verdict.actions);
    standings.push({ api, verdict });
  }
  if (steps.length > 0) return { actions: steps };
  const facts = factsOf(standings, binding.status);
  const related = relatedConditions(observed.related, binding.status);
  return report(observed, binding, { ...facts, conditions: [...facts.conditions, ...related] });
}

/** Stops everything that runs for the binding. */
function stopAll({ key, apis, left, related }: Observed): readonly Action[] {
  return [...[...apis, ...left].flatMap((api) => stopOf(key, api)), ...stopRelated(key, related.readings)];
}

/** Objects wait for the provider to return; bound APIs stay bound. */
function withoutLink(
  observed: Observed,
  binding: Binding,
  message: string,
  reason: 'Pending' | 'NamespaceRefused' = 'Pending',
): Decision {
  const running = stopAll({ ...observed, left: [] });
  return running.length > 0 ? { actions: running } : report(observed, binding, waitingFacts(reason, message));
}

/** Releases an API that is no longer bound: its objects and copies stay as they are (spec/kbind-v2.md §27.1, K2). */
function releasing({ key }: Observed, binding: Binding, api: APIObserved): readonly Action[] {
  const stop = stopOf(key, api);
  if (stop.length > 0) return stop;
  return api.crd === undefined || api.held === 0
    ? []
    : [{ type: 'release', key, crd: api.crd, binding, leaving: true }];
}

function decideUnbinding(observed: Observed, binding: Binding): Decision {
  const { apis, left, malformed } = observed;
  if (binding.metadata.finalizers?.includes(finalizers.cleanup) !== true) return { actions: stopAll(observed) };
  if (malformed !== undefined) return { actions: [{ type: 'removeFinalizer', binding }] };
  const verdicts = apis.map((api) => decideEnd(api, observed, binding));
  // The status may still name APIs that the binding no longer lists. They were released before, with everything in
  // them.
  const leaving = left.flatMap((api) => releasing(observed, binding, api));
  const steps = [...leaving, ...verdicts.flatMap((verdict) => (verdict.kind === 'steps' ? verdict.actions : []))];
  if (steps.length > 0) return { actions: steps };
  const waits = verdicts.flatMap((verdict) => (verdict.kind === 'waits' ? [verdict.message] : []));
  if (waits.length === 0) {
    // Controllers may need related objects until the last object is gone.
    const end = relatedEnd(observed, binding);
    if (end.steps.length > 0) return { actions: end.steps };
    if (end.waits === undefined) return { actions: [{ type: 'removeFinalizer', binding }] };
    waits.push(end.waits);
  }
  const facts = { conditions: [conditionFalse('Ready', 'Unbinding', waits.join(' '))] };
  return { ...report(observed, binding, facts), requeueAfterMs: SOON_MS };
}

function relatedEnd({ key, link, related }: Observed, binding: Binding): ReturnType<typeof decideRelatedEnd> {
  const policy = endPolicyOf(binding);
  return policy === 'Orphan' || policy === 'Release'
    ? { steps: stopRelated(key, related.readings), waits: undefined }
    : decideRelatedEnd(key, binding, link, related.readings);
}

function stopOf(key: string, { name, sync }: APIObserved): readonly Action[] {
  return sync === undefined ? [] : [{ type: 'stopSync', key, api: name }];
}

function report(observed: Observed, binding: Binding, facts: StatusFacts): Decision {
  const isWritten = statusOf(binding.status ?? {}, binding, facts, observed.now) === binding.status;
  const ready = facts.conditions.find(({ type }) => type === 'Ready');
  return {
    actions: isWritten ? [] : [{ type: 'writeStatus', binding, facts }],
    requeueAfterMs: LATER_MS,
    ...(ready === undefined || ready.status === 'True' || quiet.has(ready.reason)
      ? {}
      : { event: { type: 'Warning', reason: ready.reason, message: ready.message } as const }),
  };
}

/** Reasons without an Event: the state passes, or waits for users. */
const quiet: ReadonlySet<string> = new Set(['Pending', 'Unbinding']);

/** The status with the facts; the same object if they change nothing. */
export function statusOf(
  status: BindingStatus,
  { metadata }: Binding,
  { boundAPIs, conditions }: StatusFacts,
  now: number,
): BindingStatus {
  const next: BindingStatus = {
    ...status,
    ...(boundAPIs === undefined ? {} : { boundAPIs }),
    conditions: setConditions(status.conditions, conditions, metadata.generation, now),
  };
  return equal(status, next) ? status : next;
}
