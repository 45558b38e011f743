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

/** The copy at the provider to which an object is about to move: its content follows the object, and nothing comes back. `pair`: what would be decided if it were the copy of the object. */
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
  const said = consumer.metadata.annotations?.[key];
  return {
    actions: said === wanted ? [] : [{ type: 'recordCopy', consumer, annotations: { [key]: wanted ?? null } }],
    verdict: { kind: 'notSelected' },
  };
}

/** The copy that an object has left behind: it goes, if it is proven to be ours, unless a person keeps it. Then nothing is left to do, and the object is told so. */
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

/** Only the status, or what is noted on the object, is not yet as it would be. */
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

/** Whether a copy is as far as the one that is served: where that has a condition `Ready`, the copy's has to be True, and about what it is now. */
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
