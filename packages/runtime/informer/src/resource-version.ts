const DECIMAL = /^[1-9][0-9]*$/u;

/**
 * Negative, zero or positive as `a` is older than, the same as or newer than `b`; `undefined` where that cannot be told, because one of them
 * is missing or is not a decimal number. Equal strings are the same version whatever they look like.
 *
 * Versions of one resource of one server are decimal numbers that grow with every change; they outgrow a double, so digits are compared, not numbers.
 */
export function compareResourceVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a === b) return 0;
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Whether `a` is known to be older than `b`. */
export function isOlder(a: string | undefined, b: string | undefined): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order < 0;
}

/** Whether `a` is known to be `b` or older. */
export function isNotNewer(a: string | undefined, b: string | undefined): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order <= 0;
}

/** The newer of two; `a` where that cannot be told. */
export function newest(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || isOlder(a, b) ? b : a;
}
