import { CelError, noSuchOverload } from './error.js';
import type { OpaqueValue, Value } from './value.js';

const maxUint64 = 2n ** 64n - 1n;

type Identifier = bigint | string;

const numberPart = (text: string, name: string): bigint => {
  if (text === '') {
    throw new CelError('strconv.ParseUint: parsing "": invalid syntax');
  }
  if (!/^\d+$/.test(text)) {
    throw new CelError(`Invalid character(s) found in ${name} number ${JSON.stringify(text)}`);
  }
  if (text.length > 1 && text.startsWith('0')) {
    throw new CelError(
      `${name.charAt(0).toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${JSON.stringify(text)}`,
    );
  }
  if (BigInt(text) > maxUint64) {
    throw new CelError(`strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`);
  }
  return BigInt(text);
};

const preRelease = (text: string): Identifier => {
  if (text === '') {
    throw new CelError('Prerelease is empty');
  }
  if (/^\d+$/.test(text)) {
    if (text.length > 1 && text.startsWith('0')) {
      throw new CelError(`Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(text)}`);
    }
    return BigInt(text);
  }
  if (/[^0-9A-Za-z-]/.test(text)) {
    throw new CelError(`Invalid character(s) found in prerelease ${JSON.stringify(text)}`);
  }
  return text;
};

const checkBuild = (text: string): void => {
  if (text === '') {
    throw new CelError('Build meta data is empty');
  }
  if (/[^0-9A-Za-z-]/.test(text)) {
    throw new CelError(`Invalid character(s) found in build meta data ${JSON.stringify(text)}`);
  }
};

const compareIdentifiers = (a: Identifier, b: Identifier): -1 | 0 | 1 => {
  if (typeof a !== typeof b) {
    return typeof a === 'bigint' ? -1 : 1;
  }
  return a < b ? -1 : a > b ? 1 : 0;
};

/** Strips a leading `v` and zeros, and fills in missing numbers. */
const normalize = (text: string): string => {
  const [major = '', minor, ...rest] = text.replace(/^v/, '').split('.');
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join('.')])].map(
    (part) => {
      if (part.length <= 1) {
        return part;
      }
      const stripped = part.replace(/^0+/, '');
      return /^\d/.test(stripped) ? stripped : `0${stripped}`;
    },
  );
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    throw new CelError('short version cannot contain PreRelease/Build meta data');
  }
  return [...parts, ...Array<string>(3 - parts.length).fill('0')].join('.');
};

/** A semantic version 2.0.0. */
export class Semver implements OpaqueValue {
  readonly typeName = 'kubernetes.Semver';

  private constructor(
    readonly major: bigint,
    readonly minor: bigint,
    readonly patch: bigint,
    private readonly pre: readonly Identifier[],
  ) {}

  /** @throws {CelError} */
  static parse(text: string, normalized: boolean): Semver {
    const source = normalized ? normalize(text) : text;
    if (source === '') {
      throw new CelError('Version string empty');
    }
    const [major = '', minor, ...rest] = source.split('.');
    if (minor === undefined || rest.length === 0) {
      throw new CelError('No Major.Minor.Patch elements found');
    }
    const [majorNumber, minorNumber] = [numberPart(major, 'major'), numberPart(minor, 'minor')];
    const tail = rest.join('.');
    const [beforeBuild = '', ...build] = tail.split('+');
    const dash = beforeBuild.indexOf('-');
    const patch = dash < 0 ? beforeBuild : beforeBuild.slice(0, dash);
    const patchNumber = numberPart(patch, 'patch');
    const pre =
      dash < 0
        ? []
        : beforeBuild
            .slice(dash + 1)
            .split('.')
            .map(preRelease);
    if (build.length > 0) {
      build.join('+').split('.').forEach(checkBuild);
    }
    return new Semver(majorNumber, minorNumber, patchNumber, pre);
  }

  compare(other: Semver): -1 | 0 | 1 {
    for (const [mine, theirs] of [
      [this.major, other.major],
      [this.minor, other.minor],
      [this.patch, other.patch],
    ] as const) {
      if (mine !== theirs) {
        return mine < theirs ? -1 : 1;
      }
    }
    return this.#comparePre(other);
  }

  #comparePre(other: Semver): -1 | 0 | 1 {
    if (this.pre.length === 0 || other.pre.length === 0) {
      return this.pre.length === other.pre.length ? 0 : this.pre.length === 0 ? 1 : -1;
    }
    for (const [index, mine] of this.pre.entries()) {
      const theirs = other.pre[index];
      const order = theirs === undefined ? 1 : compareIdentifiers(mine, theirs);
      if (order !== 0) {
        return order;
      }
    }
    return this.pre.length === other.pre.length ? 0 : -1;
  }

  equals(other: Value): boolean {
    if (!(other instanceof Semver)) {
      throw noSuchOverload();
    }
    return this.compare(other) === 0;
  }
}
