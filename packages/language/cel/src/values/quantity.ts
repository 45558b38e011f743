import { CelError } from './error.js';
import type { OpaqueValue, Value } from './value.js';

const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;
const fitsInt64 = (value: bigint): boolean => value >= minInt && value <= maxInt;

/** Decimal places that Kubernetes keeps. */
const nanoScale = -9;

interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
}

const suffixes: ReadonlyMap<string, Suffix> = new Map([
  ...['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((name, index): [string, Suffix] => [
    name,
    { base: 2, exponent: 10 * (index + 1) },
  ]),
  ...['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'].map((name, index): [string, Suffix] => [
    name,
    { base: 10, exponent: 3 * (index - 3) },
  ]),
]);

const suffixOf = (text: string): Suffix => {
  const known = suffixes.get(text);
  if (known !== undefined) {
    return known;
  }
  if (/^[eE][+-]?\d+$/.test(text)) {
    return { base: 10, exponent: Number(text.slice(1)) };
  }
  throw new CelError("unable to parse quantity's suffix");
};

const format = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const tenTo = (exponent: number): bigint => 10n ** BigInt(exponent);

/** Division rounding away from zero: a quantity never shrinks. */
const divideUp = (value: bigint, divisor: bigint): bigint => {
  const quotient = value / divisor;
  return value % divisor === 0n ? quotient : quotient + (value < 0n ? -1n : 1n);
};

/** An amount in Kubernetes' form: `value × 10^scale`. */
interface Amount {
  readonly value: bigint;
  readonly scale: number;
  /** Whether it exceeded 64 bits (`inf.Dec`): such an amount is never an integer, whatever its value. */
  readonly isBig: boolean;
}

/** Digit limit of the short form; longer amounts use the long one (`resource.ParseQuantity`). */
const shortDigits = (suffix: Suffix, whole: string, fraction: string): number => {
  if (suffix.base === 10) {
    return 18 - whole.length - fraction.length;
  }
  return suffix.exponent >= 0 && fraction === '' ? 15 - whole.length - Math.trunc((suffix.exponent * 3) / 10) - 1 : -1;
};

const parseAmount = (text: string): Amount => {
  const [, sign = '', digits = '', rest = ''] = /^([+-]?)([0-9.]*)(.*)$/s.exec(text) ?? [];
  const [integerPart = '', fraction = '', ...more] = digits.split('.');
  if (text === '' || more.length > 0 || !/^[eEinumkKMGTP]*[-+]?\d*$/.test(rest)) {
    throw new CelError(format);
  }
  const suffix = suffixOf(rest);
  const whole = integerPart.replace(/^0+/, '') || '0';
  const factor = suffix.base === 2 ? 2n ** BigInt(suffix.exponent) : 1n;
  const value = BigInt(whole + fraction) * factor * (sign === '-' ? -1n : 1n);
  const scale = (suffix.base === 10 ? suffix.exponent : 0) - fraction.length;
  if (shortDigits(suffix, whole, fraction) >= 0 && scale >= nanoScale && fitsInt64(value)) {
    return { value, scale, isBig: false };
  }
  const amount =
    scale < nanoScale
      ? { value: divideUp(value, tenTo(nanoScale - scale)), scale: nanoScale, isBig: true }
      : { value, scale, isBig: true };
  return suffix.base === 2 ? bounded(amount) : amount;
};

/** Limits amounts with a binary unit to 2^63 - 1. */
const bounded = (amount: Amount): Amount => {
  const limit = maxInt * tenTo(-amount.scale);
  return amount.value > limit || amount.value < -limit
    ? { value: amount.value < 0n ? -maxInt : maxInt, scale: 0, isBig: true }
    : amount;
};

const at = (amount: Amount, scale: number): bigint => amount.value * tenTo(amount.scale - scale);

/** An amount with its unit: `500m`, `1Gi`. */
export class Quantity implements OpaqueValue {
  readonly typeName = 'kubernetes.Quantity';

  private constructor(
    private readonly amount: Amount,
    private readonly isComputed = false,
  ) {}

  /** @throws {CelError} if the text is not a quantity */
  static parse(text: string): Quantity {
    return new Quantity(parseAmount(text));
  }

  static ofInteger(value: bigint): Quantity {
    return new Quantity({ value, scale: 0, isBig: false });
  }

  compare(other: Quantity): -1 | 0 | 1 {
    const scale = Math.min(this.amount.scale, other.amount.scale);
    const [mine, theirs] = [at(this.amount, scale), at(other.amount, scale)];
    return mine < theirs ? -1 : mine > theirs ? 1 : 0;
  }

  /** An API server cannot compare with the result of `add` and `sub` on the right-hand side; neither does this. */
  equals(other: Value): boolean {
    if (!(other instanceof Quantity) || other.isComputed) {
      throw new CelError('no such overload');
    }
    return this.compare(other) === 0;
  }

  get sign(): bigint {
    return this.amount.value === 0n ? 0n : this.amount.value < 0n ? -1n : 1n;
  }

  /** The value, if written as a whole number that fits 64 bits; `1000m` is not. */
  get integer(): bigint | undefined {
    if (this.amount.isBig || this.amount.scale < 0) {
      return undefined;
    }
    const value = at(this.amount, 0);
    return fitsInt64(value) ? value : undefined;
  }

  get approximate(): number {
    const { value, scale } = this.amount;
    return Number(value) * Number(`1e${scale}`);
  }

  plus(other: Quantity): Quantity {
    return this.#combine(other, 1n);
  }

  minus(other: Quantity): Quantity {
    return this.#combine(other, -1n);
  }

  #combine(other: Quantity, sign: bigint): Quantity {
    if (!this.amount.isBig && !other.amount.isBig) {
      if (other.amount.value === 0n) {
        return new Quantity(this.amount, true);
      }
      if (this.amount.value === 0n) {
        return new Quantity({ ...other.amount, value: sign * other.amount.value }, true);
      }
    }
    const scale = Math.min(this.amount.scale, other.amount.scale);
    const value = at(this.amount, scale) + sign * at(other.amount, scale);
    const isBig = this.amount.isBig || other.amount.isBig || !fitsInt64(value);
    return new Quantity({ value, scale, isBig }, true);
  }
}
