/** An expression failed while it ran. The message is that of an API server. */
export class CelError extends Error {
  override readonly name = 'CelError';
  readonly code = 'CEL_EVALUATION';
}

/** The arguments of an operator are of types it does not take: only where the checker could not know (`dyn`). */
export const noSuchOverload = (): CelError => new CelError('no such overload');
