/** An unreadable `fieldsV1`, or entry of `managedFields`. */
export class SetError extends Error {
  override readonly name = 'SetError';
}
