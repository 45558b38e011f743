/** A double as `fraction × 2^exponent`, with an integer fraction. */
export function binaryParts(value: number): { readonly fraction: bigint; readonly exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, Math.abs(value));
  const raw = bits.getBigUint64(0);
  const stored = Number(raw >> 52n);
  const fraction = raw & (2n ** 52n - 1n);
  return { fraction: stored === 0 ? fraction : fraction | (1n << 52n), exponent: Math.max(stored, 1) - 1075 };
}

const signOf = (value: number): string => (value < 0 || Object.is(value, -0) ? '-' : '');

/** A double as Go writes it with the verb `b`: `4503599627370496p-52`. */
export function binaryFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const { fraction, exponent } = binaryParts(value);
  return `${signOf(value)}${fraction}p${exponent < 0 ? '' : '+'}${exponent}`;
}

/** A double as Go writes it with the verb `x`: `0x1.8p+01`. */
export function hexFloat(value: number, precision: number | undefined): string {
  if (!Number.isFinite(value)) return binaryFloat(value);
  if (value === 0)
    return `${signOf(value)}0x0${precision === undefined || precision === 0 ? '' : `.${'0'.repeat(precision)}`}p+00`;
  let { fraction, exponent } = binaryParts(value);
  while (fraction < 1n << 52n) {
    fraction <<= 1n;
    exponent--;
  }
  exponent += 52;
  if (precision !== undefined && precision < 13) {
    const dropped = BigInt(52 - 4 * precision);
    const rest = fraction & ((1n << dropped) - 1n);
    const half = 1n << (dropped - 1n);
    let kept = fraction >> dropped;
    if (rest > half || (rest === half && kept % 2n === 1n)) kept++;
    fraction = kept << dropped;
    if (fraction >= 1n << 53n) {
      fraction >>= 1n;
      exponent++;
    }
  }
  const digits = (fraction & ((1n << 52n) - 1n)).toString(16).padStart(13, '0');
  const shown =
    precision === undefined ? digits.replace(/0+$/u, '') : digits.slice(0, precision).padEnd(precision, '0');
  return `${signOf(value)}0x1${shown === '' ? '' : `.${shown}`}p${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
