/** A finite double exactly: `numerator / 2^halvings`. */
interface Fraction {
  readonly numerator: bigint;
  readonly halvings: bigint;
}

const exact = (value: number): Fraction => {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, Math.abs(value));
  const word = bits.getBigUint64(0);
  const exponent = Number((word >> 52n) & 0x7ffn);
  const mantissa = word & 0xfffffffffffffn;
  const [whole, power] = exponent === 0 ? [mantissa, -1074] : [mantissa | (1n << 52n), exponent - 1075];
  return power >= 0
    ? { numerator: whole << BigInt(power), halvings: 0n }
    : { numerator: whole, halvings: BigInt(-power) };
};

/** `|value| × 10^places` as an integer; halves round to even, as in Go. */
const scaled = (value: number, places: number): bigint => {
  const { numerator, halvings } = exact(value);
  const up = numerator * 10n ** BigInt(Math.max(places, 0));
  const divisor = (1n << halvings) * 10n ** BigInt(Math.max(-places, 0));
  const quotient = up / divisor;
  const twice = (up % divisor) * 2n;
  const isUp = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
};

const sign = (value: number): string => (value < 0 || Object.is(value, -0) ? '-' : '');

const withPoint = (digits: string, places: number): string => {
  const padded = digits.padStart(places + 1, '0');
  return places === 0 ? padded : `${padded.slice(0, -places)}.${padded.slice(-places)}`;
};

/** A finite number with that many decimals (Go's `%.2f`). */
export const formatFixed = (value: number, places: number): string =>
  sign(value) + withPoint(scaled(value, places).toString(), places);

/** A finite number as mantissa and exponent (Go's `%.2e`). */
export const scientificParts = (
  value: number,
  places: number,
): { readonly mantissa: string; readonly exponent: number } => {
  if (value === 0) {
    return { mantissa: sign(value) + withPoint('0', places), exponent: 0 };
  }
  const shown = Number(value.toExponential().split('e')[1]);
  // The shortest text of a number may exceed it, with an exponent that is one too large.
  const estimate = scaled(value, places - shown).toString().length > places ? shown : shown - 1;
  const digits = scaled(value, places - estimate).toString();
  const exponent = estimate + digits.length - places - 1;
  return { mantissa: sign(value) + withPoint(digits.slice(0, places + 1), places), exponent };
};
