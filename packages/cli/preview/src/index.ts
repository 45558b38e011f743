export type { PlannedWrite } from './planned-write.js';
export { type Standing, worst } from './standing.js';
export { type Paint, type Tone, plain, toneOf } from './paint.js';
export type { Finding, Judged } from './finding.js';
export { reading } from './reading.js';
export { patched } from './patched.js';
export { type Live, type LiveList, list, read } from './live.js';
export { changesOf } from './shown.js';
export { changeLines, writeHeadline, writeJson } from './write-text.js';
export { findingJson, whyParagraph, whyTable } from './why-text.js';
export { type NeededRole, rule } from './rights.js';
export { compareRightsOf } from './check-rights.js';
export { lacksNothing, rbacText } from './rbac-text.js';
export type { SideRights } from './side-rights.js';
export {
  type OwnPolicy,
  type OwnPolicyBinding,
  type OwnPolicyRules,
  type Watched,
  celList,
  celUnless,
  ownPolicy,
  ownPolicyBinding,
  powers,
  systemNamespaces,
  tokenTypes,
} from './admission-policy.js';
export { type Activity, createActivity } from './activity.js';
export { RehearsedClient, type RehearsedClientOptions } from './rehearsed-client.js';
export { netWrites } from './net-writes.js';
export { RehearsedWorld, type RehearsedWrite } from './rehearsed-world.js';
