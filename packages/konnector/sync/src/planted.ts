/** Mistakes for a simulation to find, see `Planted` of @hawser/clock. Nothing of this is in a build. */
import type { UnstructuredObject } from '@hawser/client';
import { equal } from '@hawser/json';

import { decide } from './decide.js';
import type { Action, Decision } from './decision.js';
import type { Observed, PairSettings } from './observed.js';
import { CONSUMER_UID, WANTED_HASH } from './marks.js';
import { wantedHash, wantedOf } from './wanted.js';

/** {@link decide} with what is planted. */
export function plantedDecide(observed: Observed, settings: PairSettings): Decision {
  const decision = decide(observed, settings);
  for (const name of globalThis.hawserPlanted ?? []) {
    const wrong = decisions[name]?.(observed, decision);
    if (wrong !== undefined) return wrong;
  }
  return decision;
}

type Mistake = (observed: Observed, decision: Decision) => Decision | undefined;

const decisions: Readonly<Record<string, Mistake | undefined>> = {
  // What the Go konnector does (docs/compared.md).
  R24: ({ consumer, copy }, decision) => (copy !== undefined && (consumer === undefined || (consumer.metadata.deletionTimestamp !== undefined && decision.actions.some(({ type }) => type === 'removeFinalizer'))) ? doing([{ type: 'deleteCopy', copy }]) : undefined),
  R25: (_, decision) => ({ ...decision, actions: decision.actions.map((action) => (action.type === 'patchCopy' ? { ...action, remove: [] } : action)) }),
  'namespace-polled': (_, decision) => (decision.verdict.kind === 'progressing' && decision.verdict.waitingFor === 'namespace' && decision.actions.length === 0 ? { ...decision, requeueAfterMs: 1_000 } : undefined),
  'defaults-fought': ({ consumer, copy }, decision) =>
    consumer !== undefined && copy !== undefined && decision.verdict.kind === 'inStep' && !equal(consumer['spec'], copy['spec'])
      ? doing([{ type: 'patchCopy', copy, wanted: wantedOf(consumer), wantedHash: wantedHash(wantedOf(consumer)), remove: [], correction: false, wrong: [['spec']], partly: false, annotations: {} }])
      : undefined,
  'uid-never-compared': ({ consumer, copy }, decision) =>
    consumer !== undefined && copy !== undefined && decision.actions.some((action) => action.type === 'patchCopy' && CONSUMER_UID in action.annotations) ? doing([{ type: 'writeStatus', consumer, copy }]) : undefined,
  'delete-on-cache-absence': ({ copy }, decision) =>
    decision.verdict.kind === 'orphan' && copy !== undefined ? doing(copy.metadata.deletionTimestamp === undefined ? [{ type: 'deleteCopy', copy }] : []) : undefined,
  'finalizer-released-early': ({ consumer, copy }, decision) =>
    consumer?.metadata.deletionTimestamp !== undefined && copy?.metadata.deletionTimestamp !== undefined && decision.actions.length === 0 ? doing([{ type: 'removeFinalizer', consumer }]) : undefined,
  'copy-without-finalizer': (_, decision) => ({ ...decision, actions: without(decision, 'addFinalizer') }),
  'drift-kept': ({ copy }, decision) => {
    const patch = decision.actions.find((action) => action.type === 'patchCopy');
    return patch !== undefined && copy?.metadata.annotations?.[WANTED_HASH] === patch.wantedHash ? doing(without(decision, 'patchCopy')) : undefined;
  },
  'status-written-once': ({ consumer }, decision) => (consumer?.['status'] === undefined ? undefined : { ...decision, actions: without(decision, 'writeStatus') }),
  'deletion-unproven': ({ consumer, copy }, decision) =>
    consumer !== undefined && decision.actions.some(({ type }) => type === 'proveDeletion') && copy !== undefined && copy.metadata.deletionTimestamp === undefined ? doing([{ type: 'deleteCopy', copy }]) : undefined,
};

function doing(actions: readonly Action[]): Decision {
  return { actions, verdict: { kind: 'progressing', waitingFor: 'write' } };
}

function without({ actions }: Decision, type: Action['type']): readonly Action[] {
  return actions.filter((action) => action.type !== type);
}

const firstCopies = new Map<string, UnstructuredObject>();

/** The copy whose status is taken: with `status-of-former-copy`, the first that was ever seen in that place. */
export function plantedCopy(key: string, copy: UnstructuredObject | undefined): UnstructuredObject | undefined {
  if (copy === undefined || globalThis.hawserPlanted?.has('status-of-former-copy') !== true) return copy;
  const first = firstCopies.get(key);
  if (first === undefined) firstCopies.set(key, copy);
  return first === undefined || first.metadata.uid === copy.metadata.uid ? copy : { ...copy, status: first['status'] };
}
