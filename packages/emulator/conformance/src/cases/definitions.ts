import { isObject, type JsonObject, type JsonValue } from '@hawser/json';
import { cases, table } from '../case.js';
import { type VersionOptions, definition, integer, list, object, string } from '../definition.js';
import { dig, textOf } from '../answer.js';
import type { Api } from '../api.js';
import { isEstablished } from '../served.js';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Different controllers add them, in any order. */
const withSortedConditions = (body: JsonValue): JsonValue => {
  const conditions = dig(body, ['status', 'conditions']);
  const status = dig(body, ['status']);
  if (!isObject(body) || !isObject(status) || !Array.isArray(conditions)) return body;
  return {
    ...body,
    status: {
      ...status,
      conditions: [...(conditions as readonly JsonValue[])].sort((one, other) =>
        textOf(dig(one, ['type'])) < textOf(dig(other, ['type'])) ? -1 : 1,
      ),
    },
  };
};

const thing = (api: Api, name: string, fields: JsonObject = {}, version = 'v1'): JsonObject => ({
  apiVersion: `${api.group}/${version}`,
  kind: 'Thing',
  metadata: { name },
  ...fields,
});

const badSchemas = {
  'a property without a type': object({ spec: object({ a: {} }) }),
  'a list without items': object({ spec: object({ a: { type: 'array' } }) }),
  'items that are a list': object({ spec: object({ a: { type: 'array', items: [string] } }) }),
  'an unknown type': object({ spec: object({ a: { type: 'text' } }) }),
  'a root that is no object': { type: 'string' },
  'no type at the root': { properties: { spec: object({}) } },
  'a default that does not fit': object({ spec: object({ a: { type: 'integer', default: 'x' } }) }),
  'a default beyond the maximum': object({ spec: object({ a: { type: 'integer', maximum: 5, default: 6 } }) }),
  'a default with an unknown field': object({ spec: object({ a: object({ b: string }, { default: { c: 1 } }) }) }),
  'a default of null': object({ spec: object({ a: { type: 'string', default: null } }) }),
  'a bad pattern': object({ spec: object({ a: { type: 'string', pattern: '(' } }) }),
  'properties beside additionalProperties': object({ spec: object({ a: string }, { additionalProperties: string }) }),
  'additionalProperties false': object({ spec: object({ a: string }, { additionalProperties: false }) }),
  uniqueItems: object({ spec: object({ a: list(string, { uniqueItems: true }) }) }),
  'a set of objects that are not atomic': object({
    spec: object({ a: list(object({ b: string }), { 'x-kubernetes-list-type': 'set' }) }),
  }),
  'a map list without keys': object({
    spec: object({ a: list(object({ b: string }), { 'x-kubernetes-list-type': 'map' }) }),
  }),
  'a map list with a key that is no property': object({
    spec: object({
      a: list(object({ b: string }, { required: ['b'] }), {
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['c'],
      }),
    }),
  }),
  'a map list whose key is neither required nor has a default': object({
    spec: object({
      a: list(object({ b: string }), { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['b'] }),
    }),
  }),
  'list keys on what is no map list': object({
    spec: object({ a: list(object({ b: string }), { 'x-kubernetes-list-map-keys': ['b'] }) }),
  }),
  'an unknown list type': object({ spec: object({ a: list(string, { 'x-kubernetes-list-type': 'bag' }) }) }),
  'a list type on an object': object({ spec: object({ a: object({}, { 'x-kubernetes-list-type': 'set' }) }) }),
  'an unknown map type': object({ spec: object({ a: object({}, { 'x-kubernetes-map-type': 'loose' }) }) }),
  'int-or-string with a type': object({ spec: object({ a: { type: 'string', 'x-kubernetes-int-or-string': true } }) }),
  'an embedded resource that is no object': object({
    spec: object({ a: { type: 'string', 'x-kubernetes-embedded-resource': true } }),
  }),
  'preserve-unknown-fields false': object({
    spec: object({ a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false } }),
  }),
  'metadata with rules of its own': object({
    metadata: object({ labels: { type: 'object', additionalProperties: string } }),
  }),
  'metadata whose name has a pattern': object({ metadata: object({ name: { type: 'string', pattern: '^a' } }) }),
  'a type inside anyOf': object({ spec: object({ a: { type: 'string', anyOf: [{ type: 'string' }] } }) }),
  'a default inside not': object({ spec: object({ a: { type: 'string', not: { default: 'x' } } }) }),
  'a property inside anyOf that is not declared': object({
    spec: object({ a: string }, { anyOf: [{ properties: { b: { minLength: 1 } } }] }),
  }),
  'a $ref': object({ spec: { $ref: '#/definitions/a' } }),
  'an id and definitions': object({ spec: object({}) }, { id: 'x', definitions: { a: string } }),
  'nullable at the root': object({ spec: object({}) }, { nullable: true }),
  'a default at the root': object({ spec: object({}) }, { default: {} }),
  'no schema at all': undefined,
} as const;

