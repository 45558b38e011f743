import type { APIServiceBinding, APIServiceBindingBundle } from '@hawser/kube-bind';

/** Everything that decides about one bundle, read at one moment. */
export interface Observed {
  readonly bundle: APIServiceBindingBundle;
  readonly exports: ExportsReading;
  /** All bindings of the consumer, by name. */
  readonly bindings: ReadonlyMap<string, APIServiceBinding>;
  /** What was found out about exports that are missing although there is a binding for them, by name. */
  readonly absences: ReadonlyMap<string, Absence>;
}

export type ExportsReading =
  | { readonly kind: 'known'; readonly exports: readonly ExportObserved[] }
  /** The provider cannot be asked, or refuses to answer: nothing is known, so nothing is concluded from it. */
  | { readonly kind: 'unreadable'; readonly error: string };

export interface ExportObserved {
  readonly name: string;
  readonly terminating: boolean;
}

/** Why an export is missing. */
export type Absence =
  /** Not for long enough to be looked into. */
  | { readonly kind: 'recent' }
  /** Read live: the provider says that this very export does not exist, in a cluster namespace that stands. */
  | { readonly kind: 'gone' }
  /** Read live: it is there. The cache lags behind. */
  | { readonly kind: 'exists' }
  | { readonly kind: 'unproven'; readonly why: string }
  /** Proven gone, but the objects that would go with the binding wait for a person. */
  | ({ readonly kind: 'held' } & Hold);

/** Deletions that a person has to release, all at once. */
export interface Hold {
  /** `unseen`: the export was missing all of a sudden, as after a restore of the provider; `many`: too many are withdrawn at once. */
  readonly why: 'unseen' | 'many';
  /** How many bindings wait, and what approves exactly these. */
  readonly count: number;
  readonly token: string;
}
