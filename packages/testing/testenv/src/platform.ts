/** Programs of a control plane, by file name. */
export const programs = ['etcd', 'kube-apiserver', 'kubectl', 'kube-controller-manager'] as const;

export type Program = (typeof programs)[number];

/** Paths of the programs found. */
export type ProgramPaths = Readonly<Partial<Record<Program, string>>>;

/** Default releases; the same that `controlplane/kubernetes-1.36/go.mod` pins. */
export const defaultKubernetesVersion = '1.36.3';
export const defaultEtcdVersion = '3.6.8';

/** `1.36.3` from `v1.36.3` or `1.36.3`. */
export function plainVersion(version: string): string {
  const plain = version.startsWith('v') ? version.slice(1) : version;
  if (!/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/u.test(plain))
    throw new RangeError(`${JSON.stringify(version)} is not a version like 1.36.3`);
  return plain;
}

/** Whether a version such as `1.36.3` is at least that minor version, say `1.36`. */
export function hasMinor(version: string, minor: string): boolean {
  const [major = 0, second = 0] = plainVersion(version).split('.').map(Number);
  const [wantedMajor = 0, wantedSecond = 0] = minor.split('.').map(Number);
  return major > wantedMajor || (major === wantedMajor && second >= wantedSecond);
}

/** This machine's system and processor in Go's names, as releases use them: `linux/amd64`. */
export function platformName(
  platform: NodeJS.Platform = process.platform,
  arch: NodeJS.Architecture = process.arch,
): string {
  return `${platform === 'win32' ? 'windows' : platform}/${arch === 'x64' ? 'amd64' : arch}`;
}
