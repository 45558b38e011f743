import { cases } from '../case.js';
import { widget } from './objects.js';

/** Cases about compacted history. */
export const expiryCases = cases(
  'expiry',
  {
    async 'a continue token of long ago'(api) {
      for (const name of ['a', 'b', 'c', 'd'])
        await api.quietly.create(api.path('configmaps'), { metadata: { name, labels: { own: 'yes' } } });
      const own = { labelSelector: 'own=yes' };
      const first = await api.get(api.path('configmaps'), { query: { limit: '2', ...own } });
      await api.quietly.create(api.path('configmaps'), { metadata: { name: 'e', labels: { own: 'yes' } } });
      await api.compact();
      const answer = await api.eventually(
        (calls) =>
          calls.get(api.path('configmaps'), {
            query: { limit: '2', ...own, continue: first.text('metadata', 'continue') },
          }),
        ({ status }) => status === 410,
      );
      await api.get(api.path('configmaps'), {
        query: { limit: '2', ...own, continue: first.text('metadata', 'continue') },
      });
      await api.get(api.path('configmaps'), {
        query: { limit: '2', ...own, continue: answer.text('metadata', 'continue') },
      });
    },
    async 'a list of a version of long ago'(api) {
      const { resourceVersion } = await api.quietly.create(api.path('configmaps'), { metadata: { name: 'a' } });
      await api.quietly.create(api.path('configmaps'), { metadata: { name: 'b' } });
      await api.compact();
      await api.eventually(
        (calls) => calls.get(api.path('configmaps'), { query: { resourceVersion, resourceVersionMatch: 'Exact' } }),
        ({ status }) => status === 410,
      );
      await api.get(api.path('configmaps'), { query: { resourceVersion, resourceVersionMatch: 'Exact' } });
    },
    async 'a watch from a version of long ago'(api) {
      await api.quietly.create(api.fixture('widgets'), widget('one'));
      await api.compact();
      await using watch = await api.watch(api.fixture('widgets'), { query: { resourceVersion: '1' } });
      await watch.take(1);
      await watch.rest();
    },
  },
  { server: 'alone' },
);
