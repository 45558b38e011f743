import { isFields } from '@hawser/json';
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is empty: such values override nothing, and are not stored. */
export function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) && value.length === 0) ||
    (isFields(value) && Object.keys(value).length === 0)
  );
}
