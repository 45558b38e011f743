import { type Difference, differenceOf } from './difference.js';
import type { Wanted } from './wanted.js';

/** Compares a copy with the wanted content; paths start at the root of an object. */
export function contentDifference(wanted: Wanted, actual: Wanted): Difference {
  const labels = differenceOf(wanted.labels, actual.labels);
  const annotations = differenceOf(wanted.annotations, actual.annotations);
  const fields = differenceOf(wanted.fields, actual.fields);
  const under =
    (key: string) =>
    (path: readonly string[]): readonly string[] => ['metadata', key, ...path];
  return {
    wrong: [...labels.wrong.map(under('labels')), ...annotations.wrong.map(under('annotations')), ...fields.wrong],
    extra: [...labels.extra.map(under('labels')), ...annotations.extra.map(under('annotations')), ...fields.extra],
  };
}
