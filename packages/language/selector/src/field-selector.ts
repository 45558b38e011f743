interface Term {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/** A parsed field selector such as `metadata.name=a,type!=Opaque` (apimachinery `fields`). */
export class FieldSelector {
  readonly #terms: readonly Term[];

  constructor(terms: readonly Term[]) {
    this.#terms = terms;
  }

  get empty(): boolean {
    return this.#terms.length === 0;
  }

  /** Fields that it names. */
  get fields(): ReadonlySet<string> {
    return new Set(this.#terms.map(({ field }) => field));
  }

  /** The required value of a field, if the selector has exactly one. */
  exact(field: string): string | undefined {
    return this.#terms.find((term) => term.equal && term.field === field)?.value;
  }

  matches(values: ReadonlyMap<string, string>): boolean {
    return this.#terms.every((term) => ((values.get(term.field) ?? '') === term.value) === term.equal);
  }

  /** With these labels replaced by `convert`. */
  converted(convert: (label: string) => string): FieldSelector {
    // An empty term selects everything.
    const terms = this.#terms.filter((term) => term.field !== '' || term.value !== '');
    return new FieldSelector(terms.map((term) => ({ ...term, field: convert(term.field) })));
  }
}

/** Selects every object. */
export const everyField = new FieldSelector([]);

const OPERATOR = /!=|==|=/u;

/**
 * Parses a field selector with the messages of apimachinery's parser.
 * @throws {SyntaxError} for text that is not a selector.
 */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = (text.match(/(?:\\.|[^,\\])+/gsu) ?? []).sort();
  return new FieldSelector(terms.map((term) => parseTerm(text, term)));
}

function parseTerm(selector: string, term: string): Term {
  const match = OPERATOR.exec(term);
  if (match === null) throw new SyntaxError(`invalid selector: '${selector}'; can't understand '${term}'`);
  return {
    field: term.slice(0, match.index),
    equal: match[0] !== '!=',
    value: unescape(term.slice(match.index + match[0].length)),
  };
}

function unescape(value: string): string {
  if (!/[\\,=]/u.test(value)) return value;
  let result = '';
  for (let index = 0; index < value.length; index++) {
    const char = value.charAt(index);
    if (char === '=' || char === ',')
      throw new SyntaxError(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    if (char !== '\\') {
      result += char;
      continue;
    }
    const next = value.charAt(++index);
    if (next === '') throw new SyntaxError('invalid field selector: invalid escape sequence: \\');
    if (!'\\,='.includes(next)) throw new SyntaxError(`invalid field selector: invalid escape sequence: \\${next}`);
    result += next;
  }
  return result;
}
