import { compareVersions, parseVersion, type Version } from './version.js';

type Operator = '' | '=' | '!=' | '>' | '<' | '>=' | '=>' | '<=' | '=<' | '~' | '~>' | '^';

/** Given part of a version; the rest is a wildcard. */
type Given = 'nothing' | 'major' | 'minor' | 'all';

interface Constraint {
  readonly operator: Operator;
  readonly version: Version;
  readonly given: Given;
}

const PART = '[0-9xX|*]+';
const VERSION = `v?${PART}(?:\\.${PART})?(?:\\.${PART})?(?:-[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?`;
const OPERATOR = '(?:!=|>=|=>|<=|=<|~>|=|>|<|~|\\^)?';
const ONE = new RegExp(`(${OPERATOR})\\s*(${VERSION})`, 'gu');
const WHOLE = new RegExp(`^\\s*${OPERATOR}\\s*${VERSION}\\s*(?:(?:\\s+|,\\s*)${OPERATOR}\\s*${VERSION}\\s*)*$`, 'u');
const RANGE = new RegExp(`\\s*(${VERSION})\\s+-\\s+(${VERSION})\\s*`, 'gu');
const PARTS = new RegExp(`^v?(${PART})(?:\\.(${PART}))?(?:\\.(${PART}))?((?:-[^+]*)?)`, 'u');

/** No person writes a longer one, and the patterns are not linear. */
const maxLength = 1000;

/** A constraint in the syntax of Masterminds' semver: `>=1.2, <3 || ~2.x`. Throws for an invalid one. */
export function parseConstraint(text: string): (version: Version) => boolean {
  if (text.length > maxLength) throw new Error('the constraint is too long');
  const alternatives = text
    .replace(RANGE, '>= $1, <= $2 ')
    .split('||')
    .map((alternative) => {
      if (!WHOLE.test(alternative)) throw new Error('the text is not a version constraint');
      return Array.from(alternative.matchAll(ONE), ([, operator = '', version = '']) =>
        readOne(operator as Operator, version),
      );
    });
  return (version) => alternatives.some((constraints) => constraints.every((constraint) => holds(version, constraint)));
}

function readOne(operator: Operator, text: string): Constraint {
  const [, major = '', minor = '', patch = '', prerelease = ''] = PARTS.exec(text) ?? [];
  const isAny = (part: string): boolean => part === '' || part === 'x' || part === 'X' || part === '*';
  if (isAny(major)) return { operator, version: parseVersion(`0.0.0${prerelease}`), given: 'nothing' };
  if (isAny(minor)) return { operator, version: parseVersion(`${major}.0.0${prerelease}`), given: 'major' };
  if (isAny(patch)) return { operator, version: parseVersion(`${major}.${minor}.0${prerelease}`), given: 'minor' };
  return { operator, version: parseVersion(text), given: 'all' };
}

function holds(version: Version, { operator, version: wanted, given }: Constraint): boolean {
  const order = compareVersions(version, wanted);
  // Prereleases count only if the constraint names one; `!=` of a whole version is the exception.
  const unwanted = version.prerelease !== '' && wanted.prerelease === '';
  if (unwanted && (operator !== '!=' || given !== 'all')) return false;
  switch (operator) {
    case '':
    case '=':
      return given === 'all' ? order === 0 : tilde(version, wanted, given);
    case '!=':
      return differs(version, wanted, given);
    case '>':
      if (given === 'all') return order > 0;
      if (version.major !== wanted.major) return version.major > wanted.major;
      return given === 'minor' ? version.minor > wanted.minor : given === 'nothing' && order > 0;
    case '<':
      return order < 0;
    case '>=':
    case '=>':
      return order >= 0;
    case '<=':
    case '=<':
      if (given === 'all') return order <= 0;
      return (
        version.major < wanted.major ||
        (version.major === wanted.major && (version.minor <= wanted.minor || given === 'major'))
      );
    case '~':
    case '~>':
      return tilde(version, wanted, given);
    case '^':
      return caret(version, wanted, given);
  }
}

function differs(version: Version, wanted: Version, given: Given): boolean {
  if (given === 'all' || given === 'nothing') {
    if (
      given === 'nothing' &&
      (version.major !== wanted.major || version.minor !== wanted.minor || version.patch !== wanted.patch)
    )
      return true;
    return compareVersions(version, wanted) !== 0;
  }
  if (version.major !== wanted.major) return true;
  if (given === 'major') return false;
  return version.minor !== wanted.minor || version.prerelease !== wanted.prerelease;
}

function tilde(version: Version, wanted: Version, given: Given): boolean {
  if (compareVersions(version, wanted) < 0) return false;
  // `~0.0.0` and the bare wildcard allow everything.
  if (wanted.major === 0n && wanted.minor === 0n && wanted.patch === 0n && (given === 'all' || given === 'nothing'))
    return true;
  return version.major === wanted.major && (version.minor === wanted.minor || given === 'major');
}

function caret(version: Version, wanted: Version, given: Given): boolean {
  if (compareVersions(version, wanted) < 0) return false;
  if (wanted.major > 0n || given === 'major') return version.major === wanted.major;
  if (version.major > 0n) return false;
  if (wanted.minor > 0n || given === 'minor') return version.minor === wanted.minor;
  return version.minor === 0n && version.patch === wanted.patch;
}
