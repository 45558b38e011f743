/** A double as Go's `strconv.FormatFloat(number, 'f', -1, 64)` writes it: the fewest digits, never an exponent. */
export function formatNumber(number: number): string {
  if (Number.isNaN(number)) return 'NaN';
  if (!Number.isFinite(number)) return number > 0 ? '+Inf' : '-Inf';
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:e([-+][0-9]+))?$/u.exec(Object.is(number, -0) ? '-0' : number.toString()) ?? [];
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** A text as a double; zero if it is not a number. */
export function parseNumber(text: string): number {
  if (/^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/u.test(text)) return Number(text);
  if (/^[-+]?inf(?:inity)?$/iu.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return /^nan$/iu.test(text) ? NaN : 0;
}

/** A text as a boolean, like Go's `strconv.ParseBool` in lower case; undefined for any other. */
export function parseBoolean(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (['1', 't', 'true'].includes(word)) return true;
  return ['0', 'f', 'false'].includes(word) ? false : undefined;
}
