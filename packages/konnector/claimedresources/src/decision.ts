import type { KubeObject, UnstructuredObject } from '@hawser/client';
import type { ContentPatch, Path } from '@hawser/konnector-sync';
import type { PairDecision } from '@hawser/pair';

import type { Marks, Side } from './marks.js';
import type { PairMemory } from './observed.js';
import type { Verdict } from './verdict.js';

/** One step towards a claimed object being in step. Closed; carried out only by `act`. */
export type Action =
  /** Ask the provider for a namespace that stands for the consumer's. Nothing waits for the answer but this object. */
  | { readonly type: 'requestNamespace'; readonly consumerNamespace: string; readonly binding: string }
  /** Have an export whose claims use the namespace own its APIServiceNamespace: with the last of its owners it goes, and on some providers the copies with it. */
  | { readonly type: 'shareNamespace'; readonly consumerNamespace: string; readonly binding: string }
  /** Read, live and in full, what is there. */
  | { readonly type: 'read'; readonly sides: readonly Side[] }
  /** Note on the original which side it belongs to. */
  | {
      readonly type: 'markOriginal';
      readonly side: Side;
      readonly original: KubeObject;
      readonly saying: ReturnType<Marks['saying']>;
    }
  | {
      readonly type: 'createCopy';
      readonly side: Side;
      readonly copy: UnstructuredObject;
      readonly from: string;
      readonly hash: string;
      /** One whose claims ask for it. */ readonly binding: string;
      readonly consumerNamespace: string;
    }
  | ({
      readonly type: 'patchCopy';
      readonly side: Side;
      readonly from: string;
      readonly hash: string;
      /** It was as wanted before. */ readonly correction: boolean;
      /** What differs. */ readonly wrong: readonly Path[];
      /** Some of what differs is left as it is. */ readonly partly: boolean;
    } & ContentPatch)
  /** Note on the copy that its API server changes this content whenever it is written. */
  | { readonly type: 'recordRewritten'; readonly side: Side; readonly copy: KubeObject; readonly hash: string }
  /** Read the original live: only the server's own word proves that it is gone. */
  | { readonly type: 'proveGone'; readonly side: Side }
  | {
      readonly type: 'deleteCopy';
      readonly side: Side;
      readonly copy: KubeObject;
      readonly why: 'originalGone' | 'replace';
    };

export interface Decision extends PairDecision<Action, Verdict> {
  /** What is to be known when the pair is looked at again. */
  readonly remember?: Pick<PairMemory, 'contest' | 'parked'> | undefined;
}
