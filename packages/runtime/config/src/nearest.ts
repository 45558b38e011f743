/**
 * Finds the most likely intended word among `known`; undefined if none is near. For short words, such as names of
 * commands and flags.
 */
export function nearest(given: string, known: readonly string[]): string | undefined {
  // Allows one wrong letter in three, and at least one.
  const allowed = Math.max(1, Math.floor(given.length / 3));
  const [best] = known
    .map((word) => ({ word, edits: editsBetween(given.toLowerCase(), word) }))
    .filter(({ edits }) => edits <= allowed)
    .toSorted((one, other) => one.edits - other.edits);
  return best?.word;
}

/** Suffix for a message: suggests the nearest word, if there is one. `prefix`: what precedes the word when typed. */
export function didYouMean(given: string, known: readonly string[], prefix: string): string {
  const word = nearest(given, known);
  return word === undefined ? '' : `; did you mean ${prefix}${word}?`;
}

/** Message about an unknown word after `command`: names the nearest word, and where all are listed. */
export function unknownWord(message: string, given: string, known: readonly string[], command: string): string {
  const near = didYouMean(given, known, `${command} `);
  return `${message}${near === '' ? '; see' : `${near} See`} ${command} --help`;
}

/** Counts added, removed, replaced, and swapped letters. */
function editsBetween(one: string, other: string): number {
  let [before, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      let edits = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        edits = Math.min(edits, (before[column - 2] ?? 0) + 1);
      current.push(edits);
    }
    [before, last] = [last, current];
  }
  return last[other.length] ?? 0;
}
