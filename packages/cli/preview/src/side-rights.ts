import type { PolicyRule } from '@hawser/rbac';

import type { NeededRole } from './rights.js';

/** How what is there differs from what is needed in one place. */
export interface CheckedRole<Side = string> extends NeededRole<Side> {
  readonly missing: readonly PolicyRule[];
}

/** Rights beyond what is needed, in one place. */
export interface Excess {
  /** Absent: in the whole cluster. */
  readonly namespace?: string | undefined;
  readonly rules: readonly PolicyRule[];
}

/** The rights of one side. */
export interface SideRights<Side = string> {
  readonly side: Side;
  /** Which one of several; absent where there is only one. */
  readonly server?: string | undefined;
  /** Whose rights were compared. */
  readonly who: string;
  readonly roles: readonly CheckedRole<Side>[];
  readonly excess: readonly Excess[];
  /** Sentences about what is needed and cannot be printed as a role. */
  readonly absent?: readonly string[] | undefined;
  /** Why nothing could be compared. */
  readonly refusal?: string | undefined;
}
