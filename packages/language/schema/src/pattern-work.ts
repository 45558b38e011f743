/** Objects are validated synchronously, one at a time: what is left belongs to the one that is validated. */
let remaining = Infinity;

/** An object has more text to be held against patterns than was allowed. */
export class PatternWorkExceeded extends Error {
  override readonly name = 'PatternWorkExceeded';

  constructor() {
    super('the texts of the object are too long to be held against the patterns of the schema');
  }
}

/**
 * Runs a validation that may hold so many characters against patterns, each counted as often as the pattern is long. Without it there is no limit. A tenth of a second
 * is some million.
 * @throws {PatternWorkExceeded} when there are more
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

/** To be called before a text is held against a pattern. */
export function takePatternWork(text: string, weight: number): void {
  if (remaining === Infinity) return;
  remaining -= text.length * weight;
  if (remaining < 0) throw new PatternWorkExceeded();
}

/** What a character costs: states are made of the pattern's characters, and of those that a count repeats. */
export function patternWeight(pattern: string): number {
  let weight = pattern.length;
  for (const [, least = '0', most = ''] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/gu))
    weight += Math.max(Number(least), Number(most === '' ? least : most));
  return weight;
}
