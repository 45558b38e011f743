/**
 * Why the related objects of a primary cannot be told:
 * - `NoNamespace`: the primary is cluster-scoped on a side, and the entry does not say which namespace.
 * - `CountMismatch`: a reference finds a different number of values on the two sides.
 * - `IllegalName`: a rule yields something that cannot be a name or a namespace.
 * - `IllegalSelector`: a templated label is none.
 * - `TemplateFailed`: a template does not end well with these objects.
 */
export type RelatedErrorCode = 'NoNamespace' | 'CountMismatch' | 'IllegalName' | 'IllegalSelector' | 'TemplateFailed';

/**
 * The rules of an entry do not fit a primary object. It goes away when somebody changes the object or the PublishedResource, not by trying again. The
 * message names the entry, the field and the reason; names of objects may be in it, other content of objects is not.
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
