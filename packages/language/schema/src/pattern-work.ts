/** Objects are validated synchronously, one at a time: the remaining budget belongs to the current one. */
let remaining = Infinity;

/** An object needs more pattern matching than allowed. */
export class PatternWorkExceeded extends Error {
  override readonly name = 'PatternWorkExceeded';

  constructor() {
    super('the texts of the object are too long to be held against the patterns of the schema');
  }
}

/**
 * Runs a validation with a limit of characters to match, each multiplied by the pattern's length. Without this call
 * there is no limit. Some million take a tenth of a second.
 * @throws {PatternWorkExceeded} beyond the limit
 */
export function withPatternWork<T>(characters: number, run: () => T): T {
  const before = remaining;
  remaining = characters;
  try {
    return run();
  } finally {
    remaining = before;
  }
}

/** Call before a text is matched with a pattern. */
export function takePatternWork(text: string, weight: number): void {
  if (remaining === Infinity) return;
  remaining -= text.length * weight;
  if (remaining < 0) throw new PatternWorkExceeded();
}

/** Cost per character: the pattern's characters, and those that a count repeats, become states. */
export function patternWeight(pattern: string): number {
  let weight = pattern.length;
  for (const [, least = '0', most = ''] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/gu))
    weight += Math.max(Number(least), Number(most === '' ? least : most));
  return weight;
}
