import { type Pause, pausedProblem, pauseOf } from '@hawser/konnector-sync';
import type { Action, Decision, Observed } from './decision.js';

/**
 * Limits a decision under a pause of the binding, or of the object on the consumer. The provider's object cannot pause.
 * Reading goes on, so only held writes are reported. Pure.
 */
export function obeyPause(
  decision: Decision,
  { sides }: Pick<Observed, 'sides'>,
  ofBinding: Pause | undefined,
): Decision {
  const pause = pauseOf(sides.consumer?.object.metadata ?? {}, 'object') ?? ofBinding;
  if (pause === undefined || !decision.actions.some(isWrite)) return decision;
  return {
    actions: [],
    withheld: decision.actions,
    verdict: { kind: 'held', ...pausedProblem(pause, 'ClusterBinding or Binding') },
  };
}

function isWrite({ type }: Action): boolean {
  switch (type) {
    case 'read':
    case 'prove':
      return false;
    case 'createCopy':
    case 'patchCopy':
    case 'deleteCopy':
      return true;
  }
}
