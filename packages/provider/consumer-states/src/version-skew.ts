/** A konnector's version against its provider's. Closed. */
export type VersionSkew = 'none' | 'older' | 'newer' | 'unknown';

/** Compares version numbers; a pre-release counts as its release. Pure. */
export function versionSkew(konnector: string | undefined, provider: string): VersionSkew {
  const [own, other] = [numbersOf(provider), numbersOf(konnector ?? '')];
  if (own === undefined || other === undefined) return 'unknown';
  const difference = other.map((number, index) => number - (own[index] ?? 0)).find((one) => one !== 0) ?? 0;
  if (difference === 0) return 'none';
  return difference < 0 ? 'older' : 'newer';
}

function numbersOf(version: string): readonly number[] | undefined {
  const parts = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:[-+]|$)/u.exec(version);
  return parts?.slice(1).map(Number);
}
