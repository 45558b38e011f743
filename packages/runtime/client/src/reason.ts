/** Describes a failure in words: Node hides it in codes and in the parts of an AggregateError. */
export function reasonOf(error: unknown): string {
  // By shape: `instanceof` does not hold for an error from another realm.
  if (typeof error !== 'object' || error === null) return 'no reason given';
  const { message, code, errors } = error as {
    readonly message?: unknown;
    readonly code?: unknown;
    readonly errors?: unknown;
  };
  if (typeof message === 'string' && message !== '') return message;
  if (Array.isArray(errors) && errors.length > 0) return reasonOf(errors[0]);
  return typeof code === 'string' ? code : 'no reason given';
}
