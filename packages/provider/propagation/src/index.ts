export { type PropagationOptions, createPropagationController } from './propagation-controller.js';
export { type Hold, type HoldReason, holdReasons } from './hold.js';
export { type Member, type Rollout, type Turn, parseRollout, turnOf } from './rollout.js';
export {
  type SchemaStanding,
  type SchemaWord,
  type StandingsOptions,
  addSchemaDecision,
  schemaStandings,
} from './standings.js';
