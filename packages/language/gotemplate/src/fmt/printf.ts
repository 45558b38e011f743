import type { Budget } from '../exec/budget.js';
import { numberView } from '../values/go-number.js';
import type { GoValue } from '../values/go-value.js';
import { isNil, typeName } from '../values/types.js';
import { type Directive, readDirectives } from './directive.js';
import { formatValue } from './format-value.js';
import { plainText } from './print.js';

/** Go also refuses larger widths and precisions. */
const tooLarge = 1_000_000;

/** Go's `printf`, with Go's text for a mismatch of verb and value: `%!d(string=a)`. */
export function printf(format: string, args: readonly GoValue[], budget: Budget): string {
  return new Printer(args, budget).print(format);
}

class Printer {
  readonly #args: readonly GoValue[];
  readonly #budget: Budget;
  #next = 0;
  #reordered = false;
  /** The current directive's argument index is out of range. */
  #badIndex = false;

  constructor(args: readonly GoValue[], budget: Budget) {
    this.#args = args;
    this.#budget = budget;
  }

  print(format: string): string {
    let result = '';
    for (const directive of readDirectives(format)) {
      this.#badIndex = false;
      const text = typeof directive === 'string' ? directive : this.#directive(directive);
      this.#budget.charge(text.length);
      result += text;
    }
    return !this.#reordered && this.#next < this.#args.length
      ? result + extra(this.#args.slice(this.#next), this.#budget)
      : result;
  }

  #directive(directive: Directive): string {
    let text = '';
    let { minus, zero } = directive;
    let width = directive.width === 'star' ? this.#star(directive.widthIndex) : directive.width;
    if (directive.width === 'star' && (width === undefined || Math.abs(width) > tooLarge)) {
      width = undefined;
      text += '%!(BADWIDTH)';
    } else if (width !== undefined && width < 0) {
      width = -width;
      minus = true;
      zero = false;
    }
    let precision = directive.precision === 'star' ? this.#star(directive.precisionIndex) : directive.precision;
    if (directive.precision === 'star' && (precision === undefined || precision > tooLarge)) {
      precision = undefined;
      text += '%!(BADPREC)';
    } else if (precision !== undefined && precision < 0) precision = undefined;
    this.#seek(directive.index);
    const { verb } = directive;
    if (verb === '') return `${text}%!(NOVERB)`;
    if (verb === '%') return `${text}%`;
    if (this.#badIndex) return `${text}%!${verb}(BADINDEX)`;
    if (this.#next >= this.#args.length) return `${text}%!${verb}(MISSING)`;
    return (
      text + formatValue(verb, { ...directive, minus, zero, width, precision }, this.#args[this.#next++], this.#budget)
    );
  }

  #seek(index: Directive['index']): void {
    if (index === undefined) return;
    this.#reordered = true;
    if (index === 'bad' || index < 1 || index > this.#args.length) this.#badIndex = true;
    else this.#next = index - 1;
  }

  /** The integer for a `*`. */
  #star(index: Directive['index']): number | undefined {
    this.#seek(index);
    if (this.#badIndex) return undefined;
    const number = numberView(this.#args[this.#next++]);
    return number === undefined || number.kind === 'float' ? undefined : Number(number.value);
  }
}

function extra(args: readonly GoValue[], budget: Budget): string {
  return `%!(EXTRA ${args.map((arg) => (isNil(arg) ? '<nil>' : `${typeName(arg)}=${plainText(arg, budget)}`)).join(', ')})`;
}
