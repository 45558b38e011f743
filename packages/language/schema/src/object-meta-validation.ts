import { canonical, equal } from '@hawser/json';
import type { FieldError } from './field-error.js';
import { forbidden, invalid, required, tooLong } from './field-errors.js';
import { childPath, indexPath } from './field-path.js';
import { goQuote, isPrintable } from './go-text.js';
import { type NameRule, dns1123LabelErrors, labelKeyErrors, labelValueErrors } from './names.js';
import { type MutableObject, getOwn, isObject } from './own.js';

const MAX_ANNOTATIONS_BYTES = 256 * 1024;

export interface ObjectMetaRules {
  /** Whether the object must have a namespace; otherwise it must not. */
  readonly namespaced: boolean;
  readonly name: NameRule;
  /** For `generateName`: `name` without the last rule, since more text will follow. */
  readonly namePrefix: NameRule;
}

/** Problems of a new object's metadata. `metadata` comes from {@link decodeObjectMeta}. */
export function validateObjectMeta(
  metadata: Readonly<MutableObject>,
  rules: ObjectMetaRules,
  path = 'metadata',
): FieldError[] {
  const name = text(metadata, 'name');
  const generateName = text(metadata, 'generateName');
  return [
    ...(generateName === ''
      ? []
      : rules.namePrefix(generateName).map((detail) => invalid(childPath(path, 'generateName'), generateName, detail))),
    ...(name === ''
      ? [required(childPath(path, 'name'), 'name or generateName is required')]
      : rules.name(name).map((detail) => invalid(childPath(path, 'name'), name, detail))),
    ...namespaceErrors(text(metadata, 'namespace'), rules.namespaced, childPath(path, 'namespace')),
    ...generationErrors(metadata, childPath(path, 'generation')),
    ...labelErrors(strings(metadata, 'labels'), childPath(path, 'labels')),
    ...annotationErrors(strings(metadata, 'annotations'), childPath(path, 'annotations')),
    ...ownerReferenceErrors(objects(metadata, 'ownerReferences'), childPath(path, 'ownerReferences')),
    ...finalizerErrors(list(metadata, 'finalizers'), childPath(path, 'finalizers')),
    ...managedFieldsErrors(objects(metadata, 'managedFields'), childPath(path, 'managedFields')),
  ];
}

function namespaceErrors(namespace: string, namespaced: boolean, path: string): FieldError[] {
  if (!namespaced) return namespace === '' ? [] : [forbidden(path, 'not allowed on this type')];
  return namespace === ''
    ? [required(path)]
    : dns1123LabelErrors(namespace).map((detail) => invalid(path, namespace, detail));
}

function generationErrors(metadata: Readonly<MutableObject>, path: string): FieldError[] {
  const generation = getOwn(metadata, 'generation') ?? 0;
  return (typeof generation === 'number' || typeof generation === 'bigint') && generation < 0
    ? [invalid(path, generation, 'must be greater than or equal to 0')]
    : [];
}

export function labelErrors(labels: ReadonlyMap<string, string>, path: string): FieldError[] {
  return [...labels].flatMap(([key, value]) => [
    ...labelKeyErrors(key).map((detail) => invalid(path, key, detail)),
    ...labelValueErrors(value).map((detail) => invalid(path, value, detail)),
  ]);
}

function annotationErrors(annotations: ReadonlyMap<string, string>, path: string): FieldError[] {
  const keys = [...annotations.keys()].flatMap((key) =>
    labelKeyErrors(key.toLowerCase()).map((detail) => invalid(path, key, detail)),
  );
  const bytes = [...annotations].reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return bytes > MAX_ANNOTATIONS_BYTES ? [...keys, tooLong(path, MAX_ANNOTATIONS_BYTES)] : keys;
}

