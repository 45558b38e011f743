import type { KubeObject, OwnerReference } from '@hawser/client';
import type { APIServiceNamespace } from '@hawser/kube-bind';
import type { Problem } from './problem.js';

/** One step. Closed; carried out only by `act`. */
export type Action =
  | {
      readonly type: 'createNamespace';
      readonly name: string;
      /** Its cluster namespace. */ readonly consumer: string;
      readonly annotations: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'assign';
      readonly serviceNamespace: APIServiceNamespace;
      readonly namespace: string;
      /** The namespace was there before and may have other users. */ readonly shared: boolean;
    }
  /** Has it outlive more exports than the one that it was made for. */
  | {
      readonly type: 'addOwners';
      readonly serviceNamespace: APIServiceNamespace;
      readonly owners: readonly OwnerReference[];
    }
  /** Prove, live, that the namespace may go, and only then delete it. */
  | { readonly type: 'reclaim'; readonly namespace: KubeObject };

/** How an APIServiceNamespace stands once the actions are done. */
export type Verdict =
  /** It has its namespace. */
  | { readonly kind: 'assigned'; readonly namespace: string }
  /** Its next state follows from the actions. */
  | { readonly kind: 'progressing' }
  /** Stays so until somebody acts. */
  | { readonly kind: 'held'; readonly problem: Problem }
  /** There is no APIServiceNamespace, or it is going. */
  | { readonly kind: 'absent' };

export interface Judgement {
  /** At most one; then everything is observed again. */
  readonly action?: Action | undefined;
  readonly verdict: Verdict;
}
