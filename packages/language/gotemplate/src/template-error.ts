/**
 * Why a template was refused or ended:
 * - `syntax`: the text is not a template.
 * - `function`: it calls a function that does not exist.
 * - `refused`: it calls a function that exists in the original, but not here; the message says why.
 * - `markup`: its literal text opens HTML markup, where escaping would depend on the place (only with `html: true`).
 * - `execution`: the data does not fit: a field of a scalar, a wrong argument, `fail`.
 * - `limit`: it took more steps, or wrote more, than allowed.
 *
 * None of these goes away by trying again with the same template and the same data.
 */
export type TemplateErrorCode = 'syntax' | 'function' | 'refused' | 'markup' | 'execution' | 'limit';

export interface TemplateErrorPlace {
  /** The name given to `compile`. */
  readonly template: string;
  /** From 1. */
  readonly line: number;
  /** Bytes from the start of the line, from 0, as Go counts. Absent where only the line is known. */
  readonly column?: number | undefined;
}

/**
 * A template that cannot be compiled, or did not end well. The message has the form of Go: `template: NAME:LINE:COLUMN: …`. It names types and places,
 * and never a value of the data; what a template itself says through `fail` is the exception.
 */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  /** The same template and data fail again. */
  readonly retryable = false;
  readonly code: TemplateErrorCode;
  readonly template: string;
  readonly line: number;
  readonly column: number | undefined;
  /** The message without the place. */
  readonly detail: string;

  constructor(code: TemplateErrorCode, place: TemplateErrorPlace, detail: string, context?: string) {
    const column = place.column === undefined ? '' : `:${place.column}`;
    super(
      `template: ${place.template}:${place.line}${column}: ${context === undefined ? '' : `${context}: `}${detail}`,
    );
    this.code = code;
    this.template = place.template;
    this.line = place.line;
    this.column = place.column;
    this.detail = detail;
  }
}
