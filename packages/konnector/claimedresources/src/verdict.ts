import type { ClaimReason } from './reasons.js';
import type { Side } from './marks.js';

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
  /** In step except for content that the API server of the copy insists on changing. */
  | { readonly kind: 'rewritten'; readonly owner: Side; readonly message: string }
  /** The copy goes unless its original comes back: after a while, and within a budget. */
  | { readonly kind: 'missing'; readonly owner: Side; readonly message: string }
  | { readonly kind: 'progressing'; readonly waitingFor: 'write' | 'namespace' | 'cache' | 'copyToGo' | 'originalToGo' | 'backoff'; readonly overdue?: ClaimedObjectProblem | undefined }
  | ({ readonly kind: 'held' } & ClaimedObjectProblem);
