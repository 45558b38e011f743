/** A pattern that is not a regular expression of Go's `regexp` package. Trying again cannot help: whoever wrote the pattern has to change it. */
export class InvalidPattern extends Error {
  readonly code = 'InvalidPattern';
  readonly retryable = false;

  /**
   * @param pattern - the pattern as it was given
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
