import { isFields } from '@hawser/json';
export type Fields = Readonly<Record<string, unknown>>;

/** Says nothing: such values override nothing, and are left out when they are stored. */
export function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) && value.length === 0) ||
    (isFields(value) && Object.keys(value).length === 0)
  );
}
