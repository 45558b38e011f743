import type { KubeObject, UnstructuredObject } from '@hawser/client';

import type { ClaimReason } from './reasons.js';
import type { Side } from './marks.js';
import type { CopyChange } from './wanted.js';

/** One step towards a claimed object being in step. Closed; carried out only by `act`. */
export type Action =
  /** Ask the provider for a namespace that stands for the consumer's. Nothing waits for the answer but this object. */
  | { readonly type: 'requestNamespace'; readonly consumerNamespace: string; readonly binding: string }
  /** Read, live and in full, what is there. */
  | { readonly type: 'read'; readonly sides: readonly Side[] }
  /** Note on the original which side it belongs to. */
  | { readonly type: 'markOriginal'; readonly side: Side; readonly original: KubeObject }
  | { readonly type: 'createCopy'; readonly side: Side; readonly copy: UnstructuredObject; readonly from: string; /** One whose claims ask for it. */ readonly binding: string; readonly consumerNamespace: string }
  | { readonly type: 'patchCopy'; readonly side: Side; readonly copy: KubeObject; readonly change: CopyChange; readonly from: string }
  /** Read the original live: only the server's own word proves that it is gone. */
  | { readonly type: 'proveGone'; readonly side: Side }
  | { readonly type: 'deleteCopy'; readonly side: Side; readonly copy: KubeObject; readonly why: 'originalGone' | 'replace' };

/** Who has to do something. */
export type Actor = 'consumer' | 'provider' | 'operator';

/** Something that stays so until somebody acts. */
export interface ClaimedObjectProblem {
  readonly reason: ClaimReason;
  readonly message: string;
  readonly actor: Actor;
}

/** How a pair stands once the actions, if any, are done. */
export type Verdict =
  /** Neither side has it. */
  | { readonly kind: 'absent' }
  /** No claim selects it: it is left as it is, on both sides. */
  | { readonly kind: 'notClaimed' }
  | { readonly kind: 'inStep'; readonly owner: Side }
  | { readonly kind: 'progressing'; readonly waitingFor: 'write' | 'namespace' | 'cache' | 'copyToGo' | 'originalToGo' | 'backoff'; readonly overdue?: ClaimedObjectProblem | undefined }
  | ({ readonly kind: 'held' } & ClaimedObjectProblem);

export interface Decision {
  /** At most one: the pair is observed again after it. */
  readonly action?: Action | undefined;
  readonly verdict: Verdict;
  /** What would be done if nothing were paused. */
  readonly withheld?: Action | undefined;
  /** Look again after this many milliseconds although nothing happened. */
  readonly requeueAfterMs?: number | undefined;
}
