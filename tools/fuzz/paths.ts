type Container = Record<string, unknown> | unknown[];

/** Longest list of {@link pathsOf}. */
const MOST = 2_000;

/** Paths of the inner values, from the outside in. */
export function pathsOf(value: unknown): readonly (readonly string[])[] {
  const paths: string[][] = [];
  const open: { readonly at: unknown; readonly path: string[] }[] = [{ at: value, path: [] }];
  for (let next = open.shift(); next !== undefined && paths.length < MOST; next = open.shift()) {
    if (typeof next.at !== 'object' || next.at === null) continue;
    for (const [key, child] of Object.entries(next.at)) {
      const path = [...next.path, key];
      paths.push(path);
      open.push({ at: child, path });
    }
  }
  return paths;
}

/** A copy without the value at a path. */
export function without(value: unknown, path: readonly string[]): unknown {
  return changed(value, path, (container, key) => {
    if (Array.isArray(container)) container.splice(Number(key), 1);
    else Reflect.deleteProperty(container, key);
  });
}

/** A copy with another value at a path. */
export function replaced(value: unknown, path: readonly string[], by: unknown): unknown {
  return changed(value, path, (container, key) => {
    (container as Record<string, unknown>)[key] = structuredClone(by);
  });
}

function changed(
  value: unknown,
  path: readonly string[],
  change: (container: Container, key: string) => void,
): unknown {
  const copy: unknown = structuredClone(value);
  const key = path.at(-1);
  const container = path.slice(0, -1).reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], copy);
  if (key !== undefined) change(container as Container, key);
  return copy;
}
