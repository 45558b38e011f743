import type { ApiError } from '@hawser/client';
import type { CustomResourceDefinition } from '@hawser/kube-bind';
import type { ResourceResult } from './conclude.js';
import type { GateTerms, Hold } from './hold.js';
import type { Problem } from './problem.js';
import type { WantedCRD } from './wanted-crd.js';

/** The action for one exported resource. */

export type ResourceAction =
  | { readonly kind: 'inStep'; readonly name: string; readonly wanted: WantedCRD; readonly live: string }
  | {
      readonly kind: 'createCRD';
      readonly name: string;
      readonly wanted: WantedCRD;
      readonly live: string;
      readonly crd: CustomResourceDefinition;
    }
  | {
      readonly kind: 'updateCRD';
      readonly name: string;
      readonly wanted: WantedCRD;
      readonly live: string;
      readonly resourceVersion: string;
      /** The CRD differs from what is wanted: why. */ readonly interim?: Hold | undefined;
    }
  /** The CRD stays unchanged, and works. */
  | {
      readonly kind: 'hold';
      readonly name: string;
      readonly wanted: WantedCRD;
      readonly live: string;
      readonly hold: Hold;
      readonly terms?: GateTerms | undefined;
      /** Time of the judgement. */ readonly sinceMs: number;
    }
  /** The cache is stale: its next event brings the key back. */
  | { readonly kind: 'lookAgain'; readonly name: string }
  /** Nothing to write. `cause`: an error to retry, because no event will come. */
  | {
      readonly kind: 'report';
      readonly name: string;
      readonly problem: Problem;
      readonly cause?: ApiError | undefined;
    };

/** An action without a write. */
export type Settled = Extract<ResourceAction, { readonly kind: 'inStep' | 'report' | 'hold' }>;

/** Result of an action without a write. Pure. */
export function resultOf(action: Settled): ResourceResult {
  switch (action.kind) {
    case 'inStep':
      return { kind: 'inStep', name: action.name };
    case 'report':
      return { kind: 'problem', name: action.name, problem: action.problem };
    case 'hold':
      return { kind: 'held', name: action.name, hold: action.hold };
  }
}

/** Whether an action needs neither a write nor a retry. */
export function isSettled(action: ResourceAction): action is Settled {
  switch (action.kind) {
    case 'inStep':
    case 'hold':
      return true;
    case 'report':
      return action.cause === undefined;
    case 'createCRD':
    case 'updateCRD':
    case 'lookAgain':
      return false;
  }
}
