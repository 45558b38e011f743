import type { FieldSet } from './field-set.js';
import type { FieldType } from './field-type.js';
import type { PathElement } from './path-element.js';

/**
 * Adds declared fields on the way to members: with `.a.b.c` also `.a`, if `a` is a declared field, but not `.a.b` if
 * `b` is a key of a map.
 */
export function withNamedFields(set: FieldSet, type: FieldType): FieldSet {
  return set.map(({ element, member, children }) => ({
    member: member || (element.kind === 'field' && type.map?.fields.has(element.name) === true),
    children: children === undefined ? undefined : withNamedFields(children, typeBelow(type, element)),
  }));
}

function typeBelow(type: FieldType, element: PathElement): FieldType {
  if (element.kind === 'field') return type.map?.fields.get(element.name)?.type ?? type.map?.others ?? {};
  return (element.kind === 'key' ? type.list?.items : undefined) ?? {};
}
