/**
 * Why the rules yield no name:
 * - `template`: the template cannot be run on this object.
 * - `missing`: a field that the template prints does not exist in this object.
 * - `empty`: the result is empty.
 * - `too-long`: it is longer than such a name may be.
 * - `illegal`: it has characters that such a name may not have.
 */
export type NamingProblem = 'template' | 'missing' | 'empty' | 'too-long' | 'illegal';

/** The rules that a name or a namespace comes from. */
export type NamingField = 'spec.naming.name' | 'spec.naming.namespace';

/**
 * The naming rules yield no legal name for an object. Trying again with the same object fails again. The message names the field, what is wrong and what to
 * do, and never the result itself: it may be made of anything in the object.
 */
export class NamingError extends Error {
  override readonly name = 'NamingError';
  readonly code = 'NamingFailed';
  readonly retryable = false;

  /**
   * @param field - the rule
   * @param problem - what is wrong
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
