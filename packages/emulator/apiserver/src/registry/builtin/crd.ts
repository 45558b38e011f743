import { type JsonObject, type JsonValue, equal } from '@hawser/json';
import {
  booleanField,
  field,
  objectField,
  objectsField,
  stringField,
  stringsField,
  withAt,
  withField,
} from '../../object/json.js';
import { isDeleting, metaOf, withMeta } from '../../object/meta.js';
import { validateMetaUpdate } from '../../object/validate-meta.js';
import { conditionsOf } from '../custom/definition.js';
import type { BeginDeletion, Strategy } from '../resource-type.js';
import { definitionErrors, definitionStatusErrors, definitionUpdateErrors, unknownFormats } from './crd-validation.js';

export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

const specOf = (crd: JsonObject): JsonObject => objectField(crd, 'spec') ?? {};
const storageVersion = (crd: JsonObject): string =>
  stringField(
    objectsField(specOf(crd), 'versions').find((version) => booleanField(version, 'storage')),
    'name',
  );

/** Go's form of an empty status. */
const emptyStatus: JsonObject = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };

export function definitionDefaults(crd: JsonObject): JsonObject {
  const names = objectField(specOf(crd), 'names') ?? {};
  const kind = stringField(names, 'kind');
  let result = crd;
  if (stringField(names, 'singular') === '' && kind !== '')
    result = withAt(result, ['spec', 'names', 'singular'], kind.toLowerCase());
  if (stringField(names, 'listKind') === '' && kind !== '')
    result = withAt(result, ['spec', 'names', 'listKind'], `${kind}List`);
  if (specOf(result)['conversion'] === undefined) result = withAt(result, ['spec', 'conversion'], { strategy: 'None' });
  const status = { ...emptyStatus, ...objectField(crd, 'status') };
  const storage = storageVersion(crd);
  const stored =
    stringsField(status, 'storedVersions').length === 0 && storage !== ''
      ? [storage]
      : (status['storedVersions'] ?? null);
  return withField(result, 'status', { ...status, storedVersions: stored });
}

function withStoredVersion(crd: JsonObject): JsonObject {
  const storage = storageVersion(crd);
  const stored = stringsField(objectField(crd, 'status'), 'storedVersions');
  return storage === '' || stored.includes(storage)
    ? crd
    : withAt(crd, ['status', 'storedVersions'], [...stored, storage]);
}

export const definitionStrategy: Strategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  prepareForCreate: (crd) => withStoredVersion(withMeta(withField(crd, 'status', emptyStatus), { generation: 1 })),
  prepareForUpdate(crd, old) {
    const kept = withField(crd, 'status', field(old, 'status'));
    const bumped = equal(kept['spec'], old['spec'])
      ? kept
      : withMeta(kept, { generation: (metaOf(old).generation ?? 0) + 1 });
    return withStoredVersion(bumped);
  },
  validate: definitionErrors,
  validateUpdate: definitionUpdateErrors,
  warnings(crd, old) {
    const before = old === undefined ? [] : unknownFormats(old);
    return unknownFormats(crd)
      .filter((format) => !before.includes(format))
      .map((format) => `unrecognized format ${JSON.stringify(format)}`);
  },
};

export const definitionStatusStrategy: Strategy = {
  ...definitionStrategy,
  prepareForUpdate: (crd, old) => withField(crd, 'spec', field(old, 'spec')),
  validateUpdate: (crd, old) => [...validateMetaUpdate(metaOf(crd), metaOf(old)), ...definitionStatusErrors(crd)],
  warnings: () => [],
};

/** The first deletion marks the CRD; it goes after its objects. */
export const beginDefinitionDeletion: BeginDeletion = (crd, { now }) => {
  if (isDeleting(crd)) return { kind: 'generic' };
  const finalizers = metaOf(crd).finalizers ?? [];
  const marked = withMeta(crd, {
    deletionTimestamp: now,
    finalizers: finalizers.includes(CLEANUP_FINALIZER) ? finalizers : [...finalizers, CLEANUP_FINALIZER],
  });
  return {
    kind: 'store',
    object: withCondition(
      marked,
      {
        type: 'Terminating',
        status: 'True',
        reason: 'InstanceDeletionPending',
        message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      },
      now,
    ),
  };
};

export const definitionMayBeRemoved = (): boolean => true;

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** With the condition set; its time changes only with its status. */
export function withCondition(crd: JsonObject, condition: Condition, now: string): JsonObject {
  const conditions = conditionsOf(crd);
  const existing = conditions.find((each) => each['type'] === condition.type);
  const lastTransitionTime: JsonValue =
    existing !== undefined && existing['status'] === condition.status ? (existing['lastTransitionTime'] ?? now) : now;
  const next: JsonObject = {
    type: condition.type,
    status: condition.status,
    lastTransitionTime,
    reason: condition.reason,
    message: condition.message,
  };
  const all =
    existing === undefined
      ? [...conditions, next]
      : conditions.map((each) => (each === existing ? { ...existing, ...next } : each));
  return withAt(crd, ['status', 'conditions'], all);
}
