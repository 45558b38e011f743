/** A run-time error of an expression, with the API server's message. */
export class CelError extends Error {
  override readonly name = 'CelError';
  readonly code = 'CEL_EVALUATION';
}

/** Operand types that the operator does not accept: only where the checker could not know (`dyn`). */
export const noSuchOverload = (): CelError => new CelError('no such overload');
