import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@hawser/json';
import {
  ApplyConflictError,
  ApplyError,
  type ApplyRequest,
  type ManagedFieldsEntry,
  type TrackedType,
  type UpdateRequest,
  apply,
  builtInType,
  customResourceType,
  keepTimes,
  update,
} from './index.js';
import { exampleSchema } from './testing/example-schema.js';

const apiVersion = 'example.com/v1';
const type = customResourceType(exampleSchema);
const tracked: TrackedType = {
  typeOf: (version) => (version === apiVersion || version === 'example.com/v1beta1' ? type : undefined),
  goneVersions: 'refuse',
};

let second = 0;
const time = (): string => new Date(Date.UTC(2026, 0, 1) + 1000 * second++).toISOString().replace('.000', '');

const thing = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind: 'Thing',
  metadata: { name: 't', uid: 'u', ...metadata },
  spec,
});
const config = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind: 'Thing',
  metadata: { name: 't', ...metadata },
  spec,
});
const updated = (live: JsonObject | undefined, next: JsonObject, more: Partial<UpdateRequest> = {}): JsonObject =>
  update({ tracked, live, updated: next, manager: 'up', apiVersion, time: time(), ...more });
const applied = (
  live: JsonObject | undefined,
  configuration: JsonObject,
  more: Partial<ApplyRequest> = {},
): JsonObject =>
  apply({
    tracked,
    live,
    applied: configuration,
    manager: 'me',
    apiVersion,
    kind: 'Thing',
    force: false,
    time: time(),
    ...more,
  });
const entries = (object: JsonObject): readonly ManagedFieldsEntry[] =>
  ((object['metadata'] as JsonObject)['managedFields'] ?? []) as readonly ManagedFieldsEntry[];
const summary = (object: JsonObject): unknown =>
  entries(object).map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1]);
const timeOf = (object: JsonObject, name: string): string | undefined =>
  entries(object).find(({ manager }) => manager === name)?.time;
/** As a server keeps it: what is created has a uid from then on. */
const stored = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object['metadata'] as JsonObject), uid: 'u' },
});

