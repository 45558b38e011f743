import { binaryParts } from './binary-float.js';

/** Number of digits: exact, or the fewest that identify the number. */
export type Precision = number | 'shortest';

/** A double in Go's verbs `e`, `f` and `g`. Digits are exact and halves round to even, unlike in `toFixed`. */
export function formatFloat(value: number, verb: 'e' | 'f' | 'g', precision: Precision): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const positive = Math.abs(value);
  switch (verb) {
    case 'f':
      return sign + (precision === 'shortest' ? plain(digitsOf(positive, precision)) : fixed(positive, precision));
    case 'e':
      return sign + exponential(digitsOf(positive, precision === 'shortest' ? precision : precision + 1));
    case 'g': {
      const wanted = precision === 'shortest' ? precision : Math.max(precision, 1);
      const { digits, exponent } = digitsOf(positive, wanted);
      const decimal = { digits: digits.replace(/(?!^)0+$/u, ''), exponent };
      return (
        sign +
        (exponent < -4 || exponent >= (wanted === 'shortest' ? 6 : wanted) ? exponential(decimal) : plain(decimal))
      );
    }
  }
}

/** `d.ddd × 10^exponent`. */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

function digitsOf(value: number, count: Precision): Decimal {
  if (value === 0) return { digits: '0'.repeat(count === 'shortest' ? 1 : count), exponent: 0 };
  const [mantissa = '0', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (count === 'shortest') return { digits: mantissa.replace('.', ''), exponent };
  const digits = scaled(value, count - 1 - exponent).toString();
  // Rounding may have added a digit.
  return digits.length > count ? { digits: digits.slice(0, count), exponent: exponent + 1 } : { digits, exponent };
}

/** `value × 10^power`, rounded half to even. */
function scaled(value: number, power: number): bigint {
  const { fraction, exponent: binary } = binaryParts(value);
  let numerator = fraction;
  let denominator = 1n;
  if (power >= 0) numerator *= 10n ** BigInt(power);
  else denominator *= 10n ** BigInt(-power);
  if (binary >= 0) numerator <<= BigInt(binary);
  else denominator <<= BigInt(-binary);
  const quotient = numerator / denominator;
  const twice = 2n * (numerator % denominator);
  return twice > denominator || (twice === denominator && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

function fixed(value: number, precision: number): string {
  const digits = scaled(value, precision)
    .toString()
    .padStart(precision + 1, '0');
  const whole = digits.slice(0, digits.length - precision);
  return precision === 0 ? whole : `${whole}.${digits.slice(-precision)}`;
}

function plain({ digits, exponent }: Decimal): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return digits.padEnd(exponent + 1, '0');
  return `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

function exponential({ digits, exponent }: Decimal): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${digits.charAt(0)}${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