const badNames: Readonly<Record<string, (group: string) => JsonObject>> = {
  'a name that is not plural.group': (group) => ({ ...definition({ group }), metadata: { name: 'other' } }),
  'a plural in upper case': (group) => ({
    ...definition({ group, plural: 'Things' }),
    metadata: { name: `things.${group}` },
  }),
  'a kind in lower case': (group) => definition({ group, kind: 'thing' }),
  'a kind with a dash': (group) => definition({ group, kind: 'Thing-a' }),
  'a list kind that is the kind': (group) => definition({ group, names: { listKind: 'Thing' } }),
  'a short name with a dot': (group) => definition({ group, names: { shortNames: ['a.b'] } }),
  'a category with a space': (group) => definition({ group, names: { categories: ['a b'] } }),
  'an unknown scope': (group) => definition({ group, more: { scope: 'Everywhere' } }),
  'no scope': (group) => definition({ group, more: { scope: '' } }),
  'no kind': (group) => definition({ group, names: { kind: '' } }),
  'no versions': (group) => definition({ group, versions: [], more: {} }),
  'two versions that store': (group) =>
    definition({
      group,
      versions: [
        { name: 'v1', storage: true },
        { name: 'v2', storage: true },
      ],
    }),
  'no version that stores': (group) => definition({ group, versions: [{ name: 'v1', storage: false }] }),
  'two versions with one name': (group) => definition({ group, versions: [{ name: 'v1' }, { name: 'v1' }] }),
  'a version name with a dot': (group) => definition({ group, versions: [{ name: 'v1.2' }] }),
  'an empty group': () => ({ ...definition({ group: '' }), metadata: { name: 'things.' } }),
  'a group with an underscore': () => definition({ group: 'a_b.example.com' }),
  'webhook conversion without a webhook': (group) =>
    definition({ group, more: { conversion: { strategy: 'Webhook' } } }),
  'an unknown conversion': (group) => definition({ group, more: { conversion: { strategy: 'Magic' } } }),
  preserveUnknownFields: (group) => definition({ group, more: { preserveUnknownFields: true } }),
  'a protected group without approval': () => definition({ group: 'unapproved.k8s.io' }),
};

const badVersions: Readonly<Record<string, VersionOptions>> = {
  'a scale path that is missing': { more: { subresources: { scale: { specReplicasPath: '.spec.replicas' } } } },
  'a scale path outside of spec': {
    more: { subresources: { scale: { specReplicasPath: '.other.replicas', statusReplicasPath: '.status.replicas' } } },
  },
  'a status path outside of status': {
    more: { subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.spec.replicas' } } },
  },
  'a printer column without a path': { more: { additionalPrinterColumns: [{ name: 'A', type: 'string' }] } },
  'a printer column of an unknown type': {
    more: { additionalPrinterColumns: [{ name: 'A', type: 'text', jsonPath: '.a' }] },
  },
  'a printer column with a bad path': {
    more: { additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: 'a[' }] },
  },
  'a printer column without a name': {
    more: { additionalPrinterColumns: [{ name: '', type: 'string', jsonPath: '.a' }] },
  },
  'a selectable field that is no scalar': {
    spec: object({ a: object({}) }),
    more: { selectableFields: [{ jsonPath: '.spec.a' }] },
  },
  'a selectable field that is not in the schema': {
    spec: object({ a: string }),
    more: { selectableFields: [{ jsonPath: '.spec.b' }] },
  },
  'a selectable field twice': {
    spec: object({ a: string }),
    more: { selectableFields: [{ jsonPath: '.spec.a' }, { jsonPath: '.spec.a' }] },
  },
  'a selectable field of metadata': {
    spec: object({ a: string }),
    more: { selectableFields: [{ jsonPath: '.metadata.name' }] },
  },
  'a deprecation warning without deprecation': { more: { deprecationWarning: 'old' } },
};