describe('updates', () => {
  it('give what changed to the manager, and take it from others', () => {
    const created = stored(updated(undefined, config({ replicas: 1, title: 'a' })));
    expect(summary(created)).toEqual([['up', 'Update', { 'f:spec': { '.': {}, 'f:replicas': {}, 'f:title': {} } }]]);
    const changed = updated(created, { ...created, spec: { replicas: 2, title: 'a' } }, { manager: 'other' });
    expect(summary(changed)).toEqual([
      ['up', 'Update', { 'f:spec': { '.': {}, 'f:title': {} } }],
      ['other', 'Update', { 'f:spec': { 'f:replicas': {} } }],
    ]);
  });

  it('without a change leave everything as it is, times too', () => {
    const created = stored(updated(undefined, config({ replicas: 1 })));
    expect(updated(created, created, { manager: 'other' })).toEqual(created);
  });

  it('set a new time only for the manager whose set changes', () => {
    const created = stored(updated(undefined, config({ replicas: 1 })));
    const changed = updated(created, { ...created, spec: { replicas: 1, title: 'a' } }, { manager: 'other' });
    expect(timeOf(changed, 'up')).toBe(timeOf(created, 'up'));
    expect(timeOf(changed, 'other')).not.toBe(timeOf(created, 'up'));
  });

  it('drop managers that have nothing left', () => {
    const created = stored(updated(undefined, config({ replicas: 1 })));
    expect(summary(updated(created, { ...created, spec: {} }, { manager: 'other' }))).toEqual([
      ['up', 'Update', { 'f:spec': {} }],
    ]);
    expect(
      summary(updated(created, thing({ replicas: 2 }, { managedFields: entries(created) }), { manager: 'other' })),
    ).toEqual([
      ['up', 'Update', { 'f:spec': {} }],
      ['other', 'Update', { 'f:spec': { 'f:replicas': {} } }],
    ]);
  });

  it('keep what the client leaves out, and forget all when it says so', () => {
    const created = stored(updated(undefined, config({ replicas: 1 })));
    expect(entries(updated(created, thing({ replicas: 1 })))).toEqual(entries(created));
    for (const managedFields of [[], [{}]])
      expect(entries(updated(created, thing({ replicas: 1 }, { managedFields })))).toEqual([]);
  });

  it('of what nobody manages are not tracked until something is applied', () => {
    const bare = thing({ replicas: 1 });
    const changed = updated(bare, thing({ replicas: 2 }));
    expect(entries(changed)).toEqual([]);
    expect(summary(applied(changed, config({ title: 'a' })))).toEqual([
      ['me', 'Apply', { 'f:spec': { 'f:title': {} } }],
      ['before-first-apply', 'Update', { 'f:spec': { '.': {}, 'f:replicas': {} } }],
    ]);
  });

  it('of a subresource do not read managedFields from the request', () => {
    const created = stored(updated(undefined, config({ replicas: 1 })));
    const changed = updated(
      created,
      { ...thing({ replicas: 1 }, { managedFields: [{}] }), status: { phase: 'x' } },
      { subresource: 'status', manager: 'controller' },
    );
    expect(entries(changed).map(({ manager, subresource }) => [manager, subresource])).toEqual([
      ['up', undefined],
      ['controller', 'status'],
    ]);
  });

  it('by more than ten managers make the oldest one, and never an applier', () => {
    let object = stored(applied(undefined, config({ title: 'mine' })));
    for (let index = 1; index <= 13; index++) {
      const labels = {
        ...((object['metadata'] as JsonObject)['labels'] as JsonObject | undefined),
        [`l${index}`]: 'x',
      };
      object = updated(
        object,
        { ...object, metadata: { ...(object['metadata'] as JsonObject), labels } },
        { manager: `m${index}`, time: `2026-01-01T00:01:${String(index).padStart(2, '0')}Z` },
      );
    }
    expect(entries(object).map(({ manager }) => manager)).toEqual([
      'me',
      'ancient-changes',
      'm5',
      'm6',
      'm7',
      'm8',
      'm9',
      'm10',
      'm11',
      'm12',
      'm13',
    ]);
    expect(entries(object)[1]).toMatchObject({
      time: '2026-01-01T00:01:04Z',
      fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:l1': {}, 'f:l2': {}, 'f:l3': {}, 'f:l4': {} } } },
    });
  });

  it('survive managedFields that nobody can read', () => {
    const broken = thing(
      { replicas: 1 },
      {
        managedFields: [
          { manager: 'x', operation: 'Update', apiVersion, fieldsType: 'FieldsV1', fieldsV1: { nonsense: {} } },
        ],
      },
    );
    expect(entries(updated(broken, thing({ replicas: 2 })))).toEqual([]);
    expect(() => applied(broken, config({ replicas: 2 }))).toThrow(ApplyError);
  });

  it('with a value of a wrong type are not tracked', () => {
    expect(entries(updated(undefined, config({ replicas: 'many' })))).toEqual([]);
    const created = stored(updated(undefined, config({ replicas: 1 })));
    expect(entries(updated(created, { ...created, spec: { replicas: 'many' } }))).toEqual([]);
  });

  it('keep keys that have a meaning in JavaScript', () => {
    const labels = JSON.parse('{"__proto__":"a","constructor":"b"}') as JsonObject;
    const created = updated(undefined, config({}, { labels }));
    expect(JSON.stringify(entries(created)[0]?.fieldsV1)).toContain(
      '"f:labels":{".":{},"f:__proto__":{},"f:constructor":{}}',
    );
    expect(JSON.stringify(applied(stored(created), config({ title: 'x' })))).toContain(
      '"labels":{"__proto__":"a","constructor":"b"}',
    );
  });
});

