import { compile, type FunctionMap, trimSpace } from '@hawser/gotemplate';

/** A compiled template of a rule. */
export interface Rule {
  /** Renders the data and trims white space. Throws a `TemplateError` of `@hawser/gotemplate`. */
  render(data: unknown): string;
}

/**
 * Compiles a template of the agent's naming and related rules (`spec/api-syncagent.md §14`): text/template, missing
 * keys print `<no value>`, white space around the result is dropped.
 *
 * @param field - named in messages: `spec.naming.name`
 * @throws {TemplateError} of `@hawser/gotemplate`, if it is not a template, or calls a refused function
 */
export function compileRule(text: string, field: string, functions: FunctionMap): Rule {
  const template = compile(text, { name: field, functions });
  return { render: (data) => trimSpace(template.render(data)) };
}
