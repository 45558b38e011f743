import { type JsonObject, type JsonValue, canonical, equal } from '@hawser/json';
import type { FieldError } from '@hawser/schema';
import { child, forbiddenField, invalid, item, required, tooLongField } from './invalid.js';
import { byteLength } from './json.js';
import { type ObjectMeta, type OwnerReference, parseApiVersion } from './meta.js';
import { type NameRule, labelValue, nameIsLabel, pathSegment, qualifiedName } from './names.js';

const ANNOTATIONS_LIMIT = 256 * 1024;
const FIELD_MANAGER_LIMIT = 128;
const PATH = 'metadata';

/** Problems of any object's metadata (apimachinery `ValidateObjectMetaAccessor`). */
export function validateMeta(
  meta: ObjectMeta,
  namespaced: boolean,
  nameRule: NameRule = pathSegment,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const generateName = meta.generateName ?? '';
  const name = meta.name ?? '';
  if (generateName !== '')
    errors.push(
      ...nameRule(generateName, true).map((message) => invalid(child(PATH, 'generateName'), generateName, message)),
    );
  if (name === '') errors.push(required(child(PATH, 'name'), 'name or generateName is required'));
  else errors.push(...nameRule(name, false).map((message) => invalid(child(PATH, 'name'), name, message)));
  errors.push(...validateNamespace(meta.namespace ?? '', namespaced));
  if ((meta.generation ?? 0) < 0)
    errors.push(invalid(child(PATH, 'generation'), meta.generation ?? 0, 'must be greater than or equal to 0'));
  return [
    ...errors,
    ...validateLabels(meta.labels ?? {}, child(PATH, 'labels')),
    ...validateAnnotations(meta.annotations ?? {}, child(PATH, 'annotations')),
    ...validateOwnerReferences(meta.ownerReferences ?? [], child(PATH, 'ownerReferences')),
    ...validateFinalizers(meta.finalizers ?? [], child(PATH, 'finalizers')),
    ...validateManagedFields(meta.managedFields ?? [], child(PATH, 'managedFields')),
  ];
}

/** Checks immutable metadata, and most of the general rules again (apimachinery `ValidateObjectMetaAccessorUpdate`). */
export function validateMetaUpdate(meta: ObjectMeta, old: ObjectMeta): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    const extra = [...new Set(meta.finalizers ?? [])]
      .filter((finalizer) => !(old.finalizers ?? []).includes(finalizer))
      .sort();
    if (extra.length > 0) {
      const list = `[]string{${extra.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`;
      errors.push(
        forbiddenField(
          child(PATH, 'finalizers'),
          `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`,
        ),
      );
    }
  }
  if ((meta.resourceVersion ?? '') === '')
    errors.push(invalid(child(PATH, 'resourceVersion'), '', 'must be specified for an update'));
  if ((meta.generation ?? 0) < (old.generation ?? 0))
    errors.push(invalid(child(PATH, 'generation'), meta.generation ?? 0, 'must not be decremented'));
  const unchangeable = [
    'name',
    'namespace',
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ] as const;
  for (const key of unchangeable)
    if (!equal(meta[key], old[key]))
      errors.push(invalid(child(PATH, key), shown(key, meta[key]), 'field is immutable'));
  return [
    ...errors,
    ...validateLabels(meta.labels ?? {}, child(PATH, 'labels')),
    ...validateAnnotations(meta.annotations ?? {}, child(PATH, 'annotations')),
    ...validateOwnerReferences(meta.ownerReferences ?? [], child(PATH, 'ownerReferences')),
    ...validateManagedFields(meta.managedFields ?? [], child(PATH, 'managedFields')),
  ];
}

/** How Go prints an absent value. */
function shown(key: string, value: string | number | undefined): JsonValue {
  return value ?? (key === 'name' || key === 'namespace' || key === 'uid' ? '' : null);
}

function validateNamespace(namespace: string, namespaced: boolean): readonly FieldError[] {
  const path = child(PATH, 'namespace');
  if (!namespaced) return namespace === '' ? [] : [forbiddenField(path, 'not allowed on this type')];
  if (namespace === '') return [required(path, '')];
  return nameIsLabel(namespace).map((message) => invalid(path, namespace, message));
}

