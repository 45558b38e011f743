import type { ApiError } from '@hawser/client';
import type { EventMessage, EventRecorder, ObjectReference } from '@hawser/telemetry';
import type { Result } from './queue.js';
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
  /** Look again after this many milliseconds although nothing happened. Counts when no action is left. */
  readonly requeueAfterMs?: number | undefined;
}

/** The object that Events of a key are about: {@link Watched.about} makes one. */
export interface Subject {
  readonly regarding: ObjectReference;
  readonly events: EventRecorder;
}

/** What an action returns. Nothing: observe again. A {@link Result}: the run ends with it, as where no cache can show that the action was taken. */
export type Acted = Promise<void> | Promise<Result | undefined>;

/** The actions of a decision. */
export type ActionOf<D extends Decision<Action>> = D['actions'][number];

/** What a controller has to say for itself. `controller` does the rest. */
export interface Reconciler<Observed, D extends Decision<Action>> {
  /** Everything that the decision rests on: from the caches, from live reads, from memory, from the clock. */
  observe(key: string, signal: AbortSignal): Observed | Promise<Observed>;
  /** Pure. */
  decide(observed: Observed): D;
  /** Carries out one action; the one place that writes. */
  act(action: ActionOf<D>, signal: AbortSignal, observed: Observed): Acted;
  /** Which object the Events of a key are about. Undefined: none, and nothing is told. Default: the object of the key, of the first watch by {@link toOwnKey}. */
  about?(observed: Observed, key: string): Subject | undefined;
  /** What to tell when the API server refuses an action (403, 422 and the like). It is tried again in any case. Default: only the log tells. */
  refused?(error: ApiError, action: ActionOf<D>): EventMessage | undefined;
  /** Sees each decision: for metrics, and to forget what was kept in memory of a key. */
  decided?(key: string, observed: Observed, decision: D): void;
  /** Keys to look at when the caches are filled, whatever the watches say. Default: none. */
  initial?(): readonly string[];
  /** Keys that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
  /** How often actions of one key may follow each other: for what another cluster can provoke at will. Default: no limit. */
  readonly budget?: WriteBudgetOptions | undefined;
  /** Of {@link Watched.create} and {@link Watched.patch}. Default: `hawser-` and the name of the controller. */
  readonly fieldManager?: string | undefined;
}