describe('apply', () => {
  it('creates what is not there, and changes nothing the second time', () => {
    const created = stored(applied(undefined, config({ replicas: 1 })));
    expect(summary(created)).toEqual([['me', 'Apply', { 'f:spec': { 'f:replicas': {} } }]]);
    expect(applied(created, config({ replicas: 1 }))).toEqual(created);
  });

  it('takes away what is applied no longer, unless somebody else owns it', () => {
    const first = stored(applied(undefined, config({ replicas: 1, title: 'a', granularMap: { x: '1', y: '2' } })));
    const shared = applied(first, config({ title: 'a' }), { manager: 'two' });
    const less = applied(shared, config({ granularMap: { y: '2' } }));
    expect(less['spec']).toEqual({ title: 'a', granularMap: { y: '2' } });
    expect(summary(less)).toEqual([
      ['two', 'Apply', { 'f:spec': { 'f:title': {} } }],
      ['me', 'Apply', { 'f:spec': { 'f:granularMap': { 'f:y': {} } } }],
    ]);
  });

  it('names every conflict', () => {
    const live = updated(
      stored(applied(undefined, config({ replicas: 1 }), { manager: 'two' })),
      thing({ replicas: 1, title: 'x' }),
      { manager: 'kubectl' },
    );
    const one = (): JsonObject => applied(live, config({ title: 'y' }));
    expect(one).toThrow(ApplyConflictError);
    expect(one).toThrow('Apply failed with 1 conflict: conflict with "kubectl" using example.com/v1: .spec.title');
    try {
      applied(live, config({ title: 'y', replicas: 2 }));
      throw new Error('there was no conflict');
    } catch (error) {
      expect(error).toMatchObject({
        code: 409,
        reason: 'Conflict',
        message:
          'Apply failed with 2 conflicts: conflicts with "kubectl" using example.com/v1:\n- .spec.title\nconflicts with "two":\n- .spec.replicas',
        causes: [
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "kubectl" using example.com/v1',
            field: '.spec.title',
          },
          { reason: 'FieldManagerConflict', message: 'conflict with "two"', field: '.spec.replicas' },
        ],
      });
    }
    expect(applied(live, config({ title: 'y', replicas: 2 }), { force: true })['spec']).toEqual({
      title: 'y',
      replicas: 2,
    });
  });

  it('by kubectl takes over what client-side apply wrote', () => {
    const lastApplied = JSON.stringify(config({ title: 'a' }));
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': lastApplied };
    const live = stored(
      updated(undefined, config({ title: 'a', replicas: 1 }, { annotations }), {
        manager: 'kubectl-client-side-apply',
      }),
    );
    const migrated = applied(live, config({ title: 'b' }), { manager: 'kubectl' });
    expect(migrated['spec']).toEqual({ title: 'b', replicas: 1 });
    expect(
      ((migrated['metadata'] as JsonObject)['annotations'] as JsonObject)[
        'kubectl.kubernetes.io/last-applied-configuration'
      ],
    ).toBe('{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t"},"spec":{"title":"b"}}\n');
    expect(() => applied(live, config({ title: 'b', replicas: 2 }), { manager: 'kubectl' })).toThrow(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using example.com/v1: .spec.replicas',
    );
    expect(() => applied(live, config({ title: 'b' }))).toThrow(ApplyConflictError);
  });

  it.each([
    [
      'another kind',
      { ...config({}), kind: 'Other' },
      'bad-request',
      'invalid object type: example.com/v1, Kind=Other',
    ],
    ['managedFields', config({}, { managedFields: [{}] }), 'bad-request', 'metadata.managedFields must be nil'],
    [
      'a field that is not in the schema',
      config({ nobody: 1 }),
      'invalid-type',
      'failed to create typed patch object (/t; example.com/v1, Kind=Thing): .spec.nobody: field not declared in schema',
    ],
    [
      'another type',
      config({ replicas: 'x', title: true }),
      'invalid-type',
      'failed to create typed patch object (/t; example.com/v1, Kind=Thing): errors:\n  .spec.replicas: expected numeric (int or float), got string\n  .spec.title: expected string, got &value.valueUnstructured{Value:true}',
    ],
    [
      'one item twice',
      config({ named: [{ name: 'a' }, { name: 'a' }] }),
      'invalid-type',
      'failed to create typed patch object (/t; example.com/v1, Kind=Thing): .spec.named: duplicate entries for key [name="a"]',
    ],
    [
      'an item without its key',
      config({ named: [{ value: 'a' }] }),
      'invalid-type',
      'failed to create typed patch object (/t; example.com/v1, Kind=Thing): .spec.named: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
  ])('refuses %s', (_what, configuration, code, message) => {
    try {
      applied(thing({}), configuration);
      throw new Error('it was taken');
    } catch (error) {
      expect(error).toMatchObject({ name: 'ApplyError', code, message });
    }
  });

  it('in another version is the same applier, with the fields of that version', () => {
    const first = stored(
      applied(
        undefined,
        { ...config({ replicas: 1, title: 'a' }), apiVersion: 'example.com/v1beta1' },
        { apiVersion: 'example.com/v1beta1' },
      ),
    );
    const beside = applied(first, config({ anyValue: 1 }), { manager: 'two' });
    expect(entries(beside).map(({ manager, apiVersion: version }) => [manager, version])).toEqual([
      ['me', 'example.com/v1beta1'],
      ['two', apiVersion],
    ]);
    const second = applied(beside, config({ title: 'a' }));
    expect(second['spec']).toEqual({ title: 'a', anyValue: 1 });
    expect(
      entries(second)
        .map(({ manager, apiVersion: version }) => [manager, version])
        .sort(),
    ).toEqual([
      ['me', apiVersion],
      ['two', apiVersion],
    ]);
  });

  it('is not possible while somebody owns fields in a version that has gone; any other write forgets all owners', () => {
    const old = stored(applied(undefined, config({ replicas: 1 })));
    const later: TrackedType = { ...tracked, typeOf: (version) => (version === 'example.com/v2' ? type : undefined) };
    const now = { ...old, apiVersion: 'example.com/v2' };
    expect(() =>
      applied(
        now,
        { ...config({ replicas: 1 }), apiVersion: 'example.com/v2' },
        { tracked: later, apiVersion: 'example.com/v2' },
      ),
    ).toThrow('request to convert CR to an invalid group/version: example.com/v1');
    expect(
      entries(updated(now, { ...now, spec: { replicas: 2 } }, { tracked: later, apiVersion: 'example.com/v2' })),
    ).toEqual([]);
    const builtIn: TrackedType = { typeOf: (version) => (version === 'example.com/v2' ? type : undefined) };
    expect(
      summary(updated(now, { ...now, spec: { replicas: 2 } }, { tracked: builtIn, apiVersion: 'example.com/v2' })),
    ).toEqual([['up', 'Update', { 'f:spec': { 'f:replicas': {} } }]]);
  });

  it('is not possible where the version of another manager does not know a field; an update is not tracked there', () => {
    const narrow = customResourceType({
      ...exampleSchema,
      properties: { spec: { type: 'object', properties: { title: { type: 'string' } } } },
    });
    const versions: TrackedType = {
      ...tracked,
      typeOf: (version) => (version === apiVersion ? narrow : version === 'example.com/v2' ? type : undefined),
    };
    const live = stored(applied(undefined, config({ title: 'a' }), { tracked: versions }));
    const inV2 = { tracked: versions, apiVersion: 'example.com/v2', manager: 'two' };
    expect(() => applied(live, { ...config({ replicas: 1 }), apiVersion: 'example.com/v2' }, inV2)).toThrow(
      'failed to convert new object: .spec.replicas: field not declared in schema',
    );
    expect(
      entries(updated(live, { ...live, apiVersion: 'example.com/v2', spec: { title: 'a', replicas: 1 } }, inV2)),
    ).toEqual([]);
  });

  it('sees a list that has become atomic as owned whole by whoever owned an item', () => {
    const live = applied(stored(applied(undefined, config({ set: ['a'] }))), config({ set: ['b'] }), {
      manager: 'two',
    });
    const spec = exampleSchema.properties?.['spec'];
    const atomic = customResourceType({
      ...exampleSchema,
      properties: {
        spec: { ...spec, properties: { ...spec?.properties, set: { type: 'array', items: { type: 'string' } } } },
      },
    });
    const changed = updated(
      live,
      { ...live, spec: { set: ['a', 'b'], title: 'x' } },
      { tracked: { typeOf: () => atomic } },
    );
    expect(summary(changed)).toEqual([
      ['me', 'Apply', { 'f:spec': { 'f:set': {} } }],
      ['two', 'Apply', { 'f:spec': { 'f:set': {} } }],
      ['up', 'Update', { 'f:spec': { 'f:title': {} } }],
    ]);
  });
});

