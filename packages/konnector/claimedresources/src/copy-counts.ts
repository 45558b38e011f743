/** Counts the consumer's copies from claims, each for one binding. */
export interface CopyCounts {
  /** Counts the copy for that binding only. */
  set(key: string, binding: string): void;
  delete(key: string): void;
  bindingOf(key: string): string | undefined;
  count(binding: string): number;
}

/** `freed` is called when the count drops. */
export function createCopyCounts(freed: () => void): CopyCounts {
  const byKey = new Map<string, string>();
  const counts = new Map<string, number>();
  const add = (binding: string, by: 1 | -1): void => {
    counts.set(binding, (counts.get(binding) ?? 0) + by);
  };
  const remove = (key: string): string | undefined => {
    const binding = byKey.get(key);
    if (binding === undefined) return undefined;
    byKey.delete(key);
    add(binding, -1);
    return binding;
  };
  return {
    set(key, binding) {
      const before = byKey.get(key);
      if (before === binding) return;
      remove(key);
      byKey.set(key, binding);
      add(binding, 1);
      if (before !== undefined) freed();
    },
    delete(key) {
      if (remove(key) !== undefined) freed();
    },
    bindingOf: (key) => byKey.get(key),
    count: (binding) => counts.get(binding) ?? 0,
  };
}
