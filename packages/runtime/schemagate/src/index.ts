export { type SchemaPolicy, parseSchemaPolicy, tighterPolicy } from './schema-policy.js';
export { type Case, type HoldReason, type Verdict, judge } from './judge.js';
export { schemaHash } from './schema-hash.js';
export { type Candidate, type ObjectVerdict, compileCandidate } from './candidate.js';
export {
  type CheckStoredOptions,
  type StoredCheck,
  type StoredObjectFault,
  type StoredObjectFaults,
  checkStored,
} from './check-stored.js';
export { describeFaults } from './describe-faults.js';
export { type Turns, createTurns } from './turns.js';
