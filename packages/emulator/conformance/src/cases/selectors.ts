import { cases, table } from '../case.js';
import { configMap, widget } from './objects.js';

const labelled = {
  one: { app: 'web', tier: 'front', size: '1' },
  two: { app: 'web', tier: 'back', size: '5' },
  three: { app: 'db', size: '10' },
  four: { 'example.com/app': 'x' },
  five: {},
} as const;

export const selectorCases = cases('selectors', {
  ...table(
    Object.fromEntries(
      [
        'app=web',
        'app==web',
        'app!=web',
        'app in (web,db)',
        'app notin (web)',
        'app',
        '!app',
        'app=web,tier=front',
        'app=web,tier!=front',
        'size>4',
        'size<5',
        'size>4,size<10',
        'example.com/app=x',
        'app=',
        ' app = web ',
        '',
        'app in (web)',
        'app in ()',
        'app in (web,)',
        'app=nobody',
        'tier notin (front,back),app',
        'app==',
        'app in',
        'app in web',
        '=web',
        'app=a b',
        'app=(web)',
        '!',
        'app>x',
        'app>1.5',
        'a/b/c=d',
        'app=web,',
        ',',
        'app~web',
        'app in (a b)',
        `${'k'.repeat(64)}=v`,
        'app===web',
        '!!app',
        'app notin (web',
        'a=-b',
        'ä=b',
      ].map((labelSelector) => [`labels: ${labelSelector === '' ? '(empty)' : labelSelector}`, labelSelector]),
    ),
    async (api, labelSelector) => {
      for (const [name, labels] of Object.entries(labelled))
        await api.quietly.create(api.path('configmaps'), configMap(name, {}, { labels }));
      const answer = await api.get(api.path('configmaps'), {
        query: { labelSelector },
        select: (body) => (typeof body === 'object' && body !== null && 'items' in body ? 'see below' : body),
      });
      if (answer.status === 200) api.note('names', answer.names);
    },
  ),
  ...table(
    Object.fromEntries(
      [
        'metadata.name=one',
        'metadata.name!=one',
        'metadata.name==one',
        'metadata.namespace=nowhere',
        'metadata.name=one,metadata.name=two',
        'metadata.name=',
        'metadata.uid=x',
        'data.key=x',
        'metadata.name>one',
        'metadata.name',
        '=',
        'metadata.name in (one)',
        'metadata.labels.app=web',
        String.raw`metadata.name=o\,ne`,
      ].map((fieldSelector) => [`fields of a built-in kind: ${fieldSelector}`, fieldSelector]),
    ),
    async (api, fieldSelector) => {
      for (const name of ['one', 'two']) await api.quietly.create(api.path('configmaps'), configMap(name));
      const answer = await api.get(api.path('configmaps'), {
        query: { fieldSelector },
        select: (body) => (typeof body === 'object' && body !== null && 'items' in body ? 'see below' : body),
      });
      if (answer.status === 200) api.note('names', answer.names);
    },
  ),
  ...table(
    Object.fromEntries(
      [
        'metadata.name=one',
        'spec.mode=Fast',
        'spec.mode!=Fast',
        'spec.size=5',
        'spec.size=',
        'spec.mode=Fast,spec.size=5',
        'spec.title=x',
        '.spec.mode=Fast',
        'spec=x',
        'status.phase=a',
      ].map((fieldSelector) => [`fields of a custom resource: ${fieldSelector}`, fieldSelector]),
    ),
    async (api, fieldSelector) => {
      await api.quietly.create(api.fixture('widgets'), widget('one', { size: 5 }));
      await api.quietly.create(api.fixture('widgets'), widget('two', { mode: 'Slow', size: 5 }));
      await api.quietly.create(api.fixture('widgets'), widget('three', {}));
      const answer = await api.get(api.fixture('widgets'), {
        query: { fieldSelector },
        select: (body) => (typeof body === 'object' && body !== null && 'items' in body ? 'see below' : body),
      });
      if (answer.status === 200) api.note('names', answer.names);
    },
  ),
  async 'a selector for one object of its own path'(api) {
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    await api.get(api.path('configmaps', 'one'), { query: { labelSelector: 'a=b' } });
  },
});
