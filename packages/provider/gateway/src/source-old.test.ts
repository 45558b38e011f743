import { systemClock } from '@hawser/clock';
import { silentLogger } from '@hawser/telemetry';
import { eventually } from '@hawser/testenv';
import { describe, expect, it } from '@jest/globals';
import { type Snapshot, Source } from './source.js';
import { openZones, zones as resource } from './testing/zones.js';

/** A source whose API server holds lists of old versions back until they are let go. */
async function open() {
  /** Versions whose lists have begun, each with what lets it go. */
  const begun: { readonly version: string; readonly go: () => void }[] = [];
  const { server, client } = await openZones({
    faults: ({ path }) => {
      const query = new URLSearchParams(path.split('?')[1]);
      if (query.get('resourceVersionMatch') !== 'Exact') return undefined;
      const { promise, resolve } = Promise.withResolvers<undefined>();
      begun.push({
        version: query.get('resourceVersion') ?? '',
        go: () => {
          resolve(undefined);
        },
      });
      return { after: promise };
    },
  });
  const { metadata } = await client.create(resource, {
    apiVersion: 'example.com/v1',
    kind: 'Zone',
    metadata: { name: 'a' },
  });
  const versions = [metadata.resourceVersion ?? ''];
  for (let size = 0; size < 9; size++) {
    const patch = { type: 'merge', patch: { metadata: { labels: { size: String(size) } } } } as const;
    versions.push((await client.patch(resource, { name: 'a' }, patch)).metadata.resourceVersion ?? '');
  }
  const source = new Source({
    served: { resource, kind: 'Zone', listKind: 'ZoneList', namespaced: false },
    client,
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
  });
  await source.ready();
  const close = async (): Promise<void> => {
    await source.close();
    await client.close();
    server.stop();
  };
  return { source, versions, begun, [Symbol.asyncDispose]: close };
}

const sizeOf = (asked: Promise<Snapshot>): Promise<string> =>
  asked.then(({ objects }) => JSON.stringify(objects[0]?.metadata.labels ?? {}));

describe('old versions of a source', () => {
  it('are read one at a time for each consumer, however many it asks for, and at once for others', async () => {
    await using world = await open();
    const { source, versions, begun } = world;
    const [first = '', ...more] = versions;
    const greedy = more.map((version) => sizeOf(source.at(version, 'greedy')));
    await eventually(() => {
      expect(begun.length).toBe(1);
    });
    const other = sizeOf(source.at(first, 'other'));
    await eventually(() => {
      expect(begun.length).toBe(2);
    });
    begun[1]?.go();
    expect(await other).toBe('{}');
    expect(begun.map(({ version }) => version)).toEqual([more[0], first]);
    begun[0]?.go();
    for (let at = 1; at < more.length; at++) {
      await eventually(() => {
        expect(begun.length).toBe(at + 2);
      });
      begun[at + 1]?.go();
    }
    expect(await Promise.all(greedy)).toEqual(more.map((_, size) => `{"size":"${size}"}`));
  });

  it('are read once for all who ask for the same', async () => {
    await using world = await open();
    const { source, versions, begun } = world;
    const [version = ''] = versions;
    const asked = ['one', 'two', 'one', 'three'].map((consumer) => sizeOf(source.at(version, consumer)));
    await eventually(() => {
      expect(begun.length).toBe(1);
    });
    begun[0]?.go();
    expect(await Promise.all(asked)).toEqual(['{}', '{}', '{}', '{}']);
    expect(begun.length).toBe(1);
  });
});
