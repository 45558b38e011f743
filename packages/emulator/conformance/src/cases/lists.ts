import type { Api } from '../api.js';
import type { Answer } from '../answer.js';
import { cases, table } from '../case.js';
import { configMap, gadget, widget } from './objects.js';

async function fill(api: Api, names: readonly string[], path = api.path('configmaps')): Promise<void> {
  for (const name of names)
    await api.quietly.create(path, path === api.path('configmaps') ? configMap(name) : widget(name));
}

const token = (answer: Answer): string => answer.text('metadata', 'continue');
const five = ['a', 'b', 'c', 'd', 'e'] as const;

export const listCases = cases('lists', {
  ...table(
    { 'ConfigMaps in pages': 'configmaps', 'custom resources in pages': 'widgets' } as const,
    async (api, kind) => {
      const path = kind === 'widgets' ? api.fixture('widgets') : api.path('configmaps');
      await fill(api, five, path);
      const first = await api.get(path, { query: { limit: '2' } });
      const second = await api.get(path, { query: { limit: '2', continue: token(first) } });
      const third = await api.get(path, { query: { limit: '2', continue: token(second) } });
      api.note(
        'all pages have one resourceVersion',
        new Set([first, second, third].map((page) => page.resourceVersion)).size,
      );
    },
  ),
  async 'a limit that is as long as the list'(api) {
    await fill(api, five);
    await api.get(api.path('configmaps'), { query: { limit: '5' } });
    await api.get(api.path('configmaps'), { query: { limit: '0' } });
    await api.get(api.path('configmaps'), { query: { limit: '500' } });
  },
  async 'later pages show the list as it was at the first'(api) {
    await fill(api, five);
    const first = await api.get(api.path('configmaps'), { query: { limit: '2' } });
    await api.quietly.delete(api.path('configmaps', 'c'));
    await api.quietly.create(api.path('configmaps'), configMap('d2'));
    await api.quietly.replace(api.path('configmaps', 'e'), configMap('e', { changed: 'yes' }));
    const second = await api.get(api.path('configmaps'), { query: { limit: '2', continue: token(first) } });
    await api.get(api.path('configmaps'), { query: { continue: token(second) } });
    await api.get(api.path('configmaps'));
  },
  async 'remainingItemCount is not told with a selector'(api) {
    for (const name of five)
      await api.quietly.create(
        api.path('configmaps'),
        configMap(name, {}, { labels: { odd: String('ace'.includes(name)) } }),
      );
    const first = await api.get(api.path('configmaps'), { query: { limit: '2', labelSelector: 'odd=true' } });
    await api.get(api.path('configmaps'), { query: { limit: '2', labelSelector: 'odd=true', continue: token(first) } });
  },
  async 'a continue token that is none'(api) {
    await api.get(api.path('configmaps'), { query: { limit: '2', continue: 'nonsense' } });
    await api.get(api.path('configmaps'), { query: { limit: '2', continue: Buffer.from('{}').toString('base64url') } });
    await api.get(api.path('configmaps'), {
      query: { limit: '2', continue: Buffer.from('{"v":"meta.k8s.io/v2","rv":1,"start":"a"}').toString('base64url') },
    });
    await api.get(api.path('configmaps'), {
      query: {
        limit: '2',
        continue: Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"../a"}').toString('base64url'),
      },
    });
  },
  async 'a continue token beside a resourceVersion'(api) {
    await fill(api, five);
    const first = await api.get(api.path('configmaps'), { query: { limit: '2' } });
    await api.get(api.path('configmaps'), {
      query: { limit: '2', continue: token(first), resourceVersion: first.resourceVersion },
    });
    await api.get(api.path('configmaps'), { query: { limit: '2', continue: token(first), resourceVersion: '0' } });
    await api.get(api.path('configmaps'), {
      query: { limit: '2', continue: token(first), resourceVersionMatch: 'Exact' },
    });
  },
  async 'limits that are none'(api) {
    await api.get(api.path('configmaps'), { query: { limit: '-1' } });
    await api.get(api.path('configmaps'), { query: { limit: 'many' } });
  },
  async 'a version as it was: Exact'(api) {
    await fill(api, ['a']);
    const before = await api.quietly.get(api.path('configmaps', 'a'));
    await api.quietly.replace(api.path('configmaps', 'a'), configMap('a', { changed: 'yes' }));
    await fill(api, ['b']);
    await api.get(api.path('configmaps'), {
      query: { resourceVersion: before.resourceVersion, resourceVersionMatch: 'Exact' },
    });
  },
  async 'at least a version: NotOlderThan'(api) {
    await fill(api, ['a']);
    const { resourceVersion } = await api.quietly.get(api.path('configmaps', 'a'));
    await api.get(api.path('configmaps'), { query: { resourceVersion, resourceVersionMatch: 'NotOlderThan' } });
    await api.get(api.path('configmaps'), { query: { resourceVersion } });
    await api.get(api.path('configmaps', 'a'), { query: { resourceVersion } });
  },
  ...table(
    {
      'a resourceVersion that is no number': { resourceVersion: 'x' },
      'a negative resourceVersion': { resourceVersion: '-1' },
      'a match without a resourceVersion': { resourceVersionMatch: 'Exact' },
      'an unknown match': { resourceVersion: '5', resourceVersionMatch: 'About' },
      'Exact of zero': { resourceVersion: '0', resourceVersionMatch: 'Exact' },
      'sendInitialEvents without a watch': { sendInitialEvents: 'true' },
      'a timeout that is no number': { timeoutSeconds: 'x' },
    },
    async (api, query) => {
      await api.get(api.path('configmaps'), { query });
    },
  ),
  async 'a version of the future'(api) {
    await api.get(api.path('configmaps'), { query: { resourceVersion: '99999999999', resourceVersionMatch: 'Exact' } });
  },
  async 'cluster-scoped custom resources'(api) {
    for (const name of ['a', 'b', 'c'])
      await api.quietly.create(
        api.fixture('gadgets'),
        gadget(`${api.id}-${name}`, { size: 1 }, { labels: { of: api.id } }),
      );
    await api.get(api.fixture('gadgets'), { query: { labelSelector: `of=${api.id}` } });
    await api.get(api.fixture('gadgets', `${api.id}-a`));
    await api.get(`/apis/fixtures.conformance.test/v1/namespaces/${api.namespace}/gadgets`);
    await api.delete(api.fixture('gadgets'), undefined, { query: { labelSelector: `of=${api.id}` } });
  },
  async 'custom resources of all namespaces are in the order of namespaces'(api) {
    for (const name of ['b', 'a']) {
      await api.quietly.create('/api/v1/namespaces', { metadata: { name: `${api.id}-${name}` } });
      for (const inside of ['y', 'x'])
        await api.quietly.create(
          `/apis/fixtures.conformance.test/v1/namespaces/${api.id}-${name}/widgets`,
          widget(inside, {}, { labels: { of: api.id } }),
        );
    }
    const all = { labelSelector: `of=${api.id}` };
    await api.get('/apis/fixtures.conformance.test/v1/widgets', { query: all });
    const first = await api.get('/apis/fixtures.conformance.test/v1/widgets', { query: { limit: '3', ...all } });
    await api.get('/apis/fixtures.conformance.test/v1/widgets', {
      query: { limit: '3', ...all, continue: token(first) },
    });
  },
  async 'deleting a collection with a limit'(api) {
    await fill(api, five);
    await api.delete(api.path('configmaps'), undefined, {
      query: { limit: '2' },
      select: (body) => (typeof body === 'object' ? 'a list' : body),
    });
    await api.get(api.path('configmaps'));
  },
  async 'HEAD answers without a body'(api) {
    await fill(api, ['a']);
    await api.request('HEAD', api.path('configmaps', 'a'));
    await api.request('HEAD', api.path('configmaps'));
    await api.request('HEAD', api.path('configmaps', 'b'));
  },
});
