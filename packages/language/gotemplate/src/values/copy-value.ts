import type { GoMap, GoValue } from './go-value.js';
import { elementType, isList, isMap, isNilList, newMap, withElements } from './types.js';

/**
 * A deep copy of lists and maps; everything else is immutable and shared. `visit` gets every list and map, to count
 * them.
 */
export function copyValue(
  value: GoValue,
  visit: (size: number) => void = () => {
    /* not counted */
  },
): GoValue {
  // Identity decides which list is nil.
  if (isNilList(value)) return value;
  if (isList(value)) {
    visit(value.length + 1);
    return withElements(
      elementType(value),
      value.map((item) => copyValue(item, visit)),
    );
  }
  return isMap(value) ? copyMap(value, visit) : value;
}

function copyMap(value: GoMap, visit: (size: number) => void): GoMap {
  const result = newMap();
  const keys = Object.keys(value);
  visit(keys.length + 1);
  for (const key of keys) result[key] = copyValue(value[key], visit);
  return withElements(elementType(value), result);
}
