import type { Cluster, Setup } from '@hawser/controller';
import type { Binding } from '@hawser/core-kbind';
import type { ProviderLink } from '@hawser/kbind-connection';
import { expect, it } from '@jest/globals';
import type { SyncConfig } from './observed.js';
import { RunningRelated } from './related/running-related.js';
import { Routes } from './router.js';
import { RunningSyncs } from './running-syncs.js';

const setup = {} as Setup<'consumer'>;
const binding = { metadata: { name: 'one' }, spec: {} } as unknown as Binding;
const link: ProviderLink = {
  connection: 'far',
  cluster: {} as Cluster,
  localUID: 'l',
  remoteUID: 'r',
  confirm: () => Promise.resolve(),
  offers: { get: () => undefined, list: () => [], hasSynced: true, failure: undefined },
  ended: AbortSignal.abort(),
};

it('begins no sync over a link that has ended: whoever ended it has stopped those that there were', async () => {
  const syncs = new RunningSyncs({
    setup,
    routes: new Routes({ bindings: () => [], crd: () => undefined }),
    concurrency: undefined,
    writers: undefined,
  });
  await syncs.start('one', binding, { api: 'databases.example.com', link } as SyncConfig);
  expect(syncs.all()).toEqual([]);
  const related = new RunningRelated({ setup, bindings: () => [], connections: () => [] });
  await related.start('one', binding, 'secrets', link);
  expect(related.keys).toEqual([]);
});
