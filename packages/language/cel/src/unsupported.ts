/** An expression an API server may accept, but this package cannot run. Never guessed: reported by name. */
export class UnsupportedExpression extends Error {
  override readonly name = 'UnsupportedExpression';
  readonly code = 'CEL_UNSUPPORTED';

  /** @param feature - what it is that is not supported, in words */
  constructor(readonly feature: string) {
    super(`not supported: ${feature}`);
  }
}
