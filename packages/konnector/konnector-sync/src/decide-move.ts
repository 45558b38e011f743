import type { UnstructuredObject } from '@hawser/client';

import { waitForCopyToGo } from './decide-termination.js';
import type { Action, Decision } from './decision.js';
import type { Observed, PairSettings } from './observed.js';
import { belongingOf, isMadeByKonnector, isOfFormer } from './ownership.js';
import { sideOf } from './problem-of.js';
import type { ObjectRoute } from './routing.js';
import { progressing, waiting } from './verdicts.js';

type Staged = Extract<ObjectRoute, { kind: 'staged' }>;
type Released = Extract<ObjectRoute, { kind: 'released' }>;

/**
 * Decides about the copy at the provider to which an object will move: its content follows the object, and nothing
 * flows back. `pair`: the decision for an ordinary copy.
 */
export function decideStaged(
  pair: Decision,
  { copy, consumer }: Observed,
  { readyMark: { key, value } }: Staged,
): Decision {
  const actions = pair.actions.filter((action) => sideOf(action) === 'provider' && action.type !== 'deleteCopy');
  const { kind } = pair.verdict;
  const isInStep = kind === 'inStep' || kind === 'rewritten' || (kind === 'progressing' && onlyDownward(pair.actions));
  if (consumer === undefined || actions.length > 0 || !isInStep) return { ...pair, actions };
  const wanted = copy !== undefined && isReady(copy, consumer) ? value : undefined;
  const current = consumer.metadata.annotations?.[key];
  return {
    actions: current === wanted ? [] : [{ type: 'recordCopy', consumer, annotations: { [key]: wanted ?? null } }],
    verdict: { kind: 'notSelected' },
  };
}

/**
 * Decides about the copy that a moved object has left behind: delete it if it is proven to be ours, unless a person
 * keeps it. Then remove the marks from the object.
 */
export function decideReleased(observed: Observed, settings: PairSettings, route: Released): Decision {
  const { consumer, copy, copyCacheReady, memory, placement } = observed;
  if (consumer === undefined || placement.kind !== 'placed') return { actions: [], verdict: { kind: 'notSelected' } };
  if (!copyCacheReady) return waiting('cache');
  const done = (): Decision => ({
    actions: [{ type: 'recordCopy', consumer, annotations: Object.fromEntries(route.marks.map((key) => [key, null])) }],
    verdict: { kind: 'notSelected' },
  });
  if (settings.dialect.marks.orphansCopy?.(consumer) === true) return done();
  if (copy === undefined || copy.metadata.uid === memory.copyGone)
    return memory.copyGone === undefined
      ? { actions: [{ type: 'confirmGone', key: placement.key }], verdict: progressing('copyToGo') }
      : done();
  const belonging = belongingOf(copy, observed, settings);
  if (belonging.kind === 'foreign' || isOfFormer(copy, consumer, settings)) return done();
  if (copy.metadata.deletionTimestamp !== undefined)
    return waitForCopyToGo(observed, copy, settings, 'The object is served at another Connection.');
  const isProven = isMadeByKonnector(copy, belonging.isNamed, memory);
  if (isProven === undefined) return { actions: [{ type: 'inspectMaker', copy }], verdict: progressing('copyToGo') };
  if (!isProven) return done();
  return {
    actions: [{ type: 'deleteCopy', copy, leftBy: consumer }],
    verdict: progressing('copyToGo'),
  };
}

/** Whether only the status, or notes on the object, still differ. */
function onlyDownward(actions: readonly Action[]): boolean {
  return actions.length > 0 && actions.every(({ type }) => type === 'writeStatus' || type === 'recordCopy');
}

interface Reported {
  readonly conditions?: readonly {
    readonly type?: unknown;
    readonly status?: unknown;
    readonly observedGeneration?: unknown;
  }[];
}

/**
 * Whether a copy is as far as the served one. If that has a condition `Ready`, the copy's must be True and observed for
 * its current generation.
 */
function isReady(copy: UnstructuredObject, consumer: UnstructuredObject): boolean {
  const readyOf = ({ status }: UnstructuredObject) => {
    const { conditions } = (status ?? {}) as Reported;
    return Array.isArray(conditions)
      ? (conditions as Reported['conditions'])?.find(({ type }) => type === 'Ready')
      : undefined;
  };
  const [there, here] = [readyOf(copy), readyOf(consumer)];
  if (there === undefined) return here === undefined;
  const { observedGeneration: seen } = there;
  return there.status === 'True' && (typeof seen !== 'number' || seen >= (copy.metadata.generation ?? 0));
}
