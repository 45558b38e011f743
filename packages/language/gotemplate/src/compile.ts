import { builtins } from './builtins/index.js';
import { Budget } from './exec/budget.js';
import { execute, writePlain } from './exec/execution.js';
import { checkPlainText, htmlText, writeHtml } from './html.js';
import { parse } from './syntax/parser.js';
import { type FunctionMap, isTemplateFunction } from './template-function.js';
import { toText } from './values/bytes.js';
import { copyValue } from './values/copy-value.js';
import type { GoValue } from './values/go-value.js';

export interface CompileOptions {
  /** Additional functions; they override built-in ones of the same name. */
  readonly functions?: FunctionMap | undefined;
  /** Escape values like html/template in plain text. Default false. */
  readonly html?: boolean | undefined;
  /** Name for messages. Default `template`. */
  readonly name?: string | undefined;
  readonly limits?: TemplateLimits | undefined;
}

/** Limits of one rendering. */
export interface TemplateLimits {
  /**
   * Evaluated nodes; sixteen characters produced by functions, or sixty-four passed to them, also count as one. Default
   * 1 000 000.
   */
  readonly steps?: number | undefined;
  /** UTF-16 units of output. Default 1 048 576. */
  readonly output?: number | undefined;
}

/** A checked template. Renders any number of times; keeps no state between renderings. */
export interface Template {
  /**
   * The output for some data: parsed JSON, which may contain {@link GoObject}s. Never changes the data. Throws a {@link
   * TemplateError}.
   */
  render(data: unknown): string;
}

/**
 * Compiles a template of Go's text/template. Throws a {@link TemplateError} for an invalid template, and for unknown or
 * refused functions.
 *
 * @example
 * compile('{{ .name | printf "%q" }}').render({ name: 'a' }); // "a"
 */
export function compile(text: string, options: CompileOptions = {}): Template {
  const functions: FunctionMap = { ...builtins, ...options.functions };
  const set = parse(options.name ?? 'template', text, functions);
  const html = options.html ?? false;
  if (html) checkPlainText(set);
  const mutates = [...set.functions].some((name) => {
    const used = functions[name];
    return used !== undefined && isTemplateFunction(used) && used.mutates === true;
  });
  const { steps = 1_000_000, output = 1_048_576 } = options.limits ?? {};
  return {
    render(data) {
      const budget = new Budget(steps);
      const value = mutates ? copyValue(data as GoValue) : (data as GoValue);
      return toText(
        execute(
          {
            set,
            functions,
            budget,
            maxOutput: output,
            write: html ? writeHtml : writePlain,
            text: html ? htmlText : (literal) => literal,
          },
          value,
        ),
      );
    },
  };
}
