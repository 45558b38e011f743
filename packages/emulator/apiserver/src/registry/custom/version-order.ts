/** Orders versions as discovery does: `v2`, `v1`, `v1beta1`, `v1alpha1`, then others by name (apimachinery `version.CompareKubeAwareVersionStrings`). */
export function compareVersions(a: string, b: string): number {
  const left = parse(a);
  const right = parse(b);
  if (left === undefined || right === undefined) {
    if (left === undefined && right === undefined) return a < b ? -1 : a > b ? 1 : 0;
    return left === undefined ? 1 : -1;
  }
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
}

interface KubeVersion {
  readonly major: number;
  readonly stability: number;
  readonly minor: number;
}

const PATTERN = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/u;

function parse(version: string): KubeVersion | undefined {
  const match = PATTERN.exec(version);
  if (match === null) return undefined;
  const stability = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
  return { major: Number(match[1]), stability, minor: Number(match[3] ?? 0) };
}
