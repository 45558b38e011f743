/** `SchemaName`: an entry is not a name of a schema. `Annotation`: an annotation that keeps what a version has no place for cannot be read. */
export type ConversionErrorCode = 'SchemaName' | 'Annotation';

/** Why an APIExport could not be converted. Trying again does not help: its owner has to correct it. */
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
