const DECIMAL = /^[1-9][0-9]*$/u;

/**
 * Compares versions: negative, zero or positive as `a` is older than, the same as or newer than `b`. `undefined`: not
 * comparable, because one is missing or not a decimal number. Equal strings are always the same version.
 *
 * Versions of one resource of one server are decimal numbers that grow with every change. They exceed a double, so
 * digits are compared, not numbers.
 */
export function compareResourceVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a === b) return 0;
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Whether `a` is certainly older than `b`. */
export function isOlder(a: string | undefined, b: string | undefined): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order < 0;
}

/** Whether `a` is certainly `b` or older. */
export function isNotNewer(a: string | undefined, b: string | undefined): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order <= 0;
}

/** The newer of two; `a` if they are not comparable. */
export function newest(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || isOlder(a, b) ? b : a;
}
