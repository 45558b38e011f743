import type { GrowthWay } from './growing-claims.js';
import type { AttemptWay } from './hostile-consumer.js';
import type { MonsterKind } from './monsters.js';

/** What somebody does, as a person or a pipeline would: directly, and knowing whether it worked. Objects are meant by number. */
export type UserAction =
  | { readonly at: number; readonly kind: 'create' | 'update' | 'delete'; readonly object: number }
  /** Deleted, and created again as soon as the name is free. */
  | { readonly at: number; readonly kind: 'recreate'; readonly object: number }
  /** Something on the provider's side changes the copy's spec. */
  | { readonly at: number; readonly kind: 'tamper'; readonly object: number }
  /** The same with a Secret of a user's that is claimed; what is tampered with is its copy on the provider. */
  | {
      readonly at: number;
      readonly kind: 'create-secret' | 'update-secret' | 'delete-secret' | 'recreate-secret' | 'tamper-secret';
      readonly object: number;
    }
  /** A user changes the Secret that a provider has made for an object. */
  | { readonly at: number; readonly kind: 'tamper-connection'; readonly object: number }
  /** An operator of the provider makes a child of a copy in the place of this object, and removes it `forMs` later. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'make-child'; readonly object: number }
  /** Somebody keeps a backup of a claimed Secret's copy, on one side or the other. */
  | { readonly at: number; readonly kind: 'back-up'; readonly object: number }
  /** The API is unbound and bound again `forMs` later. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'unbind'; readonly binding: number }
  /** The same with `hawser unbind` and `hawser bind`, which ask the provider too. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'unbind-by-command'; readonly binding: number }
  /** Somebody deletes the consumer's CRD of an API; its objects are let go of `forMs` later, each by itself or with the binding, and it is bound again. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly kind: 'delete-crd';
      readonly binding: number;
      readonly way: 'release' | 'unbind';
    }
  /** A user makes an object that is hard to handle, and deletes it `forMs` later. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly kind: 'make-monster';
      readonly binding: number;
      readonly monster: MonsterKind;
    }
  /** Somebody puts the kubeconfig of another provider into the binding's Secret, and the right one `forMs` later. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'repoint'; readonly binding: number }
  /** The owner of the API adds a field to its CRD. */
  | { readonly at: number; readonly kind: 'add-field'; readonly binding: number }
  /** The owner of the API makes a change to its CRD that breaks something; `forMs` later it is approved, or taken back. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly kind: 'narrow';
      readonly binding: number;
      readonly approved: boolean;
    }
  /** The provider withdraws what it offers besides, and offers it again. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'withdraw'; readonly binding: number }
  /** A hostile consumer asks for more than it was given, and behaves `forMs` later. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly kind: 'attempt';
      readonly binding: number;
      readonly way: AttemptWay;
    }
  /** The provider's people have the export claim more than was agreed to, and take that back; `forMs` has the time in it for which they wait first. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly kind: 'grow-claims';
      readonly binding: number;
      readonly way: GrowthWay;
    }
  /** The bundle is deleted, and made again; what was bound by hand stays. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'unbundle'; readonly binding: number };
