/** Approximate bytes of a value in memory. Stops counting at `most`. Works at any nesting depth. */
export function weightOf(value: unknown, most = 4 * 1024 * 1024): number {
  let bytes = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && bytes < most) {
    const next = open.pop();
    if (typeof next === 'string') bytes += 16 + next.length;
    else if (Array.isArray(next)) {
      bytes += 16;
      for (const each of next as unknown[]) open.push(each);
    } else if (typeof next === 'object' && next !== null) {
      bytes += 32;
      for (const [key, each] of Object.entries(next)) {
        bytes += 8 + key.length;
        open.push(each);
      }
    } else bytes += 8;
  }
  return bytes;
}
