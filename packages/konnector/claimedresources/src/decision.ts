import type { KubeObject, UnstructuredObject } from '@hawser/client';
import type { ContentPatch, Path } from '@hawser/konnector-sync';
import type { PairDecision } from '@hawser/pair';

import type { Marks, Side } from './marks.js';
import type { PairMemory } from './observed.js';
import type { Verdict } from './verdict.js';

/** One step to bring a claimed object in sync. Closed; only `act` carries it out. */
export type Action =
  /** Request a provider namespace for the consumer's. Only this object waits for the answer. */
  | { readonly type: 'requestNamespace'; readonly consumerNamespace: string; readonly binding: string }
  /**
   * Add an export with claims on the namespace to the APIServiceNamespace's owners. It goes with its last owner; on
   * some providers the copies go too.
   */
  | { readonly type: 'shareNamespace'; readonly consumerNamespace: string; readonly binding: string }
  /** Read the existing objects, live and in full. */
  | { readonly type: 'read'; readonly sides: readonly Side[] }
  /** Mark on the original which side it belongs to. */
  | {
      readonly type: 'markOriginal';
      readonly side: Side;
      readonly original: KubeObject;
      readonly mark: ReturnType<Marks['ownerMark']>;
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
  /** Mark on the copy that its API server changes this content at each write. */
  | { readonly type: 'recordRewritten'; readonly side: Side; readonly copy: KubeObject; readonly hash: string }
  /** Read the original live: only the server's answer proves that it is gone. */
  | { readonly type: 'proveGone'; readonly side: Side }
  | {
      readonly type: 'deleteCopy';
      readonly side: Side;
      readonly copy: KubeObject;
      readonly why: 'originalGone' | 'replace';
    };

export interface Decision extends PairDecision<Action, Verdict> {
  /** State for the next look at the pair. */
  readonly remember?: Pick<PairMemory, 'contest' | 'parked'> | undefined;
}
