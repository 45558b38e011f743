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
  /** Namespace of the state Secrets: the agent's. */
  readonly namespace: string;
  /** Policy for unmarked objects in the place of a copy. */
  readonly adoption: AdoptionPolicy;
  /**
   * Whether another PublishedResource, of this name, publishes the same kind of the service cluster: the copies made
   * for it are its own. Default: none does.
   */
  readonly publishesSameKind?: ((publishedResource: string) => boolean) | undefined;
  /** Write nothing for any object: see {@link Decision.withheld}. */
  readonly pause?: Pause | undefined;
  /** The other syncs of this agent. Default: none. */
  readonly neighbours?: Neighbours | undefined;
  /**
   * Whether the engagements are complete: every virtual workspace that has, or had, objects of this resource. Called
   * again on {@link Sync.survey}. Default: they are.
   */
  readonly isWhole?: (() => boolean) | undefined;
  /**
   * Whether kcp now states that a workspace, which this virtual workspace showed, no longer exists. Default: unknown,
   * so state Secrets of its objects stay.
   */
  readonly isGone?: ((cluster: string, origin: WorkspaceOrigin, signal: AbortSignal) => Promise<boolean>) | undefined;
  /** The engagements known already. */
  readonly engagements?: readonly Engagement[] | undefined;
  /** Objects written at the same time. Default 24. */
  readonly concurrency?: number | undefined;
  /** Events for workspaces besides warnings. Default `lifecycle`: placed and deleted, once for each object. */
  readonly events?: 'all' | 'lifecycle' | 'warnings' | undefined;
  /** Called at most once per turn of the event loop when `counts()` or `problems()` may have changed. */
  readonly onReport?: (() => void) | undefined;
  /** Wraps every look at an object (`cluster|namespace/name`, or `cluster|name`), to group its requests. */
  readonly during?: (<T>(object: string, work: () => Promise<T>) => Promise<T>) | undefined;
}

/** Counts for the status of the PublishedResource. */
export interface SyncCounts {
  /** Objects in workspaces that the filter selects. */
  readonly objects: number;
  /** Workspaces that have bound the export. */
  readonly workspaces: number;
  /** Objects with a problem that needs attention. */
  readonly failing: number;
  /** Copies whose object in kcp is missing. Kept. */
  readonly orphans: number;
  /** Objects in workspaces that have our finalizer. */
  readonly held: number;
}

/** State of an object, for `why`. */
export interface ObjectState {
  readonly verdict: Verdict;
  readonly problem: ObjectProblem | undefined;
}

/**
 * Keeps the objects of one PublishedResource in all workspaces in step with their copies on the service cluster. `stop`
 * resolves when nothing is in flight, and leaves all objects unchanged.
 */
export interface Sync extends Controller<'service'> {
  /** Adds a virtual workspace. A second one with the same URL replaces the first. */
  add(engagement: Engagement): void;
  /**
   * Removes a virtual workspace. Its objects stay unchanged; their copies become orphans only if no other virtual
   * workspace shows the workspace.
   */
  remove(url: string): void;
  counts(): SyncCounts;
  problems(): readonly ObjectProblem[];
  /** Refusals that keep whole caches empty, and rights missing for all objects. */
  troubles(): readonly Problem[];
  /** As in the options. */
  readonly pause: Pause | undefined;
  /** Time of the last write for an object, in milliseconds since the epoch. */
  readonly lastSyncMs: number | undefined;
  /** True once every object was looked at with all caches filled. Stays true. */
  readonly surveyed: boolean;
  /**
   * The caches of all virtual workspaces are filled now, so an object that none shows does not exist. False if one is
   * missing or unreadable.
   */
  readonly complete: boolean;
  /**
   * Objects with our finalizer in the cache of this virtual workspace, by logical cluster; undefined: unknown, as it is
   * unreadable.
   */
  holdersAt(url: string): ReadonlyMap<string, number> | undefined;
  /** The logical clusters with state on the service cluster; undefined: not every shown object was looked at yet. */
  remembered(): ReadonlySet<string> | undefined;
  /** {@link SyncOptions.isWhole} may have changed. */
  survey(): void;
  /**
   * The decision about an object (`cluster|namespace/name`, or `cluster|name`), made anew from the caches. Writes
   * nothing.
   */
  why(object: string): ObjectState;
  /** The steps that would be taken now for an object itself, without its related objects. Writes nothing. */
  plan(object: string): Decision;
  /** Every object in the workspaces, and every copy, by the names that `why` takes. */
  keys(): readonly string[];
  /** Place of an object's copy. */
  copyOf(object: string): ObjectKey | undefined;
  /** Looks at all objects again. Retries parked steps at once. */
  recheck(): void;
  /**
   * A schema has changed on one side, and that has settled: lists objects and copies again ({@link Informer.relist}),
   * and retries whatever the former schema kept from being stored.
   */
  reread(): void;
  /**
   * Ends the publication. Creates and changes nothing from now on, and releases every reachable object, so its users
   * can delete it. `held` of {@link counts} is the number left. Final: to go on, create another sync.
   */
  retire(how: Retirement): void;
}
