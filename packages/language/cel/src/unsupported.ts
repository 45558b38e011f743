/**
 * An expression that an API server may accept, but this package cannot run. Never guessed: the error names the feature.
 */
export class UnsupportedExpression extends Error {
  override readonly name = 'UnsupportedExpression';
  readonly code = 'CEL_UNSUPPORTED';

  /** @param feature - the unsupported feature, for messages */
  constructor(readonly feature: string) {
    super(`not supported: ${feature}`);
  }
}
