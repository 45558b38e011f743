import type { KubeObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { silentLogger } from '@hawser/telemetry';
import { eventually } from '@hawser/testenv';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Source } from './source.js';
import { openZones, zones as resource } from './testing/zones.js';
import { ViewChanges } from './view-changes.js';

interface Zone extends KubeObject {
  readonly spec: { readonly size: number };
}

interface World {
  readonly source: Source;
  resize(size: number): Promise<Zone>;
  /** Back to the time when the size was 1. */
  restore(): void;
  close(): Promise<void>;
}

async function open(): Promise<World> {
  const { server, client } = await openZones();
  const resize = (size: number): Promise<Zone> =>
    client.patch<Zone>(resource, { name: 'a' }, { type: 'merge', patch: { spec: { size } } });
  await client.create(resource, {
    apiVersion: 'example.com/v1',
    kind: 'Zone',
    metadata: { name: 'a' },
    spec: { size: 1 },
  } as Zone);
  const backup = server.store.snapshot();
  const source = new Source({
    served: { resource, kind: 'Zone', listKind: 'ZoneList', namespaced: false },
    client,
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
  });
  await source.ready();
  return {
    source,
    resize,
    restore: () => {
      server.store.restore(backup);
    },
    close: async () => {
      await source.close();
      await client.close();
      server.stop();
    },
  };
}

const sizes = (objects: readonly KubeObject[]): readonly number[] =>
  objects.map((object) => (object as Zone).spec.size);

describe('a source whose API server was restored from a backup', () => {
  let world: World;
  beforeEach(async () => {
    world = await open();
  });
  afterEach(() => world.close());

  const known = (expected: number): Promise<void> =>
    eventually(() => {
      expect(sizes(world.source.known().objects)).toEqual([expected]);
    });

  it('lists what is stored, also where a version is that of another content from before', async () => {
    const { source } = world;
    const { metadata } = await world.resize(2);
    await known(2);
    world.restore();
    expect((await world.resize(3)).metadata.resourceVersion).toBe(metadata.resourceVersion);
    expect(sizes((await source.latest()).objects)).toEqual([3]);
  });

  it('shows no snapshot from before under a version that was given again', async () => {
    const { source } = world;
    await world.resize(2);
    const { version } = await source.latest();
    await known(2);
    world.restore();
    await source.latest();
    await known(1);
    await world.resize(3);
    await known(3);
    expect(sizes((await source.at(version, 'consumer')).objects)).toEqual([3]);
    expect(source.newestShown).toBe(version);
  });

  it('has nobody list again for a change of sight at a version that does not exist any more', async () => {
    const { source } = world;
    await world.resize(2);
    await world.resize(4);
    await source.latest();
    await known(4);
    const changes = new ViewChanges(systemClock);
    changes.record('consumer', 'zones.example.com', source.newestShown, false);
    world.restore();
    const { version } = await source.latest();
    await known(1);
    expect(changes.mustList('consumer', 'zones.example.com', version, source.newestShown)).toBe(false);
  });
});
