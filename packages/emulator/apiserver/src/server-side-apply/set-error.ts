/** A `fieldsV1` or an entry of `managedFields` that cannot be read. */
export class SetError extends Error {
  override readonly name = 'SetError';
}
