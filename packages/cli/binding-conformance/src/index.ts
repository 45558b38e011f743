export { type Check, Deviation, type Level, type Part } from './check.js';
export type { ProviderAddress } from './onboarding.js';
export type { Role } from './world.js';
export { type Outcome, type Report, type Result, type RunOptions, checks, runConformance } from './run.js';
export { type Tally, conforms, junit, tally } from './report.js';
