import type { PolicyRule } from '@hawser/rbac';

import type { NeededRole } from './rights.js';

/** Difference between existing and needed rights in one place. */
export interface CheckedRole<Side = string> extends NeededRole<Side> {
  readonly missing: readonly PolicyRule[];
}

/** Rights beyond the needs, in one place. */
export interface Excess {
  /** Absent: in the whole cluster. */
  readonly namespace?: string | undefined;
  readonly rules: readonly PolicyRule[];
}

/** The rights of one side. */
export interface SideRights<Side = string> {
  readonly side: Side;
  /** Server among several; absent if there is only one. */
  readonly server?: string | undefined;
  /** The user or ServiceAccount that was compared. */
  readonly who: string;
  readonly roles: readonly CheckedRole<Side>[];
  readonly excess: readonly Excess[];
  /** Sentences about needs that no role can express. */
  readonly absent?: readonly string[] | undefined;
  /** Why no comparison was possible. */
  readonly refusal?: string | undefined;
}
