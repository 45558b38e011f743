interface Open {
  readonly container: object;
  readonly isArray: boolean;
  readonly entries: Iterator<readonly [string | number, unknown]>;
  isEmpty: boolean;
}

/**
 * Writes a JSON value, `bigint` included, like `stringify`, but without recursion: for one nested so deeply that the
 * engine's writer overflows the stack. An order of magnitude slower. Throws a `TypeError` for a cycle.
 */
export function stringifyDeep(value: unknown): string {
  const pieces: string[] = [];
  const open: Open[] = [];
  const within = new Set<object>();
  const write = (each: unknown): void => {
    if (typeof each === 'bigint') pieces.push(each.toString());
    else if (isAbsent(each)) pieces.push('null');
    else if (typeof each !== 'object' || each === null) pieces.push(JSON.stringify(each));
    else {
      if (within.has(each)) throw new TypeError('a cycle cannot be written as JSON');
      within.add(each);
      const isArray = Array.isArray(each);
      const entries = (
        isArray ? (each as unknown[]).entries() : Object.entries(each)[Symbol.iterator]()
      ) as Open['entries'];
      pieces.push(isArray ? '[' : '{');
      open.push({ container: each, isArray, entries, isEmpty: true });
    }
  };
  write(value);
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const next = top.entries.next();
    if (next.done === true) {
      pieces.push(top.isArray ? ']' : '}');
      within.delete(top.container);
      open.pop();
      continue;
    }
    const [key, each] = next.value;
    if (!top.isArray && isAbsent(each)) continue;
    if (!top.isEmpty) pieces.push(',');
    top.isEmpty = false;
    if (!top.isArray) pieces.push(JSON.stringify(key), ':');
    write(each);
  }
  return pieces.join('');
}

/** Values that JSON cannot express: omitted from an object, null in a list. */
const isAbsent = (value: unknown): boolean =>
  value === undefined || typeof value === 'function' || typeof value === 'symbol';