describe('built-in kinds', () => {
  const secret: TrackedType = { typeOf: (version) => builtInType(version, 'Secret') };
  const role: TrackedType = { typeOf: (version) => builtInType(version, 'Role') };

  it('own data key by key, and rules whole', () => {
    const created = update({
      tracked: secret,
      live: undefined,
      updated: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, type: 'Opaque', data: { a: 'eA==' } },
      manager: 'up',
      apiVersion: 'v1',
      time: time(),
    });
    expect(summary(created)).toEqual([['up', 'Update', { 'f:data': { '.': {}, 'f:a': {} }, 'f:type': {} }]]);
    const version = 'rbac.authorization.k8s.io/v1';
    const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }];
    expect(
      summary(
        update({
          tracked: role,
          live: undefined,
          updated: { apiVersion: version, kind: 'Role', metadata: { name: 'r' }, rules },
          manager: 'up',
          apiVersion: version,
          time: time(),
        }),
      ),
    ).toEqual([['up', 'Update', { 'f:rules': {} }]]);
  });

  it('know nothing of fields that they do not have', () => {
    expect(() =>
      apply({
        tracked: secret,
        live: undefined,
        applied: { apiVersion: 'v1', kind: 'Secret', spec: {} },
        kind: 'Secret',
        manager: 'me',
        apiVersion: 'v1',
        force: false,
        time: time(),
      }),
    ).toThrow('.spec: field not declared in schema');
  });
});

describe('times', () => {
  it('alone are no change', () => {
    const live = stored(updated(undefined, config({ replicas: 1 })));
    const later = {
      ...live,
      metadata: {
        ...(live['metadata'] as JsonObject),
        managedFields: entries(live).map((entry) => ({ ...entry, time: '2030-01-01T00:00:00Z' })),
      },
    };
    expect(keepTimes(live, later)).toEqual(live);
    const changed = { ...later, spec: { replicas: 2 } };
    expect(keepTimes(live, changed)).toBe(changed);
  });
});
