/**
 * Why a template was refused or ended:
 * - `syntax`: the text is not a template.
 * - `function`: it calls an unknown function.
 * - `refused`: it calls a function of the original that is not offered here; the message says why.
 * - `markup`: its literal text opens HTML markup, where escaping would depend on the context (only with `html: true`).
 * - `execution`: the data does not fit: a field of a scalar, a wrong argument, `fail`.
 * - `limit`: it exceeded the limit of steps or output.
 *
 * Retrying the same template with the same data never helps.
 */
export type TemplateErrorCode = 'syntax' | 'function' | 'refused' | 'markup' | 'execution' | 'limit';

export interface TemplateErrorPosition {
  /** The name given to `compile`. */
  readonly template: string;
  /** From 1. */
  readonly line: number;
  /** Bytes from the start of the line, from 0, as Go counts. Absent if only the line is known. */
  readonly column?: number | undefined;
}

/**
 * A template that does not compile, or whose rendering failed. The message has Go's form: `template: NAME:LINE:COLUMN:
 * …`. It names types and positions, and never a value of the data, except in a text that the template passes to `fail`.
 */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  /** The same template and data fail again. */
  readonly retryable = false;
  readonly code: TemplateErrorCode;
  readonly template: string;
  readonly line: number;
  readonly column: number | undefined;
  /** The message without the position. */
  readonly detail: string;

  constructor(code: TemplateErrorCode, position: TemplateErrorPosition, detail: string, context?: string) {
    const column = position.column === undefined ? '' : `:${position.column}`;
    super(
      `template: ${position.template}:${position.line}${column}: ${context === undefined ? '' : `${context}: `}${detail}`,
    );
    this.code = code;
    this.template = position.template;
    this.line = position.line;
    this.column = position.column;
    this.detail = detail;
  }
}
