import { type KubeObject } from './object.js';
import { canBeSegment } from './path.js';

export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An item of a list, or the object of an event, that breaks the Kubernetes API conventions. */
export interface UnusableObject {
  /** Only the identifying fields; undefined if it has no usable name. */
  readonly object: KubeObject | undefined;
  /** Describes the defect. Quotes names of fields, never values. */
  readonly problem: string;
}

/**
 * Validates `metadata`; returns the defect, or undefined if every field of {@link ObjectMeta} has its type. As in Go,
 * null means absent and is removed here. Other fields are not checked.
 */
export function metadataProblem(metadata: Fields): string | undefined {
  for (const field in metadata) {
    const value = metadata[field];
    if (value === null) Reflect.deleteProperty(metadata, field);
    else if (!isUsable(field, value)) return `metadata.${field} is malformed`;
  }
  return undefined;
}

function isUsable(field: string, value: unknown): boolean {
  switch (field) {
    case 'name':
    case 'namespace':
      return value === '' || canBeSegment(value);
    case 'generateName':
    case 'uid':
    case 'resourceVersion':
    case 'creationTimestamp':
    case 'deletionTimestamp':
      return typeof value === 'string';
    case 'generation':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'labels':
    case 'annotations':
      return hasOnlyTexts(value);
    case 'finalizers':
      return Array.isArray(value) && value.every(isText);
    case 'ownerReferences':
      return Array.isArray(value) && value.every(isOwnerReference);
    case 'managedFields':
      return Array.isArray(value) && value.every(isManagedFields);
    default:
      return true;
  }
}

/** Reduces an item to its identifying fields: a cache and a log need no more. */
export function unusable(value: unknown, problem: string, apiVersion: string, kind: string): UnusableObject {
  const metadata = isFields(value) && isFields(value['metadata']) ? value['metadata'] : {};
  const { name, namespace, annotations } = metadata;
  if (!canBeSegment(name) || !(namespace === undefined || namespace === '' || canBeSegment(namespace)))
    return { object: undefined, problem };
  return {
    object: {
      apiVersion,
      kind,
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(hasOnlyTexts(annotations) ? { annotations } : {}),
      },
    },
    problem,
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

function hasOnlyTexts(value: unknown): value is Readonly<Record<string, string>> {
  if (!isFields(value)) return false;
  for (const key in value) if (typeof value[key] !== 'string') return false;
  return true;
}

function isOwnerReference(value: unknown): boolean {
  return (
    isFields(value) &&
    isText(value['apiVersion']) &&
    isText(value['kind']) &&
    isText(value['name']) &&
    isText(value['uid']) &&
    isFlag(value['controller']) &&
    isFlag(value['blockOwnerDeletion'])
  );
}

const isFlag = (value: unknown): boolean => value === undefined || value === null || typeof value === 'boolean';

function isManagedFields(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { manager, operation, apiVersion, time, subresource, fieldsType, fieldsV1 } = value;
  return (
    [manager, operation, apiVersion, time, subresource, fieldsType].every(
      (field) => field === undefined || field === null || typeof field === 'string',
    ) &&
    (fieldsV1 === undefined || fieldsV1 === null || isFields(fieldsV1))
  );
}
