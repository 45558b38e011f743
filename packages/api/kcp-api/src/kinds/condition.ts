/** A condition as kcp writes it. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly severity?: string | undefined;
  readonly lastTransitionTime?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** Any object with conditions. */
export interface WithConditions {
  readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined;
}

/** Types of conditions that kcp sets. */
export const conditionTypes = {
  /** APIBinding: the sum of the others. */
  ready: 'Ready',
  /** APIBinding, APIExportEndpointSlice: the export exists and may be bound. */
  apiExportValid: 'APIExportValid',
  /** APIBinding. */
  initialBindingCompleted: 'InitialBindingCompleted',
  bindingUpToDate: 'BindingUpToDate',
  permissionClaimsValid: 'PermissionClaimsValid',
  permissionClaimsApplied: 'PermissionClaimsApplied',
  /** APIExport. */
  identityValid: 'IdentityValid',
  /** APIExportEndpointSlice. */
  partitionValid: 'PartitionValid',
} as const;

/** The condition of one type. */
export function getCondition(object: WithConditions, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/** Whether a condition is there and True. */
export function isConditionTrue(object: WithConditions, type: string): boolean {
  return getCondition(object, type)?.status === 'True';
}
