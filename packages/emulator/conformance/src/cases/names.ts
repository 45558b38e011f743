import { cases, table } from '../case.js';
import { configMap, fixtureVersion, namespace, role, serviceAccount, widget } from './objects.js';

const badNames = {
  'upper case': 'Name',
  underscore: 'a_b',
  'leading dash': '-a',
  'trailing dot': 'a.',
  'two dots': 'a..b',
  space: 'a b',
  slash: 'a/b',
  percent: 'a%b',
  '254 characters': 'a'.repeat(254),
  umlaut: 'ä',
  empty: '',
} as const;

const prefixed = <Row>(prefix: string, rows: Readonly<Record<string, Row>>): Readonly<Record<string, Row>> =>
  Object.fromEntries(Object.entries(rows).map(([title, row]) => [`${prefix}: ${title}`, row]));

export const nameCases = cases('names', {
  ...table(prefixed('a ConfigMap', badNames), async (api, name) => {
    await api.create(api.path('configmaps'), configMap(name));
  }),
  ...table(prefixed('a custom resource', badNames), async (api, name) => {
    await api.create(api.fixture('widgets'), widget(name));
  }),
  ...table(
    prefixed('a Namespace', { 'with a dot': 'a.b', '64 characters': 'a'.repeat(64), 'upper case': 'Name', empty: '' }),
    async (api, name) => {
      await api.create('/api/v1/namespaces', namespace(name));
    },
  ),
  ...table(
    prefixed('a Role', {
      'with a colon': 'system:thing:Upper_Case',
      slash: 'a/b',
      percent: 'a%b',
      'a dot': '.',
      'two dots': '..',
      space: 'a b',
    }),
    async (api, name) => {
      await api.create(api.path('roles'), role(name, []));
    },
  ),
  ...table(prefixed('a ServiceAccount', { 'with dots': 'a.b.c', underscore: 'a_b' }), async (api, name) => {
    await api.create(api.path('serviceaccounts'), serviceAccount(name));
  }),
  async 'names of 253 characters'(api) {
    await api.create(api.path('configmaps'), configMap('a'.repeat(253)));
    await api.create(api.fixture('widgets'), widget('a'.repeat(253)));
  },
  ...table(
    prefixed('a label', {
      'value with a space': { a: 'b c' },
      'value of 64 characters': { a: 'x'.repeat(64) },
      'value that ends with a dash': { a: 'b-' },
      'key with two slashes': { 'a/b/c': 'd' },
      'key with an upper case prefix': { 'A.example.com/b': 'c' },
      'key of 64 characters': { ['k'.repeat(64)]: 'v' },
      'empty key': { '': 'v' },
      'empty value': { a: '' },
      'key with a prefix': { 'example.com/a_B.c': 'd_E.f' },
    }),
    async (api, labels) => {
      await api.create(api.path('configmaps'), configMap('one', {}, { labels }));
      await api.create(api.fixture('widgets'), widget('one', {}, { labels }));
    },
  ),
  ...table(
    prefixed('an annotation', {
      'key with a space': { 'a b': 'c' },
      'empty key': { '': 'v' },
      'key in upper case': { 'UPPER.example.com/Key': 'any value: ä\n' },
      'values of more than 256 KiB': { a: 'x'.repeat(262_145) },
    }),
    async (api, annotations) => {
      await api.create(api.path('configmaps'), configMap('one', {}, { annotations }), {
        select: (body) => (JSON.stringify(body).length > 10_000 ? 'large' : body),
      });
    },
  ),
  ...table(
    prefixed('a finalizer', {
      'without a domain': ['plain'],
      'with a domain': ['example.com/one'],
      'with a space': ['example.com/a b'],
      empty: [''],
      'of the server': ['foregroundDeletion', 'orphan'],
      'twice the same': ['example.com/one', 'example.com/one'],
    }),
    async (api, finalizers) => {
      await api.create(api.path('configmaps'), configMap('one', {}, { finalizers }));
      await api.create(api.fixture('widgets'), widget('one', {}, { finalizers }));
    },
  ),
  ...table(
    prefixed('an owner reference', {
      'without a uid': { apiVersion: 'v1', kind: 'ConfigMap', name: 'a' },
      'without a name': { apiVersion: 'v1', kind: 'ConfigMap', uid: '11111111-1111-1111-1111-111111111111' },
      'without a kind': { apiVersion: 'v1', name: 'a', uid: '11111111-1111-1111-1111-111111111111' },
      'without an apiVersion': { kind: 'ConfigMap', name: 'a', uid: '11111111-1111-1111-1111-111111111111' },
      'with a malformed apiVersion': {
        apiVersion: 'a/b/c',
        kind: 'ConfigMap',
        name: 'a',
        uid: '11111111-1111-1111-1111-111111111111',
      },
      'to an Event': { apiVersion: 'v1', kind: 'Event', name: 'a', uid: '11111111-1111-1111-1111-111111111111' },
    }),
    async (api, reference) => {
      await api.create(api.path('configmaps'), configMap('one', {}, { ownerReferences: [reference] }));
    },
  ),
  async 'two owner references that say controller'(api) {
    const reference = (name: string): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name,
      uid: '11111111-1111-1111-1111-111111111111',
      controller: true,
    });
    await api.create(api.path('configmaps'), {
      metadata: { name: 'one', ownerReferences: [reference('a'), reference('b')] },
    });
  },
  async 'generateName adds five characters'(api) {
    const { name } = await api.create(api.path('configmaps'), { metadata: { generateName: 'made-' } });
    api.note('the form of the name', /^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/u.test(name));
    await api.create(api.fixture('widgets'), {
      apiVersion: fixtureVersion,
      kind: 'Widget',
      metadata: { generateName: 'made.' },
    });
  },
  async 'generateName counts for nothing beside a name'(api) {
    await api.create(api.path('configmaps'), { metadata: { generateName: 'made-', name: 'one' } });
  },
  async 'a generateName that makes no good name'(api) {
    await api.create(api.path('configmaps'), { metadata: { generateName: 'Made_' } });
    await api.create(api.fixture('gadgets'), {
      apiVersion: fixtureVersion,
      kind: 'Gadget',
      metadata: { generateName: '-made' },
    });
  },
  async 'a long generateName is cut'(api) {
    const { name } = await api.create(
      api.path('configmaps'),
      { metadata: { generateName: 'a'.repeat(80) } },
      { select: () => 'see below' },
    );
    api.note('its length', name.length);
  },
  async 'no name at all'(api) {
    await api.create(api.path('configmaps'), { metadata: {} });
    await api.create(api.path('configmaps'), {});
    await api.create(api.fixture('widgets'), { apiVersion: fixtureVersion, kind: 'Widget' });
  },
});
