import type { KubeObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { silentLogger } from '@hawser/telemetry';
import { describe, expect, it } from '@jest/globals';
import type { ObjectRequest } from './asked.js';
import { Fairness } from './fairness.js';
import { Reads } from './reads.js';
import { Sight } from './sight.js';
import { Sources } from './sources.js';
import { Streams } from './streams.js';
import { openZones, zones as resource } from './testing/zones.js';
import { ViewChanges } from './view-changes.js';

const mark = 'kube-bind.io/cluster-namespace';

const request: ObjectRequest = {
  ...{ kind: 'objects', verb: 'get', query: new URLSearchParams(), ...resource },
  ...{ namespace: '', name: 'a', subresource: '' },
};
const zone = (owner: string): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Zone',
  metadata: { name: 'a', annotations: { [mark]: owner } },
});

/** An API server with a zone of consumer `one`, and reads over it. */
async function open() {
  const asked: string[] = [];
  const { server, client } = await openZones({
    faults: ({ method, path }) => {
      asked.push(`${method} ${path}`);
      return undefined;
    },
  });
  await client.create(resource, zone('one'));
  const parts = { client, clock: systemClock, random: Math.random };
  const sources = new Sources({ ...parts, logger: silentLogger });
  const reads = new Reads({
    ...parts,
    sources,
    streams: new Streams(),
    changes: new ViewChanges(systemClock),
    fairness: new Fairness(),
    described: () => undefined,
  });
  const stored = async (consumer: string): Promise<string> => {
    const { kind } = await reads.stored(request, new Sight(consumer, [{ kind: 'ownMarks' }]));
    return kind;
  };
  const close = async (): Promise<void> => {
    await sources.close();
    await client.close();
    server.stop();
  };
  return { client, sources, stored, asked, [Symbol.asyncDispose]: close };
}

describe('what stands under a name', () => {
  it('goes by what is stored now, however old that is what the gateway knows', async () => {
    await using world = await open();
    const { client, sources, stored } = world;
    const kinds = (): Promise<readonly string[]> => Promise.all(['one', 'two'].map(stored));
    const source = await sources.get(resource);
    await source.ready();
    expect(await kinds()).toEqual(['own', 'other']);
    // The gateway hears of nothing any more.
    await source.close();
    await client.patch(resource, { name: 'a' }, { type: 'merge', patch: zone('two') });
    // It asks for what it knows as another's under a name that nobody has: its next owner sees it when the gateway has heard of that.
    expect(await kinds()).toEqual(['other', 'other']);
  });

  it('is asked for when it is known whose it is: that of another never, also as the first thing that is asked of a gateway', async () => {
    await using world = await open();
    const { stored, asked } = world;
    expect(await stored('two')).toBe('other');
    const gets = asked.filter((each) => each.startsWith('GET /apis/example.com/v1/zones/'));
    expect(gets).toEqual(['GET /apis/example.com/v1/zones/a.Absent']);
  });
});
