import type { ObjectKey, UnstructuredObject } from '@hawser/client';

import type { Agreement } from './agreement.js';
import type { Pause } from './pause.js';
import type { Mutations } from './rules.js';

/**
 * What becomes of an object without anybody's mark that stands where a copy belongs. `refuse`: it is left alone, and told. `adopt`: it becomes the copy, but
 * its content is left alone until both sides agree. `overwrite`: it becomes the copy, content included.
 */
export type AdoptionPolicy = 'refuse' | 'adopt' | 'overwrite';

/**
 * What was pushed last. `broken`: there is something, but it cannot be read. `doubted`: the service cluster has an older state again, and the destination need not have got this, nor
 * kept what it got later.
 */
export type LastState =
  | { readonly kind: 'none' }
  | { readonly kind: 'broken' }
  | { readonly kind: 'known'; readonly snapshot: UnstructuredObject; readonly doubted?: boolean };

/**
 * How a primary copy is known. `marked`: it bears our mark of this very place. `inPlace`: it bears the marks of a Go agent, and stands where the rules put it. `elsewhere`: it bears those, and
 * stands in another place. `controlled`: it is the copy by its place, and something else controls it.
 */
export type Standing = 'marked' | 'inPlace' | 'elsewhere' | 'controlled';

/** Where a copy belongs that does not exist yet. */
export type Placement =
  { readonly kind: 'placed'; readonly key: ObjectKey } | { readonly kind: 'impossible'; readonly message: string };

/** What is known of a pair beyond both sides' objects. Kept only while it matters. */
export interface PairMemory {
  /** The uid of a copy that a live answer has shown to be gone, or `none` after a live search. */
  readonly gone?: string | undefined;
  /** Where the copy was when it was deleted. */
  readonly copyKey?: ObjectKey | undefined;
  /** What stands in the place of the copy, read live after a create was refused. */
  readonly occupant?: UnstructuredObject | undefined;
  /** Something that is not the copy stood in its place at the last look: it is read whether it still does before the copy is made. */
  readonly occupied?: true | undefined;
  /** The source was read with a deletionTimestamp. */
  readonly deletionSeen?: true | undefined;
  /** The uid of the copy beside which the source was read live, as being deleted or gone. Of one look. */
  readonly deletionStands?: string | undefined;
  /** The uid of a source whose last finalizer we have taken away: what the cache still shows of it is no more. */
  readonly released?: string | undefined;
  /** The uid of a source to which we have added the finalizer, for a copy that was yet to be made. */
  readonly finalizerAdded?: string | undefined;
  /** The uid of a source of which a live answer has shown that its finalizer was set by another agent. */
  readonly finalizerOthers?: string | undefined;
  /** The status (by the writer's uid and version) that the other side's API server did not store as sent, or has no place for. */
  readonly statusRefused?: string | undefined;
  /** From which copy (by uid and version) the status was last written to the workspace, and when that had to be done again, in milliseconds since the epoch: somebody else had written it. */
  readonly statusWritten?: { readonly of: string; readonly again: readonly number[] } | undefined;
  /** The destination has no status subresource. */
  readonly statusMissing?: true | undefined;
  /** When our marks were put back of late, in milliseconds since the epoch. */
  readonly corrections?: readonly number[] | undefined;
  /** What the account of an object read live says about it: whether an agent has written it. */
  readonly written?: { readonly uid: string; readonly byAgent: boolean } | undefined;
  /** What a trial write showed of an object that is to become the copy. */
  readonly agreement?: Agreement | undefined;
  /** The copy was to be made, and whether it was is not known: the answer got lost. */
  readonly attempted?: true | undefined;
}

/** One source object and its copy. A snapshot: nothing in it changes. */
export interface Observed {
  /** As the API server sent it. */
  readonly source: UnstructuredObject | undefined;
  readonly destination: UnstructuredObject | undefined;
  /** Of a primary copy that was found by its marks. Default `marked`. */
  readonly standing?: Standing | undefined;
  /** Of a copy that has yet to be made from this object. Asked only then: the naming rules may fail. */
  readonly placement: (object: UnstructuredObject) => Placement;
  /** Somebody else needs the source as well: its finalizer stays. Asked only when it would go. */
  readonly neededElsewhere?: (() => boolean) | undefined;
  readonly last: LastState;
  /** Whether anything is remembered of this pair, readable or not. */
  readonly remembered: boolean;
  /** Of a related copy: the uid of the object that was made or taken, where that is written down. */
  readonly made?: string | undefined;
  /** Whether what stands in the place of a related copy can be the copy of another object. Asked only where it might be taken for this one's. */
  readonly others?: (() => 'none' | 'unknown') | undefined;
  /** False: the filter leaves the source out. */
  readonly selected: boolean;
  readonly memory: PairMemory;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What a primary copy is recognised by, and whose it is (`spec/api-syncagent.md §11.1`). */
export interface Marks {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly agentName: string;
  /** The PublishedResource, on copies that we make. Those that others made have no such mark, and get none. */
  readonly publishedBy?: string | undefined;
}

/** How a publication ends. `keep`: copies stay, and nothing in kcp is held any more. `drain`: copies are deleted first. */
export type Retirement = 'keep' | 'drain';

/** The kind of a pair: of primaries, or of one related entry (`spec/api-syncagent.md §12.6`). */
export interface PairSettings {
  /** Which side the source is on. */
  readonly origin: 'kcp' | 'service';
  readonly destination: { readonly apiVersion: string; readonly kind: string };
  /** Marks on the copy. Undefined for related objects: they bear none. */
  readonly marks: Marks | undefined;
  /** The field manager under which the copy is written, where its marks do not tell whose it is. */
  readonly creator?: string | undefined;
  /** The field manager under which the finalizer is set, where it shows who has set it. */
  readonly holder?: string | undefined;
  /** Top-level fields that are subresources, and so not part of the content. */
  readonly subresources: readonly string[];
  readonly status: 'none' | 'back' | 'forward';
  readonly finalizer: boolean;
  /** The copy is to go although the source stays. */
  readonly forcedDeletion: boolean;
  /** The source is let go, and the copy stays. */
  readonly letGo?: boolean | undefined;
  readonly mutations: Mutations | undefined;
  readonly adoption: AdoptionPolicy;
  /** Of all objects of the PublishedResource. */
  readonly pause?: Pause | undefined;
}
