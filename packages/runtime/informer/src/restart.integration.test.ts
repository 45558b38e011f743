import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Client, createClient } from '@hawser/client';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { type ControlPlane, describeWithControlPlane, eventually, startControlPlane } from '@hawser/testenv';
import type { SharedInformers } from './informer.js';
import { createSharedInformers } from './shared-informers.js';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, byName } from './testing/config-maps.js';
import { CountingClock } from './testing/counting-clock.js';
import { View } from './testing/view.js';

const OPTIONS = {
  random: Math.random,
  logger: silentLogger,
  metrics: noMetrics,
  pageSize: 5,
  backoff: { initialMs: 50, capMs: 400 },
};

describeWithControlPlane('informers of an API server that goes away', () => {
  let plane: ControlPlane;
  let informers: SharedInformers;
  let client: Client;
  const clock = new CountingClock();

  beforeAll(async () => {
    plane = await startControlPlane({ name: 'restarted' });
  });
  afterAll(async () => {
    await informers.close();
    await client.close();
    expect(clock.pendingTimers).toBe(0);
    await plane.stop();
  });

  it('recover from its restart, and from its replacement by one with lower versions', async () => {
    client = createClient({ name: 'direct', connection: () => plane.connection });
    const maps = new ConfigMaps(client, 'informer');
    await maps.createNamespace();
    for (let index = 0; index < 12; index++) await maps.create(`map-${index}`);
    informers = createSharedInformers({ client, clock, ...OPTIONS, stallTimeoutMs: 3000 });
    const view = new View();
    const informer = informers.acquire<ConfigMap>({ resource: CONFIG_MAPS, namespace: maps.namespace });
    informer.addHandler(view.handler);
    let restored = 0;
    informer.addHandler({
      onRestored: () => {
        restored++;
      },
    });
    await informer.synced();
    const becomesEqual = async (): Promise<void> => {
      const truth = await maps.list();
      await eventually(
        () => {
          expect(byName(informer.list())).toEqual(truth);
        },
        { timeoutMs: 60_000 },
      );
      expect(byName(view.objects.values())).toEqual(truth);
      expect(view.words.filter((word) => word.endsWith('out of order'))).toEqual([]);
    };

    await plane.restartApiServer({ signal: 'SIGKILL' });
    await maps.set('map-1', 'after the restart');
    await maps.delete('map-2');
    await becomesEqual();

    // Far ahead of where a new server begins.
    await Promise.all(Array.from({ length: 200 }, (_, index) => maps.create(`extra-${index}`)));
    await becomesEqual();
    expect(restored).toBe(0);
    const known = BigInt(informer.get('informer/extra-199')?.metadata.resourceVersion ?? 0);
    const { port } = plane;
    await plane.stop();
    plane = await startControlPlane({ name: 'replaced', port });
    await maps.createNamespace();
    await maps.create('map-1', 'of the other server');
    const made = await maps.create('map-99', 'of the other server');
    expect(BigInt(made.metadata.resourceVersion ?? 0)).toBeLessThan(known);
    await becomesEqual();
    expect(informer.size).toBe((await maps.list()).length);
    expect(restored).toBe(1);
    await maps.set('map-99', 'changed');
    await becomesEqual();
  }, 180_000);
});
