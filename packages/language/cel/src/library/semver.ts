import { fn, type Library, method } from '../check/declarations.js';
import { opaque, types } from '../check/type.js';
import { noSuchOverload } from '../values/error.js';
import { Semver } from '../values/semver.js';
import type { Value } from '../values/value.js';
import { bool as flag, text } from './arguments.js';

const semverOf = (value: Value | undefined): Semver => {
  if (!(value instanceof Semver)) {
    throw noSuchOverload();
  }
  return value;
};

const isSemver = (value: string, normalized: boolean): boolean => {
  try {
    Semver.parse(value, normalized);
    return true;
  } catch {
    return false;
  }
};

const type = opaque('kubernetes.Semver');
const { bool, int, string } = types;

/** Versions (`kubernetes.Semver`, version 1). */
export const semver: Library = [
  fn('semver', [string], type, (value) => Semver.parse(text(value), false)),
  fn('semver', [string, bool], type, (value, normalized) => Semver.parse(text(value), flag(normalized))),
  fn('isSemver', [string], bool, (value) => isSemver(text(value), false)),
  fn('isSemver', [string, bool], bool, (value, normalized) => isSemver(text(value), flag(normalized))),
  method('isGreaterThan', [type, type], bool, (a, b) => semverOf(a).compare(semverOf(b)) === 1),
  method('isLessThan', [type, type], bool, (a, b) => semverOf(a).compare(semverOf(b)) === -1),
  method('compareTo', [type, type], int, (a, b) => BigInt(semverOf(a).compare(semverOf(b)))),
  method('major', [type], int, (value) => semverOf(value).major),
  method('minor', [type], int, (value) => semverOf(value).minor),
  method('patch', [type], int, (value) => semverOf(value).patch),
];
