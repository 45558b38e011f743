import type { ApiError } from '@hawser/client';
import type { CustomResourceDefinition } from '@hawser/kube-bind';
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
