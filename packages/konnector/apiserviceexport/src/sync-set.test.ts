import type { Sync } from '@hawser/konnector-sync';
import { silentLogger } from '@hawser/telemetry';
import { roughEdge } from '@hawser/testenv';
import { expect } from '@jest/globals';
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
