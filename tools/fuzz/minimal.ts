import { feed } from './feed.ts';
import type { Reader } from './readers.ts';

type Container = Record<string, unknown> | unknown[];

/** The smallest value that makes the reader fail in the same way: removes every part it can. */
export function minimal(reader: Reader, value: unknown): unknown {
  const wanted = faultOf(reader, value);
  let least = value;
  for (
    let smaller = smallerOf(reader, least, wanted);
    smaller !== undefined;
    smaller = smallerOf(reader, least, wanted)
  )
    least = smaller.value;
  return least;
}

const faultOf = (reader: Reader, value: unknown): string | undefined => feed(reader, value).fault?.split('\n')[0];

function smallerOf(
  reader: Reader,
  value: unknown,
  wanted: string | undefined,
): { readonly value: unknown } | undefined {
  for (const path of pathsOf(value)) {
    const copy: unknown = structuredClone(value);
    remove(copy, path);
    if (faultOf(reader, copy) === wanted) return { value: copy };
  }
  return undefined;
}

/** From the outside in, to remove much at once. */
function pathsOf(value: unknown): readonly (readonly string[])[] {
  const paths: string[][] = [];
  const open: { readonly at: unknown; readonly path: string[] }[] = [{ at: value, path: [] }];
  for (let next = open.shift(); next !== undefined && paths.length < 2_000; next = open.shift()) {
    if (typeof next.at !== 'object' || next.at === null) continue;
    for (const [key, child] of Object.entries(next.at)) {
      const path = [...next.path, key];
      paths.push(path);
      open.push({ at: child, path });
    }
  }
  return paths;
}

function remove(value: unknown, path: readonly string[]): void {
  const key = path.at(-1);
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], value) as Container;
  if (key === undefined) return;
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else Reflect.deleteProperty(parent, key);
}
