import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { KubeObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { kubeBindDialect } from '@hawser/kube-bind';
import { silentLogger } from '@hawser/telemetry';
import { eventually } from '@hawser/testenv';
import { expect, it } from '@jest/globals';
import { readRequest } from './asked.js';
import { Fairness } from './fairness.js';
import type { Identity } from './identity.js';
import { Reads } from './reads.js';
import { Sight } from './sight.js';
import type { Source } from './source.js';
import { Sources } from './sources.js';
import { Streams } from './streams.js';
import { openZones, zones as resource } from './testing/zones.js';
import { ViewChanges } from './view-changes.js';

const OBJECTS = 30;
const LETTERS = 500_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const zone = (name: string, owner: string, letters: number): KubeObject =>
  ({
    apiVersion: 'example.com/v1',
    kind: 'Zone',
    metadata: { name, annotations: { 'kube-bind.io/cluster-namespace': owner } },
    spec: { text: 'x'.repeat(letters) },
  }) as KubeObject;

/** Zones of `one`, more than a socket takes, and a server that answers `one`. */
async function open() {
  const { server, client } = await openZones();
  for (let at = 0; at < OBJECTS; at++) await client.create(resource, zone(`a${at}`, 'one', LETTERS));
  await client.create(resource, zone('of-two', 'two', 1));
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
  const sight = new Sight('one', [{ kind: 'ownMarks' }]);
  const identity: Identity = {
    kind: 'consumer',
    ...{ dialect: kubeBindDialect, clusterNamespace: 'one', uid: 'u', username: 'one', token: 't' },
    expiresAt: undefined,
  };
  const front = createServer((incoming, response) => {
    const request = readRequest('GET', incoming.url ?? '');
    if (request.kind !== 'objects') throw new Error('it is about objects');
    const read = { request, identity, sight, sightNow: () => sight, incoming, response };
    (request.verb === 'watch' ? reads.watch(read) : reads.list(read)).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const { port } = front.address() as AddressInfo;
  const source = await sources.get(resource);
  await source.ready();
  return {
    client,
    source,
    /** The answer, of which nothing has been read yet. */
    ask: (query: string): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const sent = httpRequest(
          { host: '127.0.0.1', port, path: `/apis/example.com/v1/zones${query}`, agent: false },
          resolve,
        );
        sent.on('error', reject);
        sent.end();
      }),
    [Symbol.asyncDispose]: async () => {
      front.closeAllConnections();
      await new Promise((resolve) => front.close(resolve));
      await sources.close();
      await client.close();
      server.stop();
    },
  };
}

/** What is listed from now on, without keeping it. */
function noted(source: Source): readonly WeakRef<object>[] {
  const refs: WeakRef<object>[] = [];
  const latest = source.latest.bind(source);
  source.latest = async () => {
    const snapshot = await latest();
    refs.push(new WeakRef(snapshot));
    return snapshot;
  };
  return refs;
}

it.each([
  ['list', ''],
  ['watch', '?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=60'],
])('a %s that is read slowly keeps nothing of others in memory, and comes whole', async (_kind, query) => {
  await using world = await open();
  const { client, source, ask } = world;
  const listed = noted(source);
  const answer = await ask(query);
  expect(listed.length).toBe(1);
  // Later lists take the place of what was kept for those who go on with it.
  for (let at = 0; at < 6; at++) {
    await client.create(resource, zone(`later-${at}`, 'two', 1));
    await source.latest();
  }
  await eventually(() => {
    collectGarbage();
    expect(listed[0]?.deref() === undefined).toBe(true);
  });
  let read = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    read += chunk.length;
    if (read > OBJECTS * LETTERS) break;
  }
  expect(read).toBeGreaterThan(OBJECTS * LETTERS);
});
