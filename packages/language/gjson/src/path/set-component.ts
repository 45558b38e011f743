/** The next component of a path to set. */
export interface SetComponent {
  readonly key: string;
  /** The index, if the component can be one. */
  readonly index: number | undefined;
  /** `-1`: after the last element, or for deletion the last element. */
  readonly isEnd: boolean;
  /** The index in an existing array. A `\` or `:` prevents creating by index, not finding an existing element. */
  readonly present: number | undefined;
}

const COMPLEX = /^[|#@*?]$/u;
const digits = (text: string): number | undefined => (/^[0-9]+$/u.test(text) ? Number(text) : undefined);

/** Components of a path; undefined for a complex one, which may match any number of values. */
export function parseSetPath(path: string): readonly SetComponent[] | undefined {
  const components: SetComponent[] = [];
  for (let rest: string | undefined = path; rest !== undefined;) {
    const forced: boolean = rest.startsWith(':');
    let index: number = forced ? 1 : 0;
    let key = '';
    let escaped = false;
    for (; index < rest.length && rest[index] !== '.'; index++) {
      const character: string = rest.charAt(index);
      if (COMPLEX.test(character)) return undefined;
      if (character === '\\') {
        escaped = true;
        index++;
      }
      key += rest.charAt(index);
    }
    components.push({
      key,
      index: forced ? undefined : key === '' ? 0 : digits(key),
      isEnd: key === '-1' && !forced,
      present: escaped ? undefined : digits(key),
    });
    rest = index < rest.length ? rest.slice(index + 1) : undefined;
  }
  return components;
}
