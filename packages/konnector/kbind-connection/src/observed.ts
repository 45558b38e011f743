import type { Binding, Connection, ExportedAPI } from '@hawser/core-kbind';
import type { Secret } from '@hawser/kube-bind';
import type { OffersSource } from './links.js';
import type { KubeconfigReading } from './secret-kubeconfig.js';

/** Result of reading a cluster's identity. */
export type IdentityReading =
  | { readonly kind: 'known'; readonly uid: string }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unreachable'; readonly message: string };

/** A provider's offers, as far as its answers tell. */
export type OffersReading =
  | { readonly kind: 'known'; readonly apis: readonly ExportedAPI[] }
  | { readonly kind: 'refused'; readonly message: string }
  /** Not listed yet, and no attempt has failed. */
  | { readonly kind: 'listing' }
  | { readonly kind: 'unreachable'; readonly message: string };

/** A link to a provider, by one kubeconfig. */
export interface WayReading {
  readonly hash: string;
  readonly identity: IdentityReading;
  readonly offers: OffersReading;
  readonly source: OffersSource;
}

/** The complete input of a decision about a Connection. */
export interface Observed {
  readonly name: string;
  /** Undefined: the Connection does not exist. */
  readonly connection: Connection | undefined;
  /** Where its spec violates the types of the contract. */
  readonly malformed?: string | undefined;
  readonly kubeconfig: KubeconfigReading;
  /** The Secret, if it could be read. */
  readonly secret: Secret | undefined;
  /** Whether another Connection, which stays, uses the Secret. */
  readonly secretIsShared: boolean;
  readonly local: IdentityReading;
  /** The link in use. */
  readonly current: WayReading | undefined;
  /** The link on trial. */
  readonly trial: WayReading | undefined;
  /** The ClusterBinding of the Connection's name. */
  readonly autoBinding: Binding | undefined;
  /** Whether another Connection, which stays, leads to the same provider. */
  readonly providerIsShared: boolean;
  /** The Lease on the provider has been deleted. */
  readonly heartbeatEnded: boolean;
  /** Number of ClusterBindings and Bindings that name it, including terminating ones. */
  readonly users: number;
  readonly now: number;
}
