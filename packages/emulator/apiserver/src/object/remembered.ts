/**
 * What a function of a text gives, worked out once: for what is dear and asked for again and again, mostly with the same few texts. Forgets everything once it has `most`.
 */
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
