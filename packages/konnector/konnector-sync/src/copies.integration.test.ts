import { setImmediate } from 'node:timers/promises';

import { type Resource, createClient } from '@hawser/client';
import { describeWithControlPlane, sharedControlPlane } from '@hawser/testenv';
import { expect, it } from '@jest/globals';

import { createCopyCaches } from './copies.js';
import { informersOf } from './testing/pair-of-clusters.js';

const configMaps: Resource = { group: '', version: 'v1', resource: 'configmaps' };
const namespace = 'default';

describeWithControlPlane('the caches of copies', () => {
  it('say nothing any more once they are closed, not even that they were filled in that moment', async () => {
    const client = createClient({ name: 'provider', connection: (await sharedControlPlane('provider')).connection });
    const informers = informersOf(client);
    try {
      const filled: (string | undefined)[] = [];
      const copies = createCopyCaches(informers, configMaps, 'perNamespace', {
        changed: () => undefined,
        opened: () => ({ close: () => undefined }),
        filled: (where) => {
          filled.push(where);
        },
      });
      // Who waits first is told first.
      const earlier = informers.acquire({ resource: configMaps, namespace });
      const closed = earlier.synced().then(() => {
        copies.close();
      });
      copies.open(namespace);
      await closed;
      await setImmediate();
      expect(filled).toEqual([]);

      copies.open(namespace);
      await setImmediate();
      expect(filled).toEqual([namespace]);
    } finally {
      await informers.close();
      await client.close();
    }
  });
});
