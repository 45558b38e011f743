/** A document that cannot be read as its type. The message is that of Go's decoder; the handlers say around it what was being decoded. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}
