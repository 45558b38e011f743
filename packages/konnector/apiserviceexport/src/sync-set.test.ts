import type { Sync } from '@hawser/konnector-sync';
import { silentLogger } from '@hawser/telemetry';
import { roughEdge } from '@hawser/testenv';
import { expect, it } from '@jest/globals';
import type { SyncConfig, SyncPlan } from './plan-syncs.js';
import { createSyncSet } from './sync-set.js';

roughEdge('R8', 'ends the sync that it means, and none whose name begins with the same letters', async () => {
  const stopped: string[] = [];
  const sync = ({ crdName }: SyncConfig): Sync =>
    ({
      start: () => Promise.resolve(),
      stop: () => {
        stopped.push(crdName);
        return Promise.resolve();
      },
    }) as Partial<Sync> as Sync;
  const run = (name: string): SyncPlan => ({ kind: 'run', name, config: { crdName: name } as SyncConfig });
  const syncs = createSyncSet(sync, silentLogger, new AbortController().signal);
  await syncs.apply([run('databases.example.com'), run('databases.example.com.au')]);
  await syncs.apply([
    { kind: 'stop', name: 'databases.example.com', reason: 'NotBound', message: '' },
    run('databases.example.com.au'),
  ]);
  expect(stopped).toEqual(['databases.example.com']);
});

it('starts nothing once its lifetime is over: whoever ends it has stopped what there was', async () => {
  const running = new Set<string>();
  const lifetime = new AbortController();
  const stopping = Promise.withResolvers<undefined>();
  const sync = ({ crdName, statusSubresource }: SyncConfig): Sync => {
    running.add(crdName);
    return {
      start: () => Promise.resolve(),
      async stop() {
        // The first is still being replaced when the connection is given up.
        if (!statusSubresource) await stopping.promise;
        running.delete(crdName);
      },
    } as Partial<Sync> as Sync;
  };
  const run = (name: string, statusSubresource: boolean): SyncPlan => ({
    kind: 'run',
    name,
    config: { crdName: name, statusSubresource } as SyncConfig,
  });
  const syncs = createSyncSet(sync, silentLogger, lifetime.signal);
  await syncs.apply([run('databases.example.com', false)]);
  const applied = syncs.apply([run('databases.example.com', true), run('volumes.example.com', true)]);
  lifetime.abort();
  const stopped = syncs.stop();
  stopping.resolve(undefined);
  await Promise.all([applied, stopped]);
  expect([...running]).toEqual([]);
});
