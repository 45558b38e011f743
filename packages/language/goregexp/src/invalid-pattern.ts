/**
 * Why a pattern is not a regular expression of Go's `regexp` package. Retrying does not help: the author of the pattern
 * must change it.
 */
export class InvalidPattern extends Error {
  readonly code = 'InvalidPattern';
  readonly retryable = false;

  /**
   * @param pattern - the given pattern
   * @param reason - what is wrong with it, in the words of Go's parser: ``missing closing ): `(` ``
   */
  constructor(
    readonly pattern: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`invalid regular expression: ${reason}`, options);
    this.name = 'InvalidPattern';
  }
}
