/** Why a text is not the version of a konnector. */
export class VersionError extends Error {
  override readonly name = 'VersionError';
  readonly code = 'InvalidVersion';

  constructor(readonly version: string) {
    super(`cannot read the konnector version from "${version}"`);
  }
}

/**
 * The version to report in `ClusterBinding.status.konnectorVersion` (spec/konnector.md §2.2): `v0.8.1` from
 * `v1.35.1+kube-bind-v0.8.1-12-gabc`, `v0.0.0` from an unstamped build.
 * @throws {VersionError} for any other form.
 */
export function konnectorVersion(gitVersion: string): string {
  if (gitVersion.startsWith('v0.0.0-')) return 'v0.0.0';
  const plus = gitVersion.indexOf('+');
  const build = plus < 0 ? undefined : gitVersion.slice(plus + 1);
  if (build?.startsWith('kube-bind') !== true) throw new VersionError(gitVersion);
  const described = build.startsWith('kube-bind-') ? build.slice('kube-bind-'.length) : build;
  return described.split('-', 1)[0] ?? described;
}
