import { RE2JS, RE2JSException } from 're2js';
import type { JsonSchemaProps } from './json-schema-props.js';
import { patternWeight, takePatternWork } from './pattern-work.js';
import type { Walk } from './walk.js';

/** Length and pattern of strings. Reports only the first failure. */
export class StringCheck {
  readonly #maxLength: number | undefined;
  readonly #minLength: number | undefined;
  readonly #pattern: string;
  #compiled: Pattern | undefined;
  #weight = 0;

  constructor(schema: JsonSchemaProps) {
    this.#maxLength = schema.maxLength;
    this.#minLength = schema.minLength;
    this.#pattern = schema.pattern ?? '';
  }

  validate(value: string, walk: Walk): void {
    if (this.#maxLength !== undefined && isLonger(value, this.#maxLength)) {
      const name = walk.path;
      walk.add({
        kind: 'tooLong',
        name,
        max: this.#maxLength,
        message: `${name} in body should be at most ${this.#maxLength} chars long`,
      });
    } else if (this.#minLength !== undefined && !isLonger(value, this.#minLength - 1)) {
      const name = walk.path;
      walk.add({
        kind: 'invalid',
        name,
        value,
        message: `${name} in body should be at least ${this.#minLength} chars long`,
      });
    } else if (this.#pattern !== '') this.#checkPattern(value, walk);
  }

  #checkPattern(value: string, walk: Walk): void {
    if (this.#compiled === undefined) {
      this.#compiled = compilePattern(this.#pattern);
      this.#weight = patternWeight(this.#pattern);
    }
    takePatternWork(value, this.#weight);
    if (this.#compiled.error === undefined && this.#compiled.matches(value)) return;
    const name = walk.path;
    const shown =
      this.#compiled.error === undefined
        ? this.#pattern
        : `${this.#pattern}, but pattern is invalid: ${this.#compiled.error}`;
    walk.add({ kind: 'invalid', name, value, message: `${name} in body should match '${shown}'` });
  }
}

export type Pattern =
  { readonly error: undefined; readonly matches: (text: string) => boolean } | { readonly error: string };

/** A regular expression with Go's syntax and in linear time. Matches anywhere in the text. */
export function compilePattern(pattern: string): Pattern {
  try {
    const compiled = RE2JS.compile(pattern);
    // Not `find`: it determines each group, and takes up to a hundred times as long.
    return { error: undefined, matches: (text) => compiled.test(text) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    // Go allows two groups of the same name.
    const unnamed = pattern.replaceAll(/\(\?P?<\w+>/g, '(');
    if (error.message.includes('duplicate capture group name') && unnamed !== pattern) {
      const compiled = compilePattern(unnamed);
      return compiled.error === undefined
        ? compiled
        : { error: compiled.error.replace(`\`${unnamed}\``, () => `\`${pattern}\``) };
    }
    return {
      error: error.message.endsWith('trailing backslash at end of expression')
        ? `${error.message}: \`\``
        : error.message,
    };
  }
}

/** Whether a string has more code points than `length`. */
function isLonger(text: string, length: number): boolean {
  if (text.length <= length) return false;
  // A code point takes two code units at most.
  if (text.length > 2 * length) return true;
  let pairs = 0;
  for (let at = 0; at < text.length; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) pairs++;
  return text.length - pairs > length;
}
