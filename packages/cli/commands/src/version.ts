import { konnectorVersion } from '@hawser/kube-bind';

/**
 * Version in the form of the peers' build information: `<Kubernetes version of the API>+kube-bind-<our version>`
 * (`spec/konnector.md §2.2`).
 */
export const gitVersion = 'v1.36.0+kube-bind-v0.1.0';

/** Value of `ClusterBinding.status.konnectorVersion`. */
export function reportedVersion(): string {
  return konnectorVersion(gitVersion);
}
