import type { GrowthWay } from './growing-claims.js';
import type { AttemptWay } from './hostile-consumer.js';
import type { MonsterKind } from './monsters.js';

/** An action of a person or a pipeline: direct, and with a known outcome. Objects are given by number. */
export type UserAction =
  | { readonly at: number; readonly kind: 'create' | 'update' | 'delete'; readonly object: number }
  /** Deleted, and created again as soon as the name is free. */
  | { readonly at: number; readonly kind: 'recreate'; readonly object: number }
  /** A person or program on the provider's side changes the copy's spec. */
  | { readonly at: number; readonly kind: 'tamper'; readonly object: number }
  /** The same with a user's claimed Secret; the change hits its copy on the provider. */
  | {
      readonly at: number;
      readonly kind: 'create-secret' | 'update-secret' | 'delete-secret' | 'recreate-secret' | 'tamper-secret';
      readonly object: number;
    }
  /** A user changes the Secret that a provider has made for an object. */
  | { readonly at: number; readonly kind: 'tamper-connection'; readonly object: number }
  /** An operator of the provider makes a child of a copy in the place of this object, and removes it `forMs` later. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'make-child'; readonly object: number }
  /** A person keeps a backup of a claimed Secret's copy, on one side or the other. */
  | { readonly at: number; readonly kind: 'back-up'; readonly object: number }
  /** The API is unbound and bound again `forMs` later. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'unbind'; readonly binding: number }
  /** The same with `hawser unbind` and `hawser bind`, which ask the provider too. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'unbind-by-command'; readonly binding: number }
  /**
   * A person deletes the consumer's CRD of an API. `forMs` later its objects are let go, each by itself or with the
   * binding, and it is bound again.
   */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly kind: 'delete-crd';
      readonly binding: number;
      readonly way: 'release' | 'unbind';
    }
  /** A user makes a difficult object, and deletes it `forMs` later. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly kind: 'make-monster';
      readonly binding: number;
      readonly monster: MonsterKind;
    }
  /** A person puts the kubeconfig of another provider into the binding's Secret, and the right one `forMs` later. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'repoint'; readonly binding: number }
  /** The owner of the API adds a field to its CRD. */
  | { readonly at: number; readonly kind: 'add-field'; readonly binding: number }
  /** The owner of the API makes a breaking change to its CRD; `forMs` later it is approved, or taken back. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly kind: 'narrow';
      readonly binding: number;
      readonly approved: boolean;
    }
  /** The provider withdraws its additional offer, and offers it again. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'withdraw'; readonly binding: number }
  /** A hostile consumer requests more than it was given, and behaves `forMs` later. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly kind: 'attempt';
      readonly binding: number;
      readonly way: AttemptWay;
    }
  /**
   * The provider's people claim more by the export than was agreed to, and take that back; `forMs` includes their wait
   * before it.
   */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly kind: 'grow-claims';
      readonly binding: number;
      readonly way: GrowthWay;
    }
  /** The bundle is deleted, and made again; bindings made by hand stay. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'unbundle'; readonly binding: number };
