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
  /** Functions besides those that every template has; one of the same name takes its place. */
  readonly functions?: FunctionMap | undefined;
  /** Escape values as html/template does in plain text. Default false. */
  readonly html?: boolean | undefined;
  /** Named in messages. Default `template`. */
  readonly name?: string | undefined;
  readonly limits?: TemplateLimits | undefined;
}

/** What one rendering may use. */
export interface TemplateLimits {
  /** Nodes that are evaluated; sixteen characters that functions make, or sixty-four that they are given, count as one, too. Default 1 000 000. */
  readonly steps?: number | undefined;
  /** UTF-16 units of output. Default 1 048 576. */
  readonly output?: number | undefined;
}

/** A template that has been checked. Renders any number of times; keeps nothing between two renderings. */
export interface Template {
  /** The output for some data: parsed JSON, and {@link GoObject}s in it. The data is never changed. Throws a {@link TemplateError}. */
  render(data: unknown): string;
}

/**
 * Compiles a template of Go's text/template. Throws a {@link TemplateError} for what is not a template, and for functions that do not exist or are refused.
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
