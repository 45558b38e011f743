import type { ObjectKey, UnstructuredObject } from '@hawser/client';

import type { Agreement } from './agreement.js';
import type { Pause } from './pause.js';
import type { Mutations } from './rules.js';

/**
 * Policy for an unmarked object in the place of a copy. `refuse`: leave it unchanged, and report it. `adopt`: it
 * becomes the copy, but its content stays until both sides agree. `overwrite`: it becomes the copy, content included.
 */
export type AdoptionPolicy = 'refuse' | 'adopt' | 'overwrite';

/**
 * The last pushed content. `broken`: it exists, but is unreadable. `doubted`: a cluster was restored to an older
 * state, so the destination may not have received it, or may have lost it or what came later.
 */
export type LastState =
  | { readonly kind: 'none' }
  | { readonly kind: 'broken' }
  | { readonly kind: 'known'; readonly snapshot: UnstructuredObject; readonly doubted?: boolean };

/**
 * How a primary copy is recognised. `marked`: it has our mark of this very place. `inPlace`: it has the marks of a Go
 * agent, and is where the rules put it. `elsewhere`: it has those marks in another place. `controlled`: it is the copy
 * by its place, and another owner controls it.
 */
export type Standing = 'marked' | 'inPlace' | 'elsewhere' | 'controlled';

/** The place of a copy that does not exist yet. */
export type Placement =
  { readonly kind: 'placed'; readonly key: ObjectKey } | { readonly kind: 'impossible'; readonly message: string };

/** Knowledge about a pair beyond both objects. Kept only while it matters. */
export interface PairMemory {
  /** uid of a copy that a live answer has shown to be gone, or `none` after a live search. */
  readonly gone?: string | undefined;
  /** Place of the copy when it was deleted. */
  readonly copyKey?: ObjectKey | undefined;
  /** The object in the place of the copy, read live after a create was refused. */
  readonly occupant?: UnstructuredObject | undefined;
  /**
   * Another object was in the place of the copy at the last look: read live whether it still is before creating the
   * copy.
   */
  readonly occupied?: true | undefined;
  /** The source was read with a deletionTimestamp. */
  readonly deletionSeen?: true | undefined;
  /** uid of the copy for which a live read showed the source being deleted or gone. Valid for one look. */
  readonly deletionStands?: string | undefined;
  /** uid of a source whose last finalizer we have removed: the cache still shows it. */
  readonly released?: string | undefined;
  /** uid of a source that got our finalizer before its copy was made. */
  readonly finalizerAdded?: string | undefined;
  /** uid of a source whose finalizer was set by another agent, by a live read. */
  readonly finalizerOthers?: string | undefined;
  /**
   * The status (by the writer's uid and version) that the other side's API server did not store as sent, or has no
   * field for.
   */
  readonly statusRefused?: string | undefined;
  /**
   * Copy (by uid and version) whose status was last written to the workspace, and when that was repeated, in
   * milliseconds since the epoch: another writer had changed it.
   */
  readonly statusWritten?: { readonly of: string; readonly again: readonly number[] } | undefined;
  /** The destination has no status subresource. */
  readonly statusMissing?: true | undefined;
  /** Recent corrections of our marks, in milliseconds since the epoch. */
  readonly corrections?: readonly number[] | undefined;
  /** Whether an agent wrote an object, by its managedFields in a live read. */
  readonly written?: { readonly uid: string; readonly byAgent: boolean } | undefined;
  /** Result of a trial write on an object that will become the copy. */
  readonly agreement?: Agreement | undefined;
  /** The creation of the copy got no answer: its outcome is unknown. */
  readonly attempted?: true | undefined;
}

/** One source object and its copy. An immutable snapshot. */
export interface Observed {
  /** As the API server sent it. */
  readonly source: UnstructuredObject | undefined;
  readonly destination: UnstructuredObject | undefined;
  /** For a primary copy found by its marks. Default `marked`. */
  readonly standing?: Standing | undefined;
  /** The place of a copy to be made from this object. Called only then: the naming rules may fail. */
  readonly placement: (object: UnstructuredObject) => Placement;
  /** Whether another sync or primary needs the source: its finalizer then stays. Called only when it would go. */
  readonly isNeededByOthers?: (() => boolean) | undefined;
  readonly last: LastState;
  /** Whether this pair has a record, readable or not. */
  readonly remembered: boolean;
  /** For a related copy: uid of the created or adopted object, if recorded. */
  readonly made?: string | undefined;
  /**
   * Whether the object in the place of a related copy may be another object's copy. Called only if it might be taken
   * for this one's.
   */
  readonly others?: (() => 'none' | 'unknown') | undefined;
  /** False: the filter excludes the source. */
  readonly selected: boolean;
  readonly memory: PairMemory;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What identifies a primary copy and its owner (`spec/api-syncagent.md §11.1`). */
export interface Marks {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly agentName: string;
  /** The PublishedResource, on copies that we make. Copies made by others have no such mark, and get none. */
  readonly publishedBy?: string | undefined;
}

/**
 * How a publication ends. `keep`: copies stay, and no object in kcp is held any more. `drain`: copies are deleted
 * first.
 */
export type Retirement = 'keep' | 'drain';

/** The kind of a pair: primaries, or one related entry (`spec/api-syncagent.md §12.6`). */
export interface PairSettings {
  /** The side of the source. */
  readonly origin: 'kcp' | 'service';
  readonly destination: { readonly apiVersion: string; readonly kind: string };
  /** Marks on the copy. Undefined for related objects: they have none. */
  readonly marks: Marks | undefined;
  /** Field manager for writing the copy, if its marks do not show its owner. */
  readonly creator?: string | undefined;
  /** Field manager for setting the finalizer, if it must show who set it. */
  readonly holder?: string | undefined;
  /** Top-level fields that are subresources, and so not part of the content. */
  readonly subresources: readonly string[];
  readonly status: 'none' | 'back' | 'forward';
  readonly finalizer: boolean;
  /** The copy must go although the source stays. */
  readonly forcedDeletion: boolean;
  /** The source is released, and the copy stays. */
  readonly letGo?: boolean | undefined;
  readonly mutations: Mutations | undefined;
  readonly adoption: AdoptionPolicy;
  /** Pause of all objects of the PublishedResource. */
  readonly pause?: Pause | undefined;
}
