import { isObject, type JsonObject } from '@hawser/json';
import { field, objectField, objectsField, stringField, withAt, withField } from '../../object/json.js';
import { metaOf, withMeta } from '../../object/meta.js';

/** Values that the API server fills in when it reads an object of a built-in kind. */
export type Defaults = (object: JsonObject) => JsonObject;

export const namespaceDefaults: Defaults = (namespace) => {
  const { name = '', labels = {} } = metaOf(namespace);
  const phased = withAt(
    namespace,
    ['status', 'phase'],
    stringField(objectField(namespace, 'status'), 'phase') === ''
      ? 'Active'
      : field(objectField(namespace, 'status'), 'phase'),
  );
  const whole = phased['spec'] === undefined ? withField(phased, 'spec', {}) : phased;
  return name === '' || labels['kubernetes.io/metadata.name'] === name
    ? whole
    : withMeta(whole, { labels: { ...labels, 'kubernetes.io/metadata.name': name } });
};

/** Merges `stringData` into `data`, replacing existing keys. */
export const secretDefaults: Defaults = (secret) => {
  const typed = stringField(secret, 'type') === '' ? withField(secret, 'type', 'Opaque') : secret;
  const plain = objectField(typed, 'stringData');
  if (plain === undefined) return typed;
  const encoded = Object.entries(plain).map(([key, value]): [string, string] => [
    key,
    Buffer.from(typeof value === 'string' ? value : '').toString('base64'),
  ]);
  const data = { ...objectField(typed, 'data'), ...Object.fromEntries(encoded) };
  return withField(
    withField(typed, 'stringData', undefined),
    'data',
    Object.keys(data).length === 0 ? undefined : data,
  );
};

const RBAC_GROUP = 'rbac.authorization.k8s.io';

export const bindingDefaults: Defaults = (binding) => {
  const ref = objectField(binding, 'roleRef') ?? {};
  const complete = withField(
    binding,
    'roleRef',
    stringField(ref, 'apiGroup') === '' ? { ...ref, apiGroup: RBAC_GROUP } : ref,
  );
  if (complete['subjects'] === undefined) return complete;
  return withField(complete, 'subjects', objectsField(complete, 'subjects').map(withSubjectGroup));
};

function withSubjectGroup(subject: JsonObject): JsonObject {
  const kind = subject['kind'];
  if (stringField(subject, 'apiGroup') !== '' || (kind !== 'User' && kind !== 'Group')) return subject;
  return { ...subject, apiGroup: RBAC_GROUP };
}

/** Go writes absent rules as null. */
export const roleDefaults: Defaults = (role) => (role['rules'] === undefined ? { ...role, rules: null } : role);

export const leaseDefaults: Defaults = (lease) => (isObject(lease['spec']) ? lease : { ...lease, spec: {} });
