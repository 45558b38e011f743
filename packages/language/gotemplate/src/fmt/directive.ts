/** One `%…` of a format. */
export interface Directive {
  readonly plus: boolean;
  readonly minus: boolean;
  readonly sharp: boolean;
  readonly space: boolean;
  readonly zero: boolean;
  /** `star`: taken from the next argument. */
  readonly width: number | 'star' | undefined;
  readonly widthIndex: number | 'bad' | undefined;
  readonly precision: number | 'star' | undefined;
  readonly precisionIndex: number | 'bad' | undefined;
  /** `%[n]v`. */
  readonly index: number | 'bad' | undefined;
  /** Empty: the format ended. */
  readonly verb: string;
}

// Flags, then an argument index, width, index, precision, index.
const DIRECTIVE =
  /%([+\-# 0]*)(\[[^\]]*\]?)?(?:(\*)|([0-9]+))?(?:(\.)(\[[^\]]*\]?)?(?:(\*)|([0-9]+))?)?(\[[^\]]*\]?)?([^]?)/uy;

/** A format as literal text and directives, in order. */
export function readDirectives(format: string): (string | Directive)[] {
  const parts: (string | Directive)[] = [];
  for (let index = 0; index < format.length;) {
    const percent = format.indexOf('%', index);
    if (percent !== index) {
      parts.push(format.slice(index, percent < 0 ? undefined : percent));
      if (percent < 0) break;
      index = percent;
    }
    DIRECTIVE.lastIndex = index;
    const match = DIRECTIVE.exec(format);
    if (match === null) break;
    const [
      whole,
      flags = '',
      firstIndex,
      starWidth,
      width,
      dot,
      secondIndex,
      starPrecision,
      precision,
      thirdIndex,
      verb = '',
    ] = match;
    const first = argumentIndex(firstIndex);
    const second = argumentIndex(secondIndex);
    const hasWidth = starWidth !== undefined || width !== undefined;
    parts.push({
      plus: flags.includes('+'),
      minus: flags.includes('-'),
      sharp: flags.includes('#'),
      space: flags.includes(' '),
      zero: flags.includes('0') && !flags.includes('-'),
      width: starWidth === undefined ? bounded(width) : 'star',
      widthIndex: starWidth === undefined ? undefined : first,
      precision: dot === undefined ? undefined : starPrecision === undefined ? (bounded(precision) ?? 0) : 'star',
      precisionIndex: starPrecision === undefined ? undefined : second,
      index:
        argumentIndex(thirdIndex) ??
        (starPrecision === undefined ? second : undefined) ??
        (starWidth === undefined ? (hasWidth && first !== undefined ? 'bad' : first) : undefined),
      verb,
    });
    index += whole.length;
  }
  return parts;
}

function argumentIndex(text: string | undefined): number | 'bad' | undefined {
  if (text === undefined) return undefined;
  const digits = /^\[([0-9]+)\]$/u.exec(text)?.[1];
  return digits === undefined || Number(digits) > 1_000_000 ? 'bad' : Number(digits);
}

function bounded(digits: string | undefined): number | undefined {
  return digits === undefined || Number(digits) > 1_000_000 ? undefined : Number(digits);
}
