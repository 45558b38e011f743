import type { ApiError } from '@hawser/client';
import type { CustomResourceDefinition } from '@hawser/kube-bind';
import type { ResourceResult } from './conclude.js';
import type { GateTerms, Hold } from './hold.js';
import type { Problem } from './problem.js';
import type { WantedCRD } from './wanted-crd.js';

/** What to do about one exported resource. */

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
      /** It is not all that is wanted: why. */ readonly interim?: Hold | undefined;
    }
  /** The CRD stays as it is, and works. */
  | {
      readonly kind: 'hold';
      readonly name: string;
      readonly wanted: WantedCRD;
      readonly live: string;
      readonly hold: Hold;
      readonly terms?: GateTerms | undefined;
      /** When it was looked at. */ readonly sinceMs: number;
    }
  /** The cache lags behind the server: its next event brings the key back. */
  | { readonly kind: 'lookAgain'; readonly name: string }
  /** Nothing to write. `cause`: what has to be tried again, because no event will come. */
  | {
      readonly kind: 'report';
      readonly name: string;
      readonly problem: Problem;
      readonly cause?: ApiError | undefined;
    };

/** An action that writes nothing. */
export type Settled = Extract<ResourceAction, { readonly kind: 'inStep' | 'report' | 'hold' }>;

/** What an action that writes nothing comes to. Pure. */
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

/** Whether nothing is to be written for it, or tried again. */
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
