import type { Client } from '@hawser/client';
import type { Meaning, Problem } from '@hawser/controller';
import type { ObjectReference } from '@hawser/telemetry';

import type { PairDecision, Step, StepResult } from './decision.js';

/** The types of one role. */
export interface PairTypes {
  readonly action: Step;
  readonly observed: unknown;
  readonly decision: PairDecision<Step>;
  readonly result: StepResult;
  /** What the steps of one run taught, such as content read live; forgotten when the run ends. */
  readonly learned: unknown;
}

/**
 * Defines a role: what it observes of a pair, what it decides, how it writes, and its words. The engine does the rest.
 */
export interface PairRole<T extends PairTypes> {
  /** Initial value of a run. */
  readonly nothingLearned: T['learned'];
  /** Both sides as known now: from caches, memory, and what this run has learned. */
  observe(key: string, learned: T['learned']): T['observed'];
  /** Pure. */
  decide(observed: T['observed']): T['decision'];
  /** The only place that writes. Throws failures as the client's ApiError. */
  act(action: T['action'], key: string, signal: AbortSignal): Promise<T['result']>;
  /** Keeps what a step taught: in the memory of the pair, and for the rest of this run. */
  learn(key: string, taken: TakenStep<T>, learned: T['learned']): T['learned'];
  /** After a conflict a cache is stale: reads the refusing side. */
  readAgain(key: string, action: T['action'], learned: T['learned'], signal: AbortSignal): Promise<T['learned']>;
  /** Whether the object was deleted during a write to it: its event will follow. */
  isGone(error: unknown, action: T['action'], key: string): boolean;
  /** No step is due. Trims the memory of the pair. */
  settled(key: string, observed: T['observed'], decision: T['decision']): void;
  readonly steps: PairSteps<T>;
  readonly words: PairWords<T>;
}

/** A step that the server accepted. */
export interface TakenStep<T extends PairTypes> {
  readonly observed: T['observed'];
  readonly decision: T['decision'];
  readonly action: T['action'];
  readonly result: T['result'];
}

/** Properties of steps that the engine needs. */
export interface PairSteps<T extends PairTypes> {
  /** Equal for the same step with the same content: identifies a refused step. */
  readonly textOf: (action: T['action']) => string;
  /** Equal for a step that repeats only if the first had no effect, or was undone. Undefined: the step may repeat. */
  readonly effortOf: (action: T['action']) => string | undefined;
  /** The endpoint that answers the step: if one step succeeds there, others of the same text may. */
  readonly endpointOf: (action: T['action']) => string;
  /** The client that took the step, or was refused. */
  readonly clientOf: (action: T['action'], error: unknown) => Client;
  /** Whether the step can wait until no other key waits. Default: none. */
  readonly isBackground?: (action: T['action']) => boolean;
  /** Another step of the decision that may run while this one is parked. Default: none. */
  readonly besides?: (parked: T['action'], decision: T['decision']) => T['action'] | undefined;
  /** Delay before the step although it was never refused, in milliseconds. Default: none. */
  readonly waitMs?: (key: string, action: T['action']) => number;
}

/** How pairs are reported to people. */
export interface PairWords<T extends PairTypes> {
  /** The object for Events; undefined: there is none. `observed` is undefined if looking at the pair fails. */
  readonly subjectOf: (key: string, observed: T['observed'] | undefined) => ObjectReference | undefined;
  /**
   * A pair was reported. `hasEvent`: whether by an Event; undefined: nothing has changed. Default: no further action.
   */
  readonly reported?: (key: string, observed: T['observed'] | undefined, hasEvent: boolean | undefined) => void;
  /** A reported problem is over. Default: no further action. */
  readonly over?: (key: string) => void;
  /** Meaning of a refused step for a person. */
  readonly refused: (action: T['action'], error: unknown) => Meaning;
  /** Who undoes a repeated step. `atOnce`: the answers to the writes already lacked the content. */
  readonly undone: (
    key: string,
    observed: T['observed'],
    action: T['action'],
    atOnce: boolean,
    signal: AbortSignal,
  ) => Promise<Problem>;
  /** Steps follow each other without end. */
  readonly stalled: (action: T['action']) => Problem;
  /** A look at the pair failed `times` times in a row. Undefined: it may pass, or another message reports it. */
  readonly unhandled: (error: unknown, times: number) => Problem | undefined;
  /** What to report about a held or orphaned pair. Undefined: nothing. */
  readonly standing: (observed: T['observed'], decision: T['decision']) => StandingProblem | undefined;
}

export interface StandingProblem {
  readonly problem: Problem;
  /** False: an Event on each object would repeat one fact many times. */
  readonly onObject: boolean;
}
