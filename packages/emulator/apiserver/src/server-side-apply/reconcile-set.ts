import { FieldSet } from './field-set.js';
import { type FieldType, defaultShape, isUntypedMap } from './field-type.js';
import type { Path, PathElement } from './path-element.js';

const reconciled = new WeakMap<FieldSet, FieldType>();

/**
 * A set from an older schema, under the current one: if a field has become atomic, the owner of a part owns the whole.
 */
export function reconcileSet(set: FieldSet, type: FieldType): FieldSet {
  if (reconciled.get(set) === type) return set;
  const atomic: Path[] = [];
  collect(set, type, [], false, atomic);
  const roots = FieldSet.of(...atomic);
  const result = atomic.length === 0 ? set : set.recursiveDifference(roots).union(roots);
  reconciled.set(result, type);
  return result;
}

function collect(set: FieldSet | undefined, type: FieldType, path: Path, isWhole: boolean, atomic: Path[]): void {
  switch (defaultShape(type)) {
    case 'map':
      if (type.map === undefined || isUntypedMap(type.map)) return;
      if (!isWhole && type.map.atomic) {
        if (set !== undefined) atomic.push(path);
        return;
      }
      break;
    case 'list':
      if (!isWhole && type.list?.relationship === 'atomic') {
        atomic.push(path);
        return;
      }
      break;
    case 'scalar':
    case undefined:
      return;
  }
  for (const { element, member, children } of set?.elements() ?? []) {
    const below = typeBelow(type, element);
    if (below !== undefined) collect(children, below, [...path, element], member && children === undefined, atomic);
  }
}

function typeBelow(type: FieldType, element: PathElement): FieldType | undefined {
  if (type.map === undefined) return type.list?.items;
  return (element.kind === 'field' ? type.map.fields.get(element.name)?.type : undefined) ?? type.map.others;
}
