import { fn, type FunctionMap } from '../template-function.js';
import { GoNumber, int } from '../values/go-number.js';
import { GoObject } from '../values/go-object.js';
import { parseConstraint } from './version-constraint.js';
import { compareVersions, parseVersion, type Version, versionText } from './version.js';

const uint64 = (value: bigint): GoNumber => new GoNumber('uint64', value);

function versionOf(object: GoObject): Version {
  return object.held as Version;
}

function versionObject(version: Version): GoObject {
  const compared = (test: (order: number) => boolean) =>
    fn(['*semver.Version'], (other) => test(compareVersions(version, versionOf(other))));
  const changed = (change: Partial<Version>) =>
    fn([], () => {
      const next = { ...version, metadata: '', prerelease: '', ...change };
      return versionObject({ ...next, original: (version.original.startsWith('v') ? 'v' : '') + versionText(next) });
    });
  return new GoObject({
    type: '*semver.Version',
    kind: 'ptr',
    held: version,
    text: () => versionText(version),
    methods: () => ({
      String: fn([], () => versionText(version)),
      Original: fn([], () => version.original),
      Major: fn([], () => uint64(version.major)),
      Minor: fn([], () => uint64(version.minor)),
      Patch: fn([], () => uint64(version.patch)),
      Prerelease: fn([], () => version.prerelease),
      Metadata: fn([], () => version.metadata),
      // A prerelease becomes the release that it precedes.
      IncPatch: changed({ patch: version.prerelease === '' ? version.patch + 1n : version.patch }),
      IncMinor: changed({ minor: version.minor + 1n, patch: 0n }),
      IncMajor: changed({ major: version.major + 1n, minor: 0n, patch: 0n }),
      Compare: fn(['*semver.Version'], (other) => int(compareVersions(version, versionOf(other)))),
      Equal: compared((order) => order === 0),
      LessThan: compared((order) => order < 0),
      LessThanEqual: compared((order) => order <= 0),
      GreaterThan: compared((order) => order > 0),
      GreaterThanEqual: compared((order) => order >= 0),
    }),
  });
}

export const versions: FunctionMap = {
  semver: fn(['string'], (text) => versionObject(parseVersion(text))),
  semverCompare: fn(['string', 'string'], (constraint, version) => parseConstraint(constraint)(parseVersion(version))),
};
