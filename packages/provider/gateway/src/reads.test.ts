import { DirectDispatcher, createApiServer } from '@hawser/apiserver';
import { type Client, type KubeObject, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { resources } from '@hawser/kube-bind';
import { silentLogger } from '@hawser/telemetry';
import { eventually } from '@hawser/testenv';
import { describe, expect, it } from '@jest/globals';
import type { ObjectRequest } from './asked.js';
import { Fairness } from './fairness.js';
import { Reads } from './reads.js';
import { Sight } from './sight.js';
import { Sources } from './sources.js';
import { Streams } from './streams.js';
import { ViewChanges } from './view-changes.js';

const resource = { group: 'example.com', version: 'v1', resource: 'zones' };
const mark = 'kube-bind.io/cluster-namespace';

async function defineZones(client: Client): Promise<void> {
  await client.create(resources.customResourceDefinitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'zones.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'zones', singular: 'zone', kind: 'Zone', listKind: 'ZoneList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  } as KubeObject);
  await eventually(() => client.list(resource));
}

describe('what stands under a name', () => {
  it('goes by what is stored now, however old that is what the gateway knows', async () => {
    const server = createApiServer();
    const client = createClient({
      name: 'provider',
      connection: { server: 'https://api.invalid', credentials: { kind: 'token', token: server.adminToken } },
      dispatcher: () => new DirectDispatcher({ server }),
    });
    await defineZones(client);
    const own = (owner: string): KubeObject => ({
      apiVersion: 'example.com/v1',
      kind: 'Zone',
      metadata: { name: 'a', annotations: { [mark]: owner } },
    });
    await client.create(resource, own('one'));
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
    const request: ObjectRequest = {
      ...{ kind: 'objects', verb: 'get', query: new URLSearchParams(), ...resource },
      ...{ namespace: '', name: 'a', subresource: '' },
    };
    const kinds = async (): Promise<readonly string[]> =>
      Promise.all(
        ['one', 'two'].map(async (consumer) => {
          const { kind } = await reads.stored(request, new Sight(consumer, [{ kind: 'ownMarks' }]));
          return kind;
        }),
      );
    const source = await sources.get(resource);
    await source.ready();
    expect(await kinds()).toEqual(['own', 'other']);
    // The gateway hears of nothing any more.
    await source.close();
    await client.patch(resource, { name: 'a' }, { type: 'merge', patch: own('two') });
    // It asks for what it knows as another's under a name that nobody has: its next owner sees it when the gateway has heard of that.
    expect(await kinds()).toEqual(['other', 'other']);
    await client.close();
    server.stop();
  });
});
