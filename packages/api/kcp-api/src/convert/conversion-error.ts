/**
 * `SchemaName`: an entry is not the name of a schema. `Annotation`: an annotation with fields that a version lacks
 * cannot be read.
 */
export type ConversionErrorCode = 'SchemaName' | 'Annotation';

/** Why an APIExport could not be converted. Retrying does not help: its owner must correct it. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';

  constructor(
    readonly code: ConversionErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}
