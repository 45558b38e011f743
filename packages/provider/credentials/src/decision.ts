import type { KubeObject } from '@hawser/client';
import type { ClusterBinding, NewCondition, Secret } from '@hawser/kube-bind';
import type { Ledger } from './ledger.js';
import type { CredentialMode } from './mode.js';
import type { Problem } from './problem.js';
import type { SlotName } from './slot-name.js';

/** One step. Closed; carried out only by `act`. */
export type Action =
  | { readonly type: 'createAccount'; readonly namespace: string }
  /** Ends every token that was ever issued for it. */
  | { readonly type: 'deleteAccount'; readonly account: KubeObject }
  | {
      readonly type: 'createSlot';
      readonly account: KubeObject;
      readonly slot: SlotName;
      readonly mode: CredentialMode;
      readonly madeFor: string;
    }
  /** Ends the tokens that hang on it. */
  | { readonly type: 'deleteSlot'; readonly secret: Secret; readonly because: 'revoked' | 'replaced' }
  /** `caData` (PEM): what is handed out in the place of the endpoint's authorities. `token`: never log one. `from`: the slot that has it, which is looked at once more; absent: the token is the one that was handed out before. */
  | {
      readonly type: 'writeToken';
      readonly binding: ClusterBinding;
      readonly secret: Secret | undefined;
      readonly token: string;
      readonly from?: Secret | undefined;
      readonly caData?: string | undefined;
      readonly ledger: Ledger;
    }
  /** Ask for a token that is bound to the slot, and write it. When it is issued and when it expires, the API server says. */
  | {
      readonly type: 'issueToken';
      readonly binding: ClusterBinding;
      readonly secret: Secret | undefined;
      readonly slot: Secret;
      readonly caData?: string | undefined;
      readonly ledger: Omit<Ledger, 'issued' | 'expires'>;
    };

/** How a credential stands once the action is done. */
export type Verdict =
  /** No consumer's namespace, or one that is going. */
  | { readonly kind: 'absent' }
  /** Its next state follows from the action, or from what Kubernetes does by itself. */
  | { readonly kind: 'progressing' }
  /** `outdated`: in which respects the kubeconfig is not what would be handed out now. */
  | { readonly kind: 'valid'; readonly outdated: readonly string[] }
  | { readonly kind: 'revoked' }
  /** Stays so until somebody acts. */
  | { readonly kind: 'held'; readonly problem: Problem };

export interface Decision {
  /** At most one; then everything is observed again. */
  readonly action?: Action | undefined;
  readonly verdict: Verdict;
  /** The condition `CredentialExpiring`; `none`: there is to be none; absent: it stays as it is. */
  readonly condition?: NewCondition | 'none' | undefined;
  /** When this has to be decided again although nothing has happened, milliseconds since the epoch by the clock of the API server. */
  readonly at?: number | undefined;
}
