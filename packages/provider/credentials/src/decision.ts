import type { KubeObject } from '@hawser/client';
import type { ClusterBinding, NewCondition, Secret } from '@hawser/kube-bind';
import type { Ledger } from './ledger.js';
import type { CredentialMode } from './mode.js';
import type { Problem } from './problem.js';
import type { SlotName } from './slot-name.js';

/** One step. Closed; only `act` carries it out. */
export type Action =
  | { readonly type: 'createAccount'; readonly namespace: string }
  /** Ends every token ever issued for it. */
  | { readonly type: 'deleteAccount'; readonly account: KubeObject }
  | {
      readonly type: 'createSlot';
      readonly account: KubeObject;
      readonly slot: SlotName;
      readonly mode: CredentialMode;
      readonly madeFor: string;
    }
  /** Ends the tokens bound to it. */
  | { readonly type: 'deleteSlot'; readonly secret: Secret; readonly because: 'revoked' }
  /** `kubeconfig`: name of the Secret that must have another token. */
  | {
      readonly type: 'deleteSlot';
      readonly secret: Secret;
      readonly because: 'replaced';
      readonly kubeconfig: string;
    }
  /**
   * `caData` (PEM): handed out instead of the endpoint's authorities. `token`: never log one. `from`: the slot of the
   * token, which is checked live; absent: the token that was handed out before.
   */
  | {
      readonly type: 'writeToken';
      readonly binding: ClusterBinding;
      readonly secret: Secret | undefined;
      readonly token: string;
      readonly from?: Secret | undefined;
      readonly caData?: string | undefined;
      readonly ledger: Ledger;
    }
  /** Request a token bound to the slot, and write it. The API server sets its issue time and expiry. */
  | {
      readonly type: 'issueToken';
      readonly binding: ClusterBinding;
      readonly secret: Secret | undefined;
      readonly slot: Secret;
      readonly caData?: string | undefined;
      readonly ledger: Omit<Ledger, 'issued' | 'expires'>;
    };

/** State of a credential after the action. */
export type Verdict =
  /** No namespace of a consumer, or a terminating one. */
  | { readonly kind: 'absent' }
  /** The action, or Kubernetes itself, leads to the next state. */
  | { readonly kind: 'progressing' }
  /** `outdated`: the differences between the kubeconfig and a new one. */
  | { readonly kind: 'valid'; readonly outdated: readonly string[] }
  | { readonly kind: 'revoked' }
  /** Stays so until a person acts. */
  | { readonly kind: 'held'; readonly problem: Problem };

export interface Decision {
  /** At most one; then everything is observed again. */
  readonly action?: Action | undefined;
  readonly verdict: Verdict;
  /** The condition `CredentialExpiring`; `none`: remove it; absent: leave it unchanged. */
  readonly condition?: NewCondition | 'none' | undefined;
  /** Decide again at this time without an event, in milliseconds since the epoch by the clock of the API server. */
  readonly at?: number | undefined;
}
