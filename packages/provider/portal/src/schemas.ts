/** What requests may hold, in JSON Schema. */
export const text = (maxLength: number): object => ({ type: 'string', minLength: 1, maxLength });
export const optionalText = (maxLength: number): object => ({ type: 'string', maxLength });

/** One or more labels of DNS, as names of objects are. */
const label = '[a-z0-9]([\\-a-z0-9]*[a-z0-9])?';

/** Matches all of a name, and means the same in a JSON Schema and in the attribute `pattern` of a field, which browsers read with the flag `v`. */
export const namePattern = `^${label}(\\.${label})*$`;

/** The name of an object. */
export const objectName = { type: 'string', minLength: 1, maxLength: 253, pattern: namePattern };
