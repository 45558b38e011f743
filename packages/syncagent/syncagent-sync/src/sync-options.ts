import type { ObjectKey } from '@hawser/client';
import type { Controller, ObjectProblem, Problem } from '@hawser/controller';
import type { ObjectReference } from '@hawser/telemetry';

import type { Decision, Verdict } from './decision.js';
import type { Engagement } from './engagement.js';
import type { Neighbours } from './neighbours.js';
import type { AdoptionPolicy, Retirement } from './observed.js';
import type { Pause } from './pause.js';
import type { PublishedKinds } from './published.js';
import type { Rules } from './rules.js';
import type { WorkspaceOrigin } from './vanished.js';

export interface SyncOptions {
  /** For logs, metrics and the Events that a workspace does not accept. */
  readonly publishedResource: ObjectReference;
  readonly kinds: PublishedKinds;
  readonly rules: Rules;
  /** Value of the label `syncagent.kcp.io/agent-name` on copies. */
  readonly agentName: string;
  /** Where the state Secrets lie: the agent's namespace. */
  readonly namespace: string;
  /** What becomes of objects that stand where a copy belongs and bear no mark of anybody. */
  readonly adoption: AdoptionPolicy;
  /** Whether another PublishedResource, of this name, publishes the same kind of the service cluster: the copies that were made for it are its own. Default: none does. */
  readonly publishedElsewhere?: ((publishedResource: string) => boolean) | undefined;
  /** Nothing is written for any object: see {@link Decision.withheld}. */
  readonly pause?: Pause | undefined;
  /** The other syncs of this agent. Default: there are none. */
  readonly neighbours?: Neighbours | undefined;
  /**
   * Whether the engagements are all there are: every virtual workspace that has, or had, objects of this resource. Asked again on {@link Sync.survey}. Default: they are.
   */
  readonly isWhole?: (() => boolean) | undefined;
  /** Whether kcp says now that a workspace, which this virtual workspace showed, does not exist any more. Default: that is not known, so that state Secrets of its objects stay. */
  readonly isGone?: ((cluster: string, origin: WorkspaceOrigin, signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Those that are known already. */
  readonly engagements?: readonly Engagement[] | undefined;
  /** Objects written at the same time. Default 24. */
  readonly concurrency?: number | undefined;
  /** Which Events go to workspaces besides warnings. Default `lifecycle`: placed and deleted, once for each object. */
  readonly events?: 'all' | 'lifecycle' | 'warnings' | undefined;
  /** Told, at most once per turn of the event loop, that `counts()` or `problems()` may give another answer. */
  readonly onReport?: (() => void) | undefined;
  /** Every look at an object (`cluster|namespace/name`, or `cluster|name`) goes through it, for whoever has to know which requests belong together. */
  readonly during?: (<T>(object: string, work: () => Promise<T>) => Promise<T>) | undefined;
}

/** For the status of the PublishedResource. */
export interface SyncCounts {
  /** Objects in workspaces that the filter selects. */
  readonly objects: number;
  /** Workspaces that have bound the export. */
  readonly workspaces: number;
  /** Objects with a problem that somebody must see to. */
  readonly failing: number;
  /** Copies whose object in kcp is missing. Kept. */
  readonly orphans: number;
  /** Objects in workspaces that have our finalizer. */
  readonly held: number;
}

/** How an object stands, for `why`. */
export interface ObjectState {
  readonly verdict: Verdict;
  readonly problem: ObjectProblem | undefined;
}

/**
 * Keeps the objects of one PublishedResource in all workspaces in step with their copies on the service cluster. `stop` resolves when nothing is in flight,
 * and leaves all objects as they are.
 */
export interface Sync extends Controller<'service'> {
  /** From now on this virtual workspace belongs to it. A second one with the same URL replaces the first. */
  add(engagement: Engagement): void;
  /** Its objects are left as they are; their copies become orphans only if the workspace is found nowhere else. */
  remove(url: string): void;
  counts(): SyncCounts;
  problems(): readonly ObjectProblem[];
  /** What keeps whole caches from being filled, and what is missing for all objects alike. */
  troubles(): readonly Problem[];
  /** As the options have it. */
  readonly pause: Pause | undefined;
  /** When something was last written for an object, in milliseconds since the epoch. */
  readonly lastSyncMs: number | undefined;
  /** True once every object was looked at with all caches filled. Stays true. */
  readonly surveyed: boolean;
  /** The caches of all virtual workspaces are filled now, so that what none of them shows does not exist. False where one is missing, or cannot be read. */
  readonly complete: boolean;
  /** How many objects with our finalizer the cache of this virtual workspace has, by logical cluster; undefined: not known, as it cannot be read. */
  holdersAt(url: string): ReadonlyMap<string, number> | undefined;
  /** The logical clusters of which something is remembered on the service cluster; undefined: not every object that is shown was looked at yet. */
  remembered(): ReadonlySet<string> | undefined;
  /** {@link SyncOptions.isWhole} may have another answer. */
  survey(): void;
  /** The last decision about an object (`cluster|namespace/name`, or `cluster|name`), made anew from the caches. Writes nothing. */
  why(object: string): ObjectState;
  /** What would be done now for an object itself; its related objects are not looked at. Writes nothing. */
  plan(object: string): Decision;
  /** Every object in the workspaces, and every copy, by the names that `why` takes. */
  keys(): readonly string[];
  /** Where the copy of an object is. */
  copyOf(object: string): ObjectKey | undefined;
  /** Looks at all objects again. What is parked is tried at once. */
  recheck(): void;
  /**
   * A schema has changed on one side, and that has settled: lists objects and copies again ({@link Informer.relist}), and looks anew at whatever the former
   * schema has kept from being stored.
   */
  reread(): void;
  /**
   * The publication ends: from now on nothing is made or changed, and every object that can be reached is let go, so that its users can delete it. `held` of
   * {@link counts} says how many are left. Final: to go on, make another sync.
   */
  retire(how: Retirement): void;
}
