/**
 * Why a configuration cannot be applied, other than for conflicts. None can be helped by trying again.
 * - `bad-request`: 400 with reason `BadRequest`.
 * - `invalid-type`: the configuration says what the schema does not know. The server answers 500 without a reason.
 */
export type ApplyErrorCode = 'bad-request' | 'invalid-type';

/** A configuration that cannot be applied. The message is the server's. */
export class ApplyError extends Error {
  override readonly name = 'ApplyError';
  readonly retryable = false;

  constructor(
    readonly code: ApplyErrorCode,
    message: string,
  ) {
    super(message);
  }

  /** Status code of the answer. */
  get status(): 400 | 500 {
    return this.code === 'bad-request' ? 400 : 500;
  }
}
