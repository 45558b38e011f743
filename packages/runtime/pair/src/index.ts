export type { PairDecision, PairVerdict, Step, StepResult } from './decision.js';
export type { PairRole, PairSteps, PairTypes, PairWords, TakenStep, StandingProblem } from './role.js';
export { type LoopRole, PairLoop, type PairLoopOptions, type RunOutcome } from './pair-loop.js';
export { PairEngine, type PairEngineOptions } from './pair-engine.js';
export type { DeadLetter } from './pair-reports.js';
export { type PairMetrics, createPairMetrics } from './pair-metrics.js';
