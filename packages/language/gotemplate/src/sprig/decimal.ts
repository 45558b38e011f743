/** Exact `digits × 10^-scale`: sums of prices should not end in 0000004. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** The shortest decimal for a double. Throws if it is not finite. */
export function decimalOf(value: number): Decimal {
  if (!Number.isFinite(value)) throw new Error('a number that is not finite has no decimal form');
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

export const toNumber = ({ digits, scale }: Decimal): number => Number(`${digits}e${-scale}`);

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: rescaled(a, scale) + rescaled(b, scale), scale };
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, { digits: -b.digits, scale: b.scale });
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

/** Decimal places of a quotient. */
const places = 16;

/** A quotient to sixteen decimal places, halves away from zero. Throws for a division by zero. */
export function divide(a: Decimal, b: Decimal): Decimal {
  if (b.digits === 0n) throw new Error('division by zero');
  const shift = places - a.scale + b.scale;
  const numerator = a.digits * 10n ** BigInt(Math.max(0, shift));
  const denominator = b.digits * 10n ** BigInt(Math.max(0, -shift));
  const quotient = numerator / denominator;
  const rest = numerator % denominator;
  const away = abs(rest) * 2n >= abs(denominator) ? (numerator < 0n === denominator < 0n ? 1n : -1n) : 0n;
  return { digits: quotient + away, scale: places };
}

const rescaled = ({ digits, scale }: Decimal, to: number): bigint => digits * 10n ** BigInt(to - scale);

const abs = (value: bigint): bigint => (value < 0n ? -value : value);
