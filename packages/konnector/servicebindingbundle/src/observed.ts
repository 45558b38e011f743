import type { APIServiceBinding, APIServiceBindingBundle } from '@hawser/kube-bind';

/** Everything that decides about one bundle, read at one moment. */
export interface Observed {
  readonly bundle: APIServiceBindingBundle;
  readonly exports: ExportsReading;
  /** All bindings of the consumer, by name. */
  readonly bindings: ReadonlyMap<string, APIServiceBinding>;
  /** By name: why the export of an existing binding is missing. */
  readonly absences: ReadonlyMap<string, Absence>;
}

export type ExportsReading =
  | { readonly kind: 'known'; readonly exports: readonly ExportObserved[] }
  /** The provider is out of reach or refuses to answer: no conclusion is drawn. */
  | { readonly kind: 'unreadable'; readonly error: string };

export interface ExportObserved {
  readonly name: string;
  readonly terminating: boolean;
}

/** Why an export is missing. */
export type Absence =
  /** Too recent to investigate. */
  | { readonly kind: 'recent' }
  /** Read live: the provider answers that this export does not exist, in an existing cluster namespace. */
  | { readonly kind: 'gone' }
  /** Read live: it exists. The cache lags behind. */
  | { readonly kind: 'exists' }
  | { readonly kind: 'unproven'; readonly why: string }
  /** Proven gone, but deleting the objects of the binding needs a person's approval. */
  | ({ readonly kind: 'held' } & Hold);

/** Deletions that a person must approve, all at once. */
export interface Hold {
  /** `unseen`: the export vanished without an event, as after a provider's restore; `many`: too many at once. */
  readonly why: 'unseen' | 'many';
  /** Number of waiting bindings, and the value that approves exactly these. */
  readonly count: number;
  readonly token: string;
}
