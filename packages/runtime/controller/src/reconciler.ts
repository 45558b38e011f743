import type { ApiError } from '@hawser/client';
import type { BackoffOptions } from '@hawser/clock';
import type { EventMessage, EventRecorder, ObjectReference } from '@hawser/telemetry';
import type { Priority, Result } from './queue.js';
import type { WriteBudgetOptions } from './write-budget.js';

/** One thing that a controller can do. Each controller has a closed union of them; `type` names the action in the log. */
export interface Action {
  readonly type: string;
}

/** What is to be done for one key. A controller may add what its `decided` needs. */
export interface Decision<A extends Action> {
  /** In this order. The key is observed again after the first one, until a decision has none. Empty: the key is in step. */
  readonly actions: readonly A[];
  /** A state that lasts and that a person must hear of. Told once, until it changes or ends. Absent: nothing is to be told. */
  readonly event?: EventMessage | undefined;
  /** What was told still holds, though nothing is to be told now: it is not told again before it changes. Default false. */
  readonly lasts?: boolean | undefined;
  /** Look again after this many milliseconds although nothing happened. Counts when no action is left. */
  readonly requeueAfterMs?: number | undefined;
  /** Of that look. Default `background`. */
  readonly requeuePriority?: Priority | undefined;
  /** So much is left to do after these actions that other keys go first. An action that is repeated yields to none: it is counted as in one run. */
  readonly yields?: boolean | undefined;
  /** What the run ends with once these actions are taken, where no cache shows at once that they were, as with deletions. Absent: the key is observed again. */
  readonly ends?: Result | undefined;
  /** The key waits for a change, and its failures stay counted. Default: where the event is a Warning. */
  readonly waits?: boolean | undefined;
}

/** The object that Events of a key are about: {@link Watched.about} makes one. */
export interface Subject {
  readonly regarding: ObjectReference;
  readonly events: EventRecorder;
}

/** What an action came to. The event is of a lasting state that only the action could find out; it is told as that of a decision is. */
export type Outcome = Result & { readonly event?: EventMessage | undefined };

/** What an action returns. Nothing: observe again. An {@link Outcome}: the run ends with it, as where no cache can show that the action was taken. */
export type Acted = Promise<void> | Promise<Outcome | undefined>;

/** The actions of a decision. */
export type ActionOf<D extends Decision<Action>> = D['actions'][number];

/** A step that the API server refused. */
export interface Refused<Observed, D extends Decision<Action>> {
  readonly key: string;
  readonly observed: Observed | undefined;
  /** Undefined: it was a read. */
  readonly action: ActionOf<D> | undefined;
}

/** What a controller has to say for itself. `controller` does the rest. */
export interface Reconciler<Observed, D extends Decision<Action>> {
  /**
   * Everything that the decision rests on: from the caches, from live reads, from memory, from the clock. `before`: what was observed last in the same run, for answers that are good for all of it. Undefined:
   * the run begins.
   */
  observe(key: string, signal: AbortSignal, before: Observed | undefined): Observed | Promise<Observed>;
  /**
   * Completes what was observed by what the action of another key may change, such as how many objects there are. No other key is worked on between this and the beginning of the first action, so a bound on what was
   * counted holds. It must be quick.
   */
  lastLook?(observed: Observed): Observed;
  /** Pure. */
  decide(observed: Observed): D;
  /** Carries out one action; the one place that writes. */
  act(action: ActionOf<D>, signal: AbortSignal, observed: Observed): Acted;
  /** Which object the Events of a key, or of an action for it, are about. Undefined: none, and nothing is told. Default: the object of the key, of the first watch by {@link toOwnKey}. */
  about?(observed: Observed, key: string, action?: ActionOf<D>): Subject | undefined;
  /** What to tell when the API server refuses an action (403, 422 and the like). It is tried again in any case. Default: only the log tells. */
  refused?(error: ApiError, action: ActionOf<D>): EventMessage | undefined;
  /** Writes into a status what the API server refuses: an action, or a read of `observe` (then `observed` is what was known before). The key fails in any case. */
  reportRefusal?(error: ApiError, refused: Refused<Observed, D>, signal: AbortSignal): Promise<void>;
  /**
   * Whether a run goes on without an action that failed, so that an object that cannot be written holds up no other object of its key. Has to see to it that `decide` leaves the action out for the rest of
   * the run. The key fails with the first such failure once no action is left; its back-off then grows to the `requeueAfterMs` of the decision at most, or to 30 s if that is longer. Default: it fails at once.
   */
  setAside?(error: unknown, action: ActionOf<D>, observed: Observed): boolean;
  /** Sees each decision: for metrics, and to forget what was kept in memory of a key. */
  decided?(key: string, observed: Observed, decision: D): void;
  /** What the start waits for, and fails with: where a cache may stay empty, or a refused one must end the start. Default: all caches are filled. */
  filled?(signal: AbortSignal): Promise<void>;
  /** Keys to look at when the caches are filled, whatever the watches say: with the priority of a first look, `normal`. Default: none. */
  initial?(): readonly string[];
  /** Keys that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
  /** All actions of a decision are carried out before the key is observed again: for those that do not rest on each other. Default: only the first. */
  readonly takesAll?: boolean | undefined;
  /** So often a key is decided about in one run; with actions left then, it fails. More than any sequence of actions needs, `Infinity` for one that ends by itself. Default 12. */
  readonly rounds?: number | undefined;
  /** How often actions of one key may follow each other: for what another cluster can provoke at will. Default: no limit. */
  readonly budget?: WriteBudgetOptions | undefined;
  /** Between tries of a key that fails. Default: 50 ms to 5 min. */
  readonly backoff?: BackoffOptions | undefined;
  /** Of {@link Watched.create} and {@link Watched.patch}. Default: `hawser-` and the name of the controller. */
  readonly fieldManager?: string | undefined;
}
