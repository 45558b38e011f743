import type { HeldDeletions, ObjectProblem, Problem } from '@hawser/controller';
import type { ProviderLink } from '@hawser/kbind-connection';
import type { RelatedKind } from './rules.js';

/** State of the related objects of one resource. */
export interface RelatedReading {
  readonly kind: RelatedKind;
  /** uid of the binding that marks the copies and proves deletions. */
  readonly bindingUID: string | undefined;
  readonly link: ProviderLink;
  readonly surveyed: boolean;
  readonly problems: readonly ObjectProblem[];
  /** Problems that keep whole caches from being filled. */
  readonly troubles: readonly Problem[];
  /** Number of copies that are left; undefined: unknown. */
  readonly left: number | undefined;
}

/** Deletions that wait for a person. */
export interface HeldRelated extends HeldDeletions {
  readonly perMinute: number;
}

/** Known state of a binding's related objects. */
export interface RelatedObserved {
  /** Refused rules, as text. */
  readonly refused: readonly string[];
  readonly readings: readonly RelatedReading[];
  readonly held: HeldRelated | undefined;
}
