/**
 * Why a document cannot be decoded as its type. The message is that of Go's decoder; the handlers add what was being
 * decoded.
 */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}