export function validateLabels(labels: Readonly<Record<string, string>>, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels)) {
    for (const message of qualifiedName(key)) errors.push(invalid(path, key, message));
    for (const message of labelValue(value)) errors.push(invalid(path, value, message));
  }
  return errors;
}

function validateAnnotations(annotations: Readonly<Record<string, string>>, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    size += byteLength(key) + byteLength(value);
    for (const message of qualifiedName(key.toLowerCase())) errors.push(invalid(path, key, message));
  }
  if (size > ANNOTATIONS_LIMIT) errors.push(tooLongField(path, ANNOTATIONS_LIMIT));
  return errors;
}

function validateOwnerReferences(references: readonly OwnerReference[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  let controller = '';
  references.forEach((reference) => {
    errors.push(...validateOwnerReference(reference, path));
    if (reference.controller !== true) return;
    const name = `${reference.kind ?? ''}/${reference.name ?? ''}`;
    if (controller === '') {
      controller = name;
    } else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      errors.push({
        ...invalid(path, references, detail),
        shown: canonical(references.map(asGo), { sortKeys: false }),
      });
    }
  });
  return errors;
}

/** In the order of Go's struct. */
const asGo = ({
  apiVersion = '',
  kind = '',
  name = '',
  uid = '',
  controller,
  blockOwnerDeletion,
}: OwnerReference): JsonObject => ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion });

function validateOwnerReference(reference: OwnerReference, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { group, version: last } = parseApiVersion(reference.apiVersion ?? '');
  // With more than one slash it is not a version.
  const version = last.includes('/') ? '' : last;
  if (version === '')
    errors.push(invalid(child(path, 'apiVersion'), reference.apiVersion ?? '', 'version must not be empty'));
  for (const key of ['kind', 'name', 'uid'] as const)
    if ((reference[key] ?? '') === '') errors.push(invalid(child(path, key), '', 'must not be empty'));
  if (group === '' && version === 'v1' && reference.kind === 'Event') {
    errors.push({
      ...invalid(path, reference, '/v1, Kind=Event is disallowed from being an owner'),
      shown: canonical(asGo(reference), { sortKeys: false }),
    });
  }
  return errors;
}

function validateFinalizers(finalizers: readonly string[], path: string): readonly FieldError[] {
  const errors = finalizers.flatMap((finalizer) =>
    qualifiedName(finalizer).map((message) => invalid(path, finalizer, message)),
  );
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  return errors;
}

function validateManagedFields(entries: NonNullable<ObjectMeta['managedFields']>, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, { operation, fieldsType, manager, subresource }] of entries.entries()) {
    const at = item(path, index);
    if (operation !== 'Apply' && operation !== 'Update')
      errors.push(invalid(child(at, 'operation'), operation ?? '', 'must be `Apply` or `Update`'));
    if (fieldsType !== undefined && fieldsType !== '' && fieldsType !== 'FieldsV1')
      errors.push(invalid(child(at, 'fieldsType'), fieldsType, 'must be `FieldsV1`'));
    if (typeof manager === 'string') errors.push(...validateFieldManager(manager, child(at, 'manager')));
    if (typeof subresource === 'string' && byteLength(subresource) > 256)
      errors.push(tooLongField(child(at, 'subresource'), 256));
  }
  return errors;
}

/** Quick test for certainly valid names. */
const PLAIN_MANAGER = new RegExp(`^[ -~]{0,${FIELD_MANAGER_LIMIT}}$`, 'u');

export function validateFieldManager(manager: string, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (PLAIN_MANAGER.test(manager)) return errors;
  if (byteLength(manager) > FIELD_MANAGER_LIMIT) errors.push(tooLongField(path, FIELD_MANAGER_LIMIT));
  let position = 0;
  for (const char of manager) {
    if (!isPrint(char)) {
      const code = char.codePointAt(0) ?? 0;
      errors.push(
        invalid(
          path,
          manager,
          `invalid character U+${code.toString(16).toUpperCase().padStart(4, '0')} (at position ${position})`,
        ),
      );
    }
    position += byteLength(char);
  }
  return errors;
}

/** Go's `unicode.IsPrint`: letters, marks, numbers, punctuation, symbols, and the space of ASCII. */
export const isPrint = (char: string): boolean => char === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char);
