import type { Binding, Connection, ExportedAPI } from '@hawser/core-kbind';
import type { CustomResourceDefinition } from '@hawser/crd';
import type { ProviderLink } from '@hawser/kbind-connection';
import type { ObjectProblem, Problem } from '@hawser/controller';
import type { Hold } from '@hawser/servicebinding';
import type { RelatedObserved } from './related/reading.js';

/** Which of the two kinds a binding is; the key tells: that of a Binding has a namespace. */
export type BindingKind = 'ClusterBinding' | 'Binding';

/** What a sync that runs rests on. One of another config takes its place. */
export interface SyncConfig {
  /** One that was made anew, or restored, under the same name is another binding: deletions are proven by this one. */
  readonly bindingUID: string | undefined;
  readonly api: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly statusSubresource: boolean;
  /** Of a Binding. */
  readonly namespace: string | undefined;
  /** Whether its objects lose copy and finalizer. */
  readonly draining: boolean;
  readonly link: ProviderLink;
}

/** How the objects of an API stand. */
export interface SyncReading {
  readonly config: SyncConfig;
  readonly surveyed: boolean;
  readonly problems: readonly ObjectProblem[];
  /** What keeps whole caches from being filled. */
  readonly troubles: readonly Problem[];
}

/** What is known of one API of a binding. */
export interface APIObserved {
  readonly name: string;
  /** Undefined: it is not offered. */
  readonly exported: ExportedAPI | undefined;
  /** The provider's CRD. */
  readonly provided: CustomResourceDefinition | undefined;
  /** The CRD on the consumer. */
  readonly crd: CustomResourceDefinition | undefined;
  /** Another binding that has the say over objects of this one. */
  readonly rival: { readonly title: string; readonly takesAll: boolean } | undefined;
  /** Whether another binding, which stays, needs the CRD. */
  readonly needed: boolean;
  /** Whether the CRD belongs to another Connection, by which no binding lists the API any more. */
  readonly abandoned: boolean;
  /** Why a changed schema waits; undefined: it does not, or nothing has changed. */
  readonly hold: Hold | undefined;
  readonly sync: SyncReading | undefined;
  /** How many objects of this binding still bear the finalizer; undefined: not counted. */
  readonly held: number | undefined;
  /** The same of all others. */
  readonly heldByOthers: number | undefined;
  /** Of those, how many have a copy where this binding leads, because they move from or to there. */
  readonly moving: number | undefined;
}

/** Everything that a decision about a binding rests on. */
export interface Observed {
  readonly key: string;
  readonly kind: BindingKind;
  /** Undefined: there is none. */
  readonly binding: Binding | undefined;
  readonly malformed: string | undefined;
  readonly connection: Connection | undefined;
  readonly link: ProviderLink | undefined;
  /** Those that the binding lists, once each. */
  readonly apis: readonly APIObserved[];
  /** Those that it lists no more, and that were bound. */
  readonly left: readonly APIObserved[];
  readonly related: RelatedObserved;
  readonly now: number;
}
