import type { PolicyRule } from '@hawser/rbac';

/** Needed rights in one place, as one role. `Side` names the cluster. */
export interface NeededRole<Side = string> {
  readonly side: Side;
  readonly name: string;
  /** Absent: in the whole cluster. */
  readonly namespace?: string | undefined;
  readonly rules: readonly PolicyRule[];
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** One rule of a role. */
export const rule = (
  group: string,
  resources: readonly string[],
  verbs: readonly string[],
  resourceNames?: readonly string[],
): PolicyRule => ({ apiGroups: [group], resources, ...(resourceNames === undefined ? {} : { resourceNames }), verbs });
