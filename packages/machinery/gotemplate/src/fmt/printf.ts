import type { Budget } from '../exec/budget.js';
import { toBytes } from '../values/bytes.js';
import { numberView } from '../values/go-number.js';
import type { GoValue } from '../values/go-value.js';
import { isNil, typeName } from '../values/types.js';
import { type Directive, readDirectives } from './directive.js';
import { formatValue } from './format-value.js';
import { plainText } from './print.js';

/** Widths and precisions beyond are refused by Go, too. */
const tooLarge = 1_000_000;

/** Go's `printf`, with Go's ways to say that a verb and a value do not fit: `%!d(string=a)`. */
export function printf(format: string, args: readonly GoValue[], budget: Budget): string {
  let result = '';
  let next = 0;
  let reordered = false;
  const take = (): { readonly value: GoValue } | undefined => {
    if (next < 0 || next >= args.length) return undefined;
    return { value: args[next++] };
  };
  for (const directive of readDirectives(format)) {
    if (typeof directive === 'string') {
      budget.charge(directive.length);
      result += directive;
      continue;
    }
    let { minus, zero } = directive;
    let badIndex = false;
    const seek = (index: Directive['index']): void => {
      if (index === undefined) return;
      reordered = true;
      if (index === 'bad' || index < 1 || index > args.length) badIndex = true;
      else next = index - 1;
    };
    const star = (): number | undefined => {
      const number = numberView(take()?.value);
      return number?.kind === 'int' || number?.kind === 'uint' ? Number(number.value) : undefined;
    };

    let width = directive.width;
    if (directive.width === 'star') {
      seek(directive.widthIndex);
      width = badIndex ? undefined : star();
      if (width === undefined || Math.abs(width) > tooLarge) {
        width = undefined;
        result += '%!(BADWIDTH)';
      } else if (width < 0) {
        width = -width;
        minus = true;
        zero = false;
      }
    }
    let precision = directive.precision;
    if (directive.precision === 'star') {
      seek(directive.precisionIndex);
      precision = badIndex ? undefined : star();
      if (precision === undefined || precision > tooLarge) {
        precision = undefined;
        result += '%!(BADPREC)';
      } else if (precision < 0) precision = undefined;
    }
    seek(directive.index);
    if (directive.verb === '') {
      result += '%!(NOVERB)';
      break;
    }
    if (directive.verb === '%') result += '%';
    else if (badIndex) result += `%!${directive.verb}(BADINDEX)`;
    else {
      const taken = take();
      if (taken === undefined) result += `%!${directive.verb}(MISSING)`;
      else {
        const flags = { ...directive, minus, zero, width: numeric(width), precision: numeric(precision) };
        const text = formatValue(directive.verb, flags, taken.value, budget);
        budget.charge(text.length);
        result += text;
      }
    }
  }
  if (!reordered && next < args.length) result += extra(args.slice(next), budget);
  return result;
}

const numeric = (value: number | 'star' | undefined): number | undefined => (value === 'star' ? undefined : value);

function extra(args: readonly GoValue[], budget: Budget): string {
  return `%!(EXTRA ${args.map((arg) => (isNil(arg) ? '<nil>' : `${typeName(arg)}=${plainText(arg, budget)}`)).join(', ')})`;
}

/** Characters of a Go string: what a width counts. */
export function runeCount(text: string): number {
  return text.isWellFormed() ? [...text].length : toBytes(text).length;
}
