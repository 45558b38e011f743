import type { Binding, Connection, ExportedAPI } from '@hawser/core-kbind';
import type { Secret } from '@hawser/kube-bind';
import type { OffersSource } from './links.js';
import type { KubeconfigReading } from './secret-kubeconfig.js';

/** What asking a cluster who it is has led to. */
export type IdentityReading =
  | { readonly kind: 'known'; readonly uid: string }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unreachable'; readonly message: string };

/** What a provider offers, as far as its answers tell. */
export type OffersReading =
  | { readonly kind: 'known'; readonly apis: readonly ExportedAPI[] }
  | { readonly kind: 'refused'; readonly message: string }
  /** Not listed yet, and no try has failed. */
  | { readonly kind: 'listing' }
  | { readonly kind: 'unreachable'; readonly message: string };

/** A way to a provider, by one kubeconfig. */
export interface WayReading {
  readonly hash: string;
  readonly identity: IdentityReading;
  readonly offers: OffersReading;
  readonly source: OffersSource;
}

/** Everything that a decision about a Connection rests on. */
export interface Observed {
  readonly name: string;
  /** Undefined: there is none. */
  readonly connection: Connection | undefined;
  /** Where its spec is not of the types that the contract says. */
  readonly malformed?: string | undefined;
  readonly kubeconfig: KubeconfigReading;
  /** The Secret, if it could be read. */
  readonly secret: Secret | undefined;
  /** Whether another Connection, which stays, uses the Secret. */
  readonly secretIsShared: boolean;
  readonly local: IdentityReading;
  /** What is used. */
  readonly current: WayReading | undefined;
  /** What is tried. */
  readonly trial: WayReading | undefined;
  /** The ClusterBinding of its name. */
  readonly autoBinding: Binding | undefined;
  /** Whether another Connection, which stays, leads to the same provider. */
  readonly providerIsShared: boolean;
  /** The Lease on the provider has been ended. */
  readonly heartbeatEnded: boolean;
  /** ClusterBindings and Bindings that name it, those that are being deleted included. */
  readonly users: number;
  readonly now: number;
}
