import type { PairVerdict } from '@hawser/pair';

import type { ClaimReason } from './reasons.js';
import type { Side } from './marks.js';

/** The party that must act. */
export type Actor = 'consumer' | 'provider' | 'operator';

/** A state that lasts until a person acts. */
export interface ClaimedObjectProblem {
  readonly reason: ClaimReason;
  readonly message: string;
  readonly actor: Actor;
}

type ClaimVerdict = PairVerdict<'write' | 'namespace' | 'cache' | 'copyToGo' | 'originalToGo' | 'backoff', ClaimReason>;

/**
 * State of a pair after its actions, if any. `notSelected`: no claim selects it. `orphan`: the copy goes after a while
 * and within a budget, unless its original comes back.
 */
export type Verdict =
  | Extract<ClaimVerdict, { kind: 'absent' | 'notSelected' | 'progressing' }>
  | (Extract<ClaimVerdict, { kind: 'inStep' | 'rewritten' | 'orphan' }> & { readonly owner: Side })
  | ({ readonly kind: 'held' } & ClaimedObjectProblem);
