/** The next component of a path to set. */
export interface SetComponent {
  readonly key: string;
  /** The index, where the component can be one. */
  readonly index: number | undefined;
  /** `-1`: behind the last element, or when deleting the last element. */
  readonly isEnd: boolean;
  /** The index that it finds in an array; a `\` or `:` keeps a number from being an index, not from finding the element that is there. */
  readonly present: number | undefined;
}

const COMPLEX = /^[|#@*?]$/u;
const digits = (text: string): number | undefined => (/^[0-9]+$/u.test(text) ? Number(text) : undefined);

/** The components of a path; nothing for a complex one, which may stand for any number of values. */
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
