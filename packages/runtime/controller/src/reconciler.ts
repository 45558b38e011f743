import type { ApiError } from '@hawser/client';
import type { BackoffOptions } from '@hawser/clock';
import type { EventMessage, EventRecorder, ObjectReference } from '@hawser/telemetry';
import type { Priority, Result } from './queue.js';
import type { WriteBudgetOptions } from './write-budget.js';

/**
 * One possible action of a controller. Each controller has a closed union of them; `type` names the action in the log.
 */
export interface Action {
  readonly type: string;
}

/** What to do for one key. A controller may add fields for its `decided`. */
export interface Decision<A extends Action> {
  /**
   * In this order. The key is observed again after the first one, until a decision has none. Empty: the key is in step.
   */
  readonly actions: readonly A[];
  /** A lasting state that people must know. Recorded once, until it changes or ends. Absent: no Event. */
  readonly event?: EventMessage | undefined;
  /** The recorded state lasts, without a new Event now: it is not recorded again before it changes. Default false. */
  readonly lasts?: boolean | undefined;
  /** Look again after this many milliseconds without an event. Counts when no action is left. */
  readonly requeueAfterMs?: number | undefined;
  /** Priority of that look. Default `background`. */
  readonly requeuePriority?: Priority | undefined;
  /**
   * Lets other keys go first after these actions, because much is left to do. A repeated action does not yield: it
   * counts as in one run.
   */
  readonly yields?: boolean | undefined;
  /**
   * Ends the run with this result after these actions, because no cache shows them at once, as with deletions. Absent:
   * observe the key again.
   */
  readonly ends?: Result | undefined;
  /** The key waits for a change and keeps its failure count. Default: if the event is a Warning. */
  readonly waits?: boolean | undefined;
}

/** The object of a key's Events: {@link Watched.about} makes one. */
export interface Subject {
  readonly regarding: ObjectReference;
  readonly events: EventRecorder;
}

/**
 * Result of an action. `event`: a lasting state that only the action could detect; recorded like that of a decision.
 */
export type Outcome = Result & { readonly event?: EventMessage | undefined };

/**
 * Result of `act`. Nothing: observe again. An {@link Outcome}: end the run with it, for example because no cache can
 * show the action.
 */
export type Acted = Promise<void> | Promise<Outcome | undefined>;

/** The actions of a decision. */
export type ActionOf<D extends Decision<Action>> = D['actions'][number];

/** A step that the API server refused. */
export interface Refused<Observed, D extends Decision<Action>> {
  readonly key: string;
  readonly observed: Observed | undefined;
  /** Undefined: a read. */
  readonly action: ActionOf<D> | undefined;
}

/** The part that each controller writes; `controller` does the rest. */
export interface Reconciler<Observed, D extends Decision<Action>> {
  /**
   * Collects everything that the decision depends on: from caches, live reads, memory and the clock. `before`: the last
   * observation of the same run, for answers that hold for all of it. Undefined: the run begins.
   */
  observe(key: string, signal: AbortSignal, before: Observed | undefined): Observed | Promise<Observed>;
  /**
   * Completes the observation with what actions of other keys may change, such as the number of objects. No other key
   * runs between this call and the first action, so a limit on what was counted holds. Must be quick.
   */
  lastLook?(observed: Observed): Observed;
  /** Pure. */
  decide(observed: Observed): D;
  /** Carries out one action; the only place that writes. */
  act(action: ActionOf<D>, signal: AbortSignal, observed: Observed): Acted;
  /**
   * The object that Events of a key, or of an action for it, are about. Undefined: no Event. Default: the object of the
   * key, from the first watch by {@link toOwnKey}.
   */
  about?(observed: Observed, key: string, action?: ActionOf<D>): Subject | undefined;
  /**
   * The Event for an action that the API server refuses (403, 422 and the like). The action is retried in any case.
   * Default: log only.
   */
  refused?(error: ApiError, action: ActionOf<D>): EventMessage | undefined;
  /**
   * Writes a refusal by the API server into a status: of an action, or of a read in `observe` (then `observed` is the
   * last one known). The key fails in any case.
   */
  reportRefusal?(error: ApiError, refused: Refused<Observed, D>, signal: AbortSignal): Promise<void>;
  /**
   * Whether the run continues without a failed action: an object that cannot be written must not block others of its
   * key. `decide` must then omit the action for the rest of the run. The key fails with the first such failure once no
   * action is left. Its back-off grows at most to the decision's `requeueAfterMs`, or to 30 s if that is longer.
   * Default: fail at once.
   */
  setAside?(error: unknown, action: ActionOf<D>, observed: Observed): boolean;
  /** Receives each decision: for metrics, and to clear the memory of a key. */
  decided?(key: string, observed: Observed, decision: D): void;
  /**
   * Decides when the start is complete, and may fail it: where a cache may stay empty, or a refused one must end the
   * start. Default: all caches are filled.
   */
  filled?(signal: AbortSignal): Promise<void>;
  /**
   * Keys to look at when the caches are filled, besides those of the watches. They get the priority of a first look,
   * `normal`. Default: none.
   */
  initial?(): readonly string[];
  /** Keys that run at a time. Default 4. */
  readonly concurrency?: number | undefined;
  /**
   * Carries out all actions of a decision before it observes the key again: for independent actions. Default: only the
   * first.
   */
  readonly takesAll?: boolean | undefined;
  /**
   * Decisions per run; if actions are left then, the key fails. More than any sequence of actions needs; `Infinity` for
   * one that ends by itself. Default 12.
   */
  readonly rounds?: number | undefined;
  /** Rate limit for the actions of one key: for actions that another cluster can provoke at will. Default: no limit. */
  readonly budget?: WriteBudgetOptions | undefined;
  /** Back-off of a failing key. Default: 50 ms to 5 min. */
  readonly backoff?: BackoffOptions | undefined;
  /**
   * Field manager of {@link Watched.create} and {@link Watched.patch}. Default: `hawser-` and the name of the
   * controller.
   */
  readonly fieldManager?: string | undefined;
}
