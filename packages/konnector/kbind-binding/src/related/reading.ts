import type { HeldDeletions, ObjectProblem, Problem } from '@hawser/controller';
import type { ProviderLink } from '@hawser/kbind-connection';
import type { RelatedKind } from './rules.js';

/** How the related objects of one resource stand. */
export interface RelatedReading {
  readonly kind: RelatedKind;
  /** Of the binding whose marks the copies get, and by which deletions are proven. */
  readonly bindingUID: string | undefined;
  readonly link: ProviderLink;
  readonly surveyed: boolean;
  readonly problems: readonly ObjectProblem[];
  /** What keeps whole caches from being filled. */
  readonly troubles: readonly Problem[];
  /** How many copies are left; undefined: not known yet. */
  readonly left: number | undefined;
}

/** Deletions that wait for a person. */
export interface HeldRelated extends HeldDeletions {
  readonly perMinute: number;
}

/** What is known of the related objects of a binding. */
export interface RelatedObserved {
  /** Rules that are refused, in words. */
  readonly refused: readonly string[];
  readonly readings: readonly RelatedReading[];
  readonly held: HeldRelated | undefined;
}
