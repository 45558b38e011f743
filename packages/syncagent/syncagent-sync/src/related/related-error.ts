/**
 * Why the related objects of a primary cannot be determined:
 * - `NoNamespace`: the primary is cluster-scoped on a side, and the entry names no namespace.
 * - `CountMismatch`: a reference finds a different number of values on the two sides.
 * - `IllegalName`: a rule yields an invalid name or namespace.
 * - `IllegalSelector`: a templated label is invalid.
 * - `TemplateFailed`: a template fails on these objects.
 */
export type RelatedErrorCode = 'NoNamespace' | 'CountMismatch' | 'IllegalName' | 'IllegalSelector' | 'TemplateFailed';

/**
 * The rules of an entry do not fit a primary object. Only a change of the object or the PublishedResource helps, not a
 * retry. The message names the entry, the field and the reason. It may contain names of objects, but no other content.
 */
export class RelatedError extends Error {
  readonly retryable = false;

  /**
   * @param identifier - of the entry
   * @param field - of the PublishedResource: `spec.related[0].object.namespace`
   */
  constructor(
    readonly code: RelatedErrorCode,
    readonly identifier: string,
    readonly field: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`related resource ${JSON.stringify(identifier)}: ${field}: ${reason}`, options);
    this.name = 'RelatedError';
  }
}
