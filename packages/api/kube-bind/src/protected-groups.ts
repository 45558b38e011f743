/**
 * API groups that a provider may define on a consumer only if the operator names them: those of Kubernetes, whose CRDs
 * would replace built-in APIs, and of kcp (spec/konnector.md §17.10, R39).
 */
const protectedSuffixes = ['k8s.io', 'kubernetes.io', 'kcp.io'];

/** Groups that control the konnector. */
const reservedSuffixes = ['hawser.dev'];
const reservedNames = ['kube-bind.io', 'core.kbind.io'];

/** Whether Hawser refuses a provider's CRDs of this group unless the operator names it. */
export function isProtectedGroup(group: string): boolean {
  return isReservedGroup(group) || isAtOrBelow(group, protectedSuffixes);
}

/**
 * Whether Hawser always refuses a provider's CRDs of this group. Groups without a dot belong to Kubernetes (`apps`,
 * `batch`, and the empty core group).
 */
export function isReservedGroup(group: string): boolean {
  return !group.includes('.') || reservedNames.includes(group) || isAtOrBelow(group, reservedSuffixes);
}

function isAtOrBelow(group: string, suffixes: readonly string[]): boolean {
  return suffixes.some((suffix) => group === suffix || group.endsWith(`.${suffix}`));
}
