/**
 * API groups in which no provider may define anything on a consumer: those of Kubernetes itself, whose CRDs would stand in for built-in APIs,
 * and those that steer the konnector (spec/konnector.md §17.10, R39).
 */
const protectedSuffixes = ['k8s.io', 'kubernetes.io', 'hawser.dev'];
const protectedNames = ['kube-bind.io'];

/** Whether a provider is refused CRDs of this group. Groups without a dot belong to Kubernetes (`apps`, `batch`, and the core group, which is empty). */
export function isProtectedGroup(group: string): boolean {
  if (!group.includes('.')) return true;
  return protectedNames.includes(group) || protectedSuffixes.some((suffix) => group === suffix || group.endsWith(`.${suffix}`));
}
