import type { Binding, Connection, ExportedAPI } from '@hawser/core-kbind';
import type { CustomResourceDefinition } from '@hawser/crd';
import type { ProviderLink } from '@hawser/kbind-connection';
import type { ObjectProblem, Problem } from '@hawser/controller';
import type { Hold } from '@hawser/servicebinding';
import type { RelatedObserved } from './related/reading.js';

/** The kind of a binding. A Binding's key has a namespace. */
export type BindingKind = 'ClusterBinding' | 'Binding';

/** Parameters of a running sync. A sync with other parameters replaces it. */
export interface SyncConfig {
  /** A binding recreated or restored under the same name is another one: this uid proves deletions. */
  readonly bindingUID: string | undefined;
  readonly api: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly statusSubresource: boolean;
  /** Namespace of a Binding. */
  readonly namespace: string | undefined;
  /** Whether its objects lose copy and finalizer. */
  readonly draining: boolean;
  readonly link: ProviderLink;
}

/** State of an API's objects. */
export interface SyncReading {
  readonly config: SyncConfig;
  readonly surveyed: boolean;
  readonly problems: readonly ObjectProblem[];
  /** Problems that keep whole caches from being filled. */
  readonly troubles: readonly Problem[];
}

/** Known state of one API of a binding. */
export interface APIObserved {
  readonly name: string;
  /** Undefined: it is not offered. */
  readonly exported: ExportedAPI | undefined;
  /** The provider's CRD. */
  readonly provided: CustomResourceDefinition | undefined;
  /** The CRD on the consumer. */
  readonly crd: CustomResourceDefinition | undefined;
  /** Another binding that wins over this one. */
  readonly rival: { readonly title: string; readonly takesAll: boolean } | undefined;
  /** Whether another binding, which stays, needs the CRD. */
  readonly needed: boolean;
  /** Whether the CRD belongs to another Connection, by which no binding lists the API any more. */
  readonly abandoned: boolean;
  /** Why a changed schema is held; undefined: it is not, or nothing has changed. */
  readonly hold: Hold | undefined;
  readonly sync: SyncReading | undefined;
  /** Objects of this binding that still have the finalizer; undefined: not counted. */
  readonly held: number | undefined;
  /** The same for all other bindings. */
  readonly heldByOthers: number | undefined;
  /** Of those, objects with a copy at this binding's provider, because they move from or to there. */
  readonly moving: number | undefined;
}

/** The complete input of a decision about a binding. */
export interface Observed {
  readonly key: string;
  readonly kind: BindingKind;
  /** Undefined: the binding does not exist. */
  readonly binding: Binding | undefined;
  readonly malformed: string | undefined;
  readonly connection: Connection | undefined;
  readonly link: ProviderLink | undefined;
  /** The APIs that the binding lists, without duplicates. */
  readonly apis: readonly APIObserved[];
  /** Bound APIs that it no longer lists. */
  readonly left: readonly APIObserved[];
  readonly related: RelatedObserved;
  readonly now: number;
}
