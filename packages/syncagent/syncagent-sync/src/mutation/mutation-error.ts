/**
 * A step cannot be applied to an object. Retrying the same object fails again: the author of the PublishedResource, or
 * of the object, must change something. The message names the step and the reason, never a value of the object.
 */
export class MutationError extends Error {
  readonly code = 'MutationFailed';
  readonly retryable = false;

  /**
   * @param path - the field of the PublishedResource: `spec.mutation.spec[0].cel`
   * @param reason - why it cannot be applied
   */
  constructor(
    readonly path: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${path}: ${reason}`, options);
    this.name = 'MutationError';
  }
}
