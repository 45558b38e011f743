import { isObject, type JsonValue } from '@hawser/json';
import { entriesOf, isList } from './entries.js';
import { type FieldSet, FieldSetBuilder, type Step, step } from './field-set.js';
import { type FieldType, type ListType, type MapType, defaultShape, shapeOf, typeOfKey } from './field-type.js';
import { nameOfItem } from './list-items.js';
import { field } from './path-element.js';

/** Every field in a value: leaves, items of lists, undeclared keys of maps, and empty values. */
export function fieldsOfValue(value: JsonValue, type: FieldType): FieldSet {
  const builder = new FieldSetBuilder();
  visit(value, type, [], builder);
  return builder.build();
}

function visit(value: JsonValue, type: FieldType, path: Step[], builder: FieldSetBuilder): void {
  const shape = shapeOf(type, value) ?? defaultShape(type);
  if (shape === 'scalar') builder.insert(path);
  else if (shape === 'list' && type.list !== undefined) visitList(value, type.list, path, builder);
  else if (shape === 'map' && type.map !== undefined) visitMap(value, type.map, path, builder);
}

function visitList(value: JsonValue, list: ListType, path: Step[], builder: FieldSetBuilder): void {
  if (list.relationship === 'atomic') {
    builder.insert(path);
    return;
  }
  if (!isList(value)) return;
  const named = value.flatMap((child) => {
    const name = nameOfItem(list, child);
    return 'element' in name ? [{ child, at: step(name.element) }] : [];
  });
  const counts = new Map<string, number>();
  for (const { at } of named) counts.set(at.key, (counts.get(at.key) ?? 0) + 1);
  for (const { child, at } of named) {
    path.push(at);
    // Of duplicate items only the name is owned.
    if (counts.get(at.key) === 1) visit(child, list.items, path, builder);
    builder.insert(path);
    path.pop();
  }
}

function visitMap(value: JsonValue, map: MapType, path: Step[], builder: FieldSetBuilder): void {
  if (map.atomic) {
    builder.insert(path);
    return;
  }
  if (!isObject(value)) return;
  for (const [key, child] of entriesOf(value)) {
    path.push(step(field(key)));
    visit(child, typeOfKey(map, key) ?? {}, path, builder);
    const isEmpty = child === null || (isObject(child) && entriesOf(child).length === 0);
    if (isEmpty || !map.fields.has(key)) builder.insert(path);
    path.pop();
  }
}
