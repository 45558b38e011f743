/**
 * API groups in which a provider may define something on a consumer only if the operator names them: those of Kubernetes itself, whose CRDs would stand in for
 * built-in APIs, and of kcp (spec/konnector.md §17.10, R39).
 */
const protectedSuffixes = ['k8s.io', 'kubernetes.io', 'kcp.io'];

/** Those that steer the konnector. */
const reservedSuffixes = ['hawser.dev'];
const reservedNames = ['kube-bind.io', 'core.kbind.io'];

/** Whether a provider is refused CRDs of this group unless the operator names it. */
export function isProtectedGroup(group: string): boolean {
  return isReservedGroup(group) || isAtOrBelow(group, protectedSuffixes);
}

/** Whether a provider is always refused CRDs of this group. Groups without a dot belong to Kubernetes (`apps`, `batch`, and the core group, which is empty). */
export function isReservedGroup(group: string): boolean {
  return !group.includes('.') || reservedNames.includes(group) || isAtOrBelow(group, reservedSuffixes);
}

function isAtOrBelow(group: string, suffixes: readonly string[]): boolean {
  return suffixes.some((suffix) => group === suffix || group.endsWith(`.${suffix}`));
}