function ownerReferenceErrors(references: readonly MutableObject[], path: string): FieldError[] {
  let controller: string | undefined;
  return references.flatMap((reference) => {
    const errors = ownErrors(reference, path);
    if (getOwn(reference, 'controller') !== true) return errors;
    const owner = `${text(reference, 'kind')}/${text(reference, 'name')}`;
    if (controller === undefined) controller = owner;
    else
      errors.push({
        ...invalid(
          path,
          [...references],
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${owner}`,
        ),
        shown: canonical(references.map(inGoOrder), { sortKeys: false }),
      });
    return errors;
  });
}

function ownErrors(reference: MutableObject, path: string): FieldError[] {
  const apiVersion = text(reference, 'apiVersion');
  const kind = text(reference, 'kind');
  const parts = apiVersion.split('/');
  // An apiVersion without a version part is invalid; more than one slash makes it unreadable.
  const version = parts.length > 2 || apiVersion === '/' ? '' : (parts.at(-1) ?? '');
  const errors: FieldError[] = [];
  if (version === '') errors.push(invalid(childPath(path, 'apiVersion'), apiVersion, 'version must not be empty'));
  for (const field of ['kind', 'name', 'uid'])
    if (text(reference, field) === '') errors.push(invalid(childPath(path, field), '', 'must not be empty'));
  if (apiVersion === 'v1' && kind === 'Event')
    errors.push({
      ...invalid(path, reference, '/v1, Kind=Event is disallowed from being an owner'),
      shown: canonical(inGoOrder(reference), { sortKeys: false }),
    });
  return errors;
}

/** The struct's fields, in order. */
const inGoOrder = (reference: MutableObject): MutableObject =>
  Object.fromEntries(
    ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'].flatMap((key) =>
      Object.hasOwn(reference, key) ? [[key, reference[key]]] : [],
    ),
  );

function finalizerErrors(finalizers: readonly string[], path: string): FieldError[] {
  const errors = finalizers.flatMap((finalizer) =>
    labelKeyErrors(finalizer).map((detail) => invalid(path, finalizer, detail)),
  );
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  return errors;
}

function managedFieldsErrors(entries: readonly MutableObject[], path: string): FieldError[] {
  return entries.flatMap((entry, index) => {
    const at = indexPath(path, index);
    const operation = text(entry, 'operation');
    const fieldsType = text(entry, 'fieldsType');
    const errors: FieldError[] = [];
    if (operation !== 'Apply' && operation !== 'Update')
      errors.push(invalid(childPath(at, 'operation'), operation, 'must be `Apply` or `Update`'));
    if (fieldsType !== '' && fieldsType !== 'FieldsV1')
      errors.push(invalid(childPath(at, 'fieldsType'), fieldsType, 'must be `FieldsV1`'));
    errors.push(...fieldManagerErrors(text(entry, 'manager'), childPath(at, 'manager')));
    if (Buffer.byteLength(text(entry, 'subresource')) > 256) errors.push(tooLong(childPath(at, 'subresource'), 256));
    return errors;
  });
}

/** Problems of a field manager's name. */
export function fieldManagerErrors(manager: string, path: string): FieldError[] {
  const errors = Buffer.byteLength(manager) > 128 ? [tooLong(path, 128)] : [];
  let position = 0;
  for (const char of manager) {
    if (!isPrintable(char)) {
      const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalid(path, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += Buffer.byteLength(char);
  }
  return errors;
}

function text(object: Readonly<MutableObject>, key: string): string {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : '';
}

function list(object: Readonly<MutableObject>, key: string): string[] {
  const value = getOwn(object, key);
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function objects(object: Readonly<MutableObject>, key: string): MutableObject[] {
  const value = getOwn(object, key);
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function strings(object: Readonly<MutableObject>, key: string): ReadonlyMap<string, string> {
  const value = getOwn(object, key);
  if (!isObject(value)) return new Map();
  return new Map(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** Problems of the metadata of an object that replaces another. Both come from {@link decodeObjectMeta}. */
export function validateObjectMetaUpdate(
  metadata: Readonly<MutableObject>,
  old: Readonly<MutableObject>,
  path = 'metadata',
): FieldError[] {
  const errors: FieldError[] = [];
  const finalizers = list(metadata, 'finalizers');
  const added = finalizers.filter((finalizer) => !list(old, 'finalizers').includes(finalizer));
  if (getOwn(old, 'deletionTimestamp') !== undefined && added.length > 0) {
    const shown = [...new Set(added)].sort().map(goQuote).join(', ');
    errors.push(
      forbidden(
        childPath(path, 'finalizers'),
        `no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown}}`,
      ),
    );
  }
  if (text(metadata, 'resourceVersion') === '')
    errors.push(invalid(childPath(path, 'resourceVersion'), '', 'must be specified for an update'));
  const generation = getOwn(metadata, 'generation') ?? 0;
  const before = getOwn(old, 'generation') ?? 0;
  if (isNumber(generation) && isNumber(before) && generation < before)
    errors.push(invalid(childPath(path, 'generation'), generation, 'must not be decremented'));
  for (const [field, absent] of IMMUTABLE_FIELDS) {
    const value = getOwn(metadata, field) ?? absent;
    if (!equal(value, getOwn(old, field) ?? absent))
      errors.push(invalid(childPath(path, field), value, 'field is immutable'));
  }
  return [
    ...errors,
    ...labelErrors(strings(metadata, 'labels'), childPath(path, 'labels')),
    ...annotationErrors(strings(metadata, 'annotations'), childPath(path, 'annotations')),
    ...ownerReferenceErrors(objects(metadata, 'ownerReferences'), childPath(path, 'ownerReferences')),
    ...managedFieldsErrors(objects(metadata, 'managedFields'), childPath(path, 'managedFields')),
  ];
}

/** With the values that represent absence. */
const IMMUTABLE_FIELDS: readonly (readonly [field: string, absent: string | null])[] = [
  ['name', ''],
  ['namespace', ''],
  ['uid', ''],
  ['creationTimestamp', null],
  ['deletionTimestamp', null],
  ['deletionGracePeriodSeconds', null],
];

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';
