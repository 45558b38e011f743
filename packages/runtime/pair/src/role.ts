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
  /** What the steps of one run have taught, as content that was read live: forgotten when the run ends. */
  readonly learned: unknown;
}

/** What makes a role: what it sees of a pair, what it decides, how it writes, and its words. The engine does the rest. */
export interface PairRole<T extends PairTypes> {
  /** With what a run begins. */
  readonly nothingLearned: T['learned'];
  /** Both sides as they are known now: from the caches, from memory, and from what this run has learned. */
  observe(key: string, learned: T['learned']): T['observed'];
  /** Pure. */
  decide(observed: T['observed']): T['decision'];
  /** The one place that writes. Failures are thrown as the client's ApiError. */
  act(action: T['action'], key: string, signal: AbortSignal): Promise<T['result']>;
  /** Keeps what a step has taught: in the memory of the pair, and for the rest of this run. */
  learn(key: string, taken: TakenStep<T>, learned: T['learned']): T['learned'];
  /** A conflict: a cache is behind. Reads the side that refused. */
  readAgain(key: string, action: T['action'], learned: T['learned'], signal: AbortSignal): Promise<T['learned']>;
  /** Whether the object went while it was being written to: its event is on the way. */
  isGone(error: unknown, action: T['action'], key: string): boolean;
  /** No step is to be taken now. Trims the memory of the pair. */
  settled(key: string, observed: T['observed'], decision: T['decision']): void;
  readonly steps: PairSteps<T>;
  readonly words: PairWords<T>;
}

/** A step that the server took. */
export interface TakenStep<T extends PairTypes> {
  readonly observed: T['observed'];
  readonly decision: T['decision'];
  readonly action: T['action'];
  readonly result: T['result'];
}

/** What the engine has to know of steps. */
export interface PairSteps<T extends PairTypes> {
  /** The same text for the same step with the same content: a step that is refused is parked by it. */
  readonly textOf: (action: T['action']) => string;
  /** The same text for a step that is taken a second time only if the first had no effect, or was undone. Undefined: the step may be repeated. */
  readonly effortOf: (action: T['action']) => string | undefined;
  /** What answers the step: where one is answered well, others of the same text may be. */
  readonly endpointOf: (action: T['action']) => string;
  /** The client that took the step, or was refused. */
  readonly clientOf: (action: T['action'], error: unknown) => Client;
  /** The step can wait: it is taken when no other key waits. Default: none. */
  readonly isBackground?: (action: T['action']) => boolean;
  /** Of the other steps of the decision, the one that may be taken while this one is parked. Default: none. */
  readonly besides?: (parked: T['action'], decision: T['decision']) => T['action'] | undefined;
  /** In how many milliseconds the step may be taken although it was never refused. Default: now. */
  readonly waitMs?: (key: string, action: T['action']) => number;
}

/** What people are told of pairs. */
export interface PairWords<T extends PairTypes> {
  /** The object that Events are about; undefined: there is none. `observed` is undefined where looking at the pair itself fails. */
  readonly subjectOf: (key: string, observed: T['observed'] | undefined) => ObjectReference | undefined;
  /** Something is told of the pair. `hasEvent`: whether by an Event; undefined: it is the same as before, and so is that. Default: nothing else is kept of it. */
  readonly told?: (key: string, observed: T['observed'] | undefined, hasEvent: boolean | undefined) => void;
  /** What was told of the pair is over. Default: nothing else is kept of it. */
  readonly over?: (key: string) => void;
  /** What a refused step means to a person. */
  readonly refused: (action: T['action'], error: unknown) => Meaning;
  /** Who undoes a step that was taken again and again. `atOnce`: the answers to the writes lacked what was written already. */
  readonly undone: (
    key: string,
    observed: T['observed'],
    action: T['action'],
    atOnce: boolean,
    signal: AbortSignal,
  ) => Promise<Problem>;
  /** One step leads to the next without an end. */
  readonly stalled: (action: T['action']) => Problem;
  /** A look at the pair ended in an error; `times`: so often in a row. Undefined: it may pass, or another message tells it. */
  readonly unhandled: (error: unknown, times: number) => Problem | undefined;
  /** What is to be told of a pair that is held, or has lost its original. Undefined: nothing. */
  readonly standing: (observed: T['observed'], decision: T['decision']) => ToldOfPair | undefined;
}

export interface ToldOfPair {
  readonly problem: Problem;
  /** False: an Event on each object would say the same many times. */
  readonly onObject: boolean;
}
