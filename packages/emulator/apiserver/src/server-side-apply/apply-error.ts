/**
 * Why a configuration cannot be applied, other than conflicts. Retrying never helps.
 * - `bad-request`: 400 with reason `BadRequest`.
 * - `invalid-type`: the schema does not know part of the configuration. The server answers 500 without a reason.
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
