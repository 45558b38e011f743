import type { KubeObject, OwnerReference } from '@hawser/client';
import type { APIServiceNamespace } from '@hawser/kube-bind';
import type { Problem } from './problem.js';

/** One step. Closed; only `act` carries it out. */
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
      /** The namespace existed before and may have other users. */ readonly shared: boolean;
    }
  /** Adds exports as owners, so it outlives the one that it was made for. */
  | {
      readonly type: 'addOwners';
      readonly serviceNamespace: APIServiceNamespace;
      readonly owners: readonly OwnerReference[];
    }
  /** Prove, live, that the namespace may go, and only then delete it. */
  | { readonly type: 'reclaim'; readonly namespace: KubeObject };

/** State of an APIServiceNamespace after the actions. */
export type Verdict =
  /** It has its namespace. */
  | { readonly kind: 'assigned'; readonly namespace: string }
  /** The actions lead to its next state. */
  | { readonly kind: 'progressing' }
  /** Stays so until a person acts. */
  | { readonly kind: 'held'; readonly problem: Problem }
  /** There is no APIServiceNamespace, or it is terminating. */
  | { readonly kind: 'absent' };

export interface Judgement {
  /** At most one; then everything is observed again. */
  readonly action?: Action | undefined;
  readonly verdict: Verdict;
}