export const definitionCases = cases('customresourcedefinitions', {
  async 'a created one is established'(api) {
    await api.create(crds, definition({ group: api.group }));
    await api.until(`${crds}/things.${api.group}`, isEstablished);
  },
  async 'names that are left out'(api) {
    await api.create(crds, definition({ group: api.group, names: { singular: '', listKind: '' } }));
    await api.until(`${crds}/things.${api.group}`, isEstablished);
  },
  async 'names that are taken'(api) {
    await api.define(definition({ group: api.group }));
    await api.create(crds, definition({ group: api.group, plural: 'others', kind: 'Thing' }));
    await api.until(`${crds}/others.${api.group}`, (answer) =>
      JSON.stringify(answer.at('status', 'conditions') ?? []).includes('NamesAccepted'),
    );
    await api.get(`/apis/${api.group}/v1/others`);
  },
  async 'a short name that is taken'(api) {
    await api.define(definition({ group: api.group, names: { shortNames: ['th'] } }));
    await api.create(
      crds,
      definition({ group: api.group, plural: 'others', kind: 'Other', names: { shortNames: ['th'] } }),
    );
    await api.until(`${crds}/others.${api.group}`, (answer) =>
      JSON.stringify(answer.at('status', 'conditions') ?? []).includes('NamesAccepted'),
    );
  },
  async 'creating it again is 409'(api) {
    await api.define(definition({ group: api.group }));
    await api.create(crds, definition({ group: api.group }));
  },
  async 'the schema can change, generation rises'(api) {
    await api.define(definition({ group: api.group }));
    const { object: stored } = await api.get(`${crds}/things.${api.group}`);
    await api.replace(`${crds}/things.${api.group}`, {
      ...definition({ group: api.group, versions: [{ spec: object({ a: string }) }] }),
      metadata: stored['metadata'] ?? null,
    });
    await api.eventually(
      (calls) =>
        calls.create(api.custom('v1', 'things'), thing(api, 'probe', { spec: { a: 5 } }), { query: { dryRun: 'All' } }),
      ({ status }) => status === 422,
    );
    await api.create(api.custom('v1', 'things'), thing(api, 'one', { spec: { a: 'x', b: 'y' } }));
  },
  async 'an update needs a resourceVersion'(api) {
    await api.define(definition({ group: api.group }));
    await api.replace(`${crds}/things.${api.group}`, definition({ group: api.group }));
  },
  async 'scope, group and names that cannot change'(api) {
    await api.define(definition({ group: api.group }));
    await api.patch('merge', `${crds}/things.${api.group}`, { spec: { scope: 'Cluster' } });
    await api.patch('merge', `${crds}/things.${api.group}`, { spec: { group: 'other.example.com' } });
    await api.patch('merge', `${crds}/things.${api.group}`, { spec: { names: { plural: 'others' } } });
    await api.patch('merge', `${crds}/things.${api.group}`, { spec: { names: { kind: 'Other' } } });
    await api.patch('merge', `${crds}/things.${api.group}`, { spec: { names: { shortNames: ['tt'] } } });
  },
  async 'a stored version cannot be removed'(api) {
    await api.define(definition({ group: api.group }));
    await api.patch('json', `${crds}/things.${api.group}`, [
      { op: 'replace', path: '/spec/versions/0/name', value: 'v2' },
    ]);
  },
  async 'the storage version moves, storedVersions grows'(api) {
    await api.define(definition({ group: api.group, versions: [{ name: 'v1' }, { name: 'v2' }] }));
    await api.patch('json', `${crds}/things.${api.group}`, [
      { op: 'replace', path: '/spec/versions/0/storage', value: false },
      { op: 'replace', path: '/spec/versions/1/storage', value: true },
    ]);
    await api.patch('merge', `${crds}/things.${api.group}/status`, { status: { storedVersions: ['v2'] } });
    await api.patch('merge', `${crds}/things.${api.group}/status`, { status: { storedVersions: [] } });
  },
  async 'what the status subresource takes'(api) {
    await api.define(definition({ group: api.group }));
    await api.get(`${crds}/things.${api.group}/status`);
    await api.patch('merge', `${crds}/things.${api.group}/status`, {
      metadata: { labels: { a: 'b' } },
      spec: { scope: 'Cluster' },
      status: {
        conditions: [
          { type: 'Tested', status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2020-01-01T00:00:00Z' },
        ],
      },
    });
  },
  async 'a version that is no longer served'(api) {
    await api.define(definition({ group: api.group, versions: [{ name: 'v1' }, { name: 'v2' }] }));
    await api.patch(
      'json',
      `${crds}/things.${api.group}`,
      [{ op: 'replace', path: '/spec/versions/1/served', value: false }],
      { select: () => 'done' },
    );
    await api.eventually(
      (calls) => calls.get(`/apis/${api.group}/v2/things`),
      ({ status }) => status === 404,
    );
    await api.get(`/apis/${api.group}/v2/things`);
    await api.get(`/apis/${api.group}/v1/things`);
  },
  async 'objects are read in every served version'(api) {
    await api.define(
      definition({
        group: api.group,
        versions: [
          { name: 'v1', spec: object({ a: string, b: { type: 'string', default: 'one' } }) },
          { name: 'v2', spec: object({ a: string, c: { type: 'string', default: 'two' } }) },
        ],
      }),
    );
    await api.create(api.custom('v2', 'things'), thing(api, 'one', { spec: { a: 'x', b: 'lost' } }, 'v2'));
    await api.get(api.custom('v1', 'things', 'one'));
    await api.get(api.custom('v2', 'things', 'one'));
    await api.get(api.custom('v2', 'things'));
    await api.create(api.custom('v2', 'things'), thing(api, 'two', { spec: {} }, 'v1'));
  },
  async 'deleting it deletes its objects'(api) {
    await api.define(definition({ group: api.group }));
    await api.quietly.create(api.custom('v1', 'things'), thing(api, 'one'));
    await api.delete(`${crds}/things.${api.group}`);
    await api.eventually(
      (calls) => calls.get(`${crds}/things.${api.group}`),
      ({ status }) => status === 404,
    );
    await api.eventually(
      (calls) => calls.get(api.custom('v1', 'things', 'one')),
      ({ status }) => status === 404,
    );
    await api.get(`/apis/${api.group}/v1/namespaces/${api.namespace}/things/one`);
    await api.get(`${crds}/things.${api.group}`);
  },
  async 'an object with a finalizer holds the definition'(api) {
    await api.define(definition({ group: api.group }));
    await api.quietly.create(api.custom('v1', 'things'), {
      ...thing(api, 'one'),
      metadata: { name: 'one', finalizers: ['example.com/hold'] },
    });
    await api.delete(`${crds}/things.${api.group}`);
    await api.until(
      api.custom('v1', 'things', 'one'),
      (answer) => answer.at('metadata', 'deletionTimestamp') !== undefined,
    );
    await api.create(api.custom('v1', 'things'), thing(api, 'two'));
    await api.patch('merge', api.custom('v1', 'things', 'one'), { metadata: { finalizers: null } });
    await api.eventually(
      (calls) => calls.get(`${crds}/things.${api.group}`),
      ({ status }) => status === 404,
    );
  },
  async 'a dry run defines nothing'(api) {
    await api.create(crds, definition({ group: api.group }), { query: { dryRun: 'All' } });
    await api.get(`${crds}/things.${api.group}`);
  },
  async 'a group with approval'(api) {
    const made = definition({ group: `${api.id}.k8s.io` });
    await api.create(crds, {
      ...made,
      metadata: {
        name: `things.${api.id}.k8s.io`,
        annotations: { 'api-approved.kubernetes.io': 'unapproved, testing' },
      },
    });
    await api.until(
      `${crds}/things.${api.id}.k8s.io`,
      (answer) => isEstablished(answer) && JSON.stringify(answer.at('status')).includes('Conformant'),
      { select: withSortedConditions },
    );
  },
  ...table(badSchemas, async (api, schema) => {
    const made = definition({ group: api.group, versions: [schema === undefined ? {} : { schema }] });
    if (schema === undefined)
      await api.create(
        crds,
        JSON.parse(JSON.stringify(made, (key, value: unknown) => (key === 'schema' ? undefined : value))) as object,
      );
    else await api.create(crds, made);
  }),
  ...table(badNames, async (api, make) => {
    await api.create(crds, make(api.group));
  }),
  ...table(badVersions, async (api, version) => {
    await api.create(
      crds,
      definition({ group: api.group, versions: [{ spec: object({ replicas: integer }), ...version }] }),
    );
  }),
});
