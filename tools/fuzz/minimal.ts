import { feed } from './feed.ts';
import { pathsOf, without } from './paths.ts';
import type { Reader } from './readers.ts';

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
    const copy = without(value, path);
    if (faultOf(reader, copy) === wanted) return { value: copy };
  }
  return undefined;
}
