/**
 * Why the rules yield no name:
 * - `template`: the template fails on this object.
 * - `missing`: this object lacks a field that the template prints.
 * - `empty`: the result is empty.
 * - `too-long`: it exceeds the limit of such a name.
 * - `illegal`: it has characters that such a name may not have.
 */
export type NamingProblem = 'template' | 'missing' | 'empty' | 'too-long' | 'illegal';

/** The rules for a name or a namespace. */
export type NamingField = 'spec.naming.name' | 'spec.naming.namespace';

/**
 * The naming rules yield no legal name for an object. Retrying the same object fails again. The message names the
 * field, the problem and the remedy, never the result itself: it may contain any part of the object.
 */
export class NamingError extends Error {
  override readonly name = 'NamingError';
  readonly code = 'NamingFailed';
  readonly retryable = false;

  /**
   * @param field - the rule
   * @param problem - the kind of problem
   * @param reason - the same as a sentence
   * @param remedy - what to do, and who
   */
  constructor(
    readonly field: NamingField,
    readonly problem: NamingProblem,
    readonly reason: string,
    readonly remedy: string,
    options?: ErrorOptions,
  ) {
    super(`${field}: ${reason}. ${remedy}`, options);
  }
}
