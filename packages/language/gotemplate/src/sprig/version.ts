import { compare, valid } from 'semver';

/** A version in Masterminds' semver: allows a leading `v` and missing parts. */
export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: string;
  readonly metadata: string;
  readonly original: string;
}

const VERSION =
  /^v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/u;

/** Throws for an invalid version. */
export function parseVersion(text: string): Version {
  const match = VERSION.exec(text);
  if (match === null) throw new Error('the text is not a semantic version');
  const [, major = '0', minor = '0', patch = '0', prerelease = '', metadata = ''] = match;
  const version = {
    major: BigInt(major),
    minor: BigInt(minor),
    patch: BigInt(patch),
    prerelease,
    metadata,
    original: text,
  };
  if (valid(coreOf(version)) === null) throw new Error('the text is not a semantic version');
  return version;
}

/** The version without metadata, which never counts. */
function coreOf({ major, minor, patch, prerelease }: Version): string {
  return `${major}.${minor}.${patch}${prerelease === '' ? '' : `-${prerelease}`}`;
}

export function versionText(version: Version): string {
  return coreOf(version) + (version.metadata === '' ? '' : `+${version.metadata}`);
}

export function compareVersions(a: Version, b: Version): -1 | 0 | 1 {
  return compare(coreOf(a), coreOf(b));
}
