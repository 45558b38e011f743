import type { JsonValue } from '@hawser/json';
import type { FieldError } from './field-error.js';
import { invalid, notSupported, required, tooLong, tooMany, typeInvalid } from './field-errors.js';
import { childPath } from './field-path.js';

/**
 * One finding of kube-openapi's validator. `message` is its own text, which only some kinds pass on to the Status;
 * findings with equal messages count once.
 */
export type Finding =
  | { readonly kind: 'type'; readonly name: string; readonly message: string; readonly value: JsonValue }
  | {
      readonly kind: 'invalid';
      readonly name: string;
      readonly message: string;
      readonly value: JsonValue;
      readonly shown?: string;
    }
  | { readonly kind: 'required'; readonly name: string; readonly message: string }
  | {
      readonly kind: 'enum';
      readonly name: string;
      readonly message: string;
      readonly value: JsonValue;
      readonly supported: readonly string[];
    }
  | { readonly kind: 'tooLong'; readonly name: string; readonly message: string; readonly max: number }
  | {
      readonly kind: 'tooMany';
      readonly name: string;
      readonly message: string;
      readonly actual: number;
      readonly max: number;
    }
  /** Concerns a whole (sub)schema, and has no field. */
  | { readonly kind: 'composite'; readonly message: string };

/** A (sub)schema's findings about a value. */
export class Findings {
  #found: Map<string, Finding> | undefined;
  /**
   * Number of passed checks: if several alternatives all fail, the API server shows the errors of the one with the
   * most.
   */
  matches = 0;

  get valid(): boolean {
    return this.#found === undefined;
  }

  add(finding: Finding): void {
    this.#found ??= new Map();
    if (!this.#found.has(finding.message)) this.#found.set(finding.message, finding);
  }

  merge(other: Findings): void {
    this.matches += other.matches;
    if (other.#found !== undefined) for (const finding of other.#found.values()) this.add(finding);
  }

  /** In the API server's form, below `prefix`. */
  toFieldErrors(prefix: string): FieldError[] {
    return this.#found === undefined ? [] : [...this.#found.values()].map((finding) => toFieldError(finding, prefix));
  }
}

function toFieldError(finding: Finding, prefix: string): FieldError {
  if (finding.kind === 'composite') return invalid(prefix, '', finding.message);
  const name = finding.name.startsWith('.') ? finding.name.slice(1) : finding.name;
  const path = name === '' ? prefix : childPath(prefix, name);
  switch (finding.kind) {
    case 'type':
      return typeInvalid(path, finding.value, finding.message);
    case 'invalid':
      return {
        ...invalid(path, finding.value, finding.message),
        ...(finding.shown === undefined ? {} : { shown: finding.shown }),
      };
    case 'required':
      return required(path);
    case 'enum':
      return notSupported(path, finding.value, finding.supported);
    case 'tooLong':
      return tooLong(path, finding.max);
    case 'tooMany':
      return tooMany(path, finding.actual, finding.max);
  }
}
