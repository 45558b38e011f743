interface Version {
  readonly stage: number;
  readonly major: number;
  readonly minor: number;
}

/**
 * Compares versions by Kubernetes version priority, the least first: other names (in reverse order), alpha, beta,
 * general availability, and by number.
 */
export function compareVersionPriority(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (left === undefined || right === undefined) {
    if (left !== undefined) return 1;
    if (right !== undefined) return -1;
    return a === b ? 0 : a < b ? 1 : -1;
  }
  return left.stage - right.stage || left.major - right.major || left.minor - right.minor;
}

function parseVersion(name: string): Version | undefined {
  const { groups } = /^v(?<major>\d+)(?:(?<stage>alpha|beta)(?<minor>\d+))?$/u.exec(name) ?? {};
  if (groups === undefined) return undefined;
  const stage = groups['stage'] === undefined ? 2 : groups['stage'] === 'beta' ? 1 : 0;
  return { stage, major: Number(groups['major']), minor: Number(groups['minor'] ?? 0) };
}
