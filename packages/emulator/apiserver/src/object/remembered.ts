/** Caches a function of a text: for expensive results of the same few texts. Clears the cache at `most` entries. */
export function remembered<T>(most: number, work: (text: string) => T): (text: string) => T {
  const known = new Map<string, { readonly value: T }>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found.value;
    const value = work(text);
    if (known.size >= most) known.clear();
    known.set(text, { value });
    return value;
  };
}
