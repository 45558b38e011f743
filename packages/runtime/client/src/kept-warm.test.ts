import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { FakeClock } from '@hawser/clock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Client, type Resource, createClient } from './index.js';
import { type TestAuthority, testAuthority } from './testing/certificates.js';
import { type FakeApiServer, json, startFakeApiServer } from './testing/fake-api-server.js';
import { until } from './testing/wait.js';

const DATABASES: Resource = { group: 'example.com', version: 'v1', resource: 'databases' };
const KEY = { name: 'db' };
const OBJECT = { apiVersion: 'example.com/v1', kind: 'Database', metadata: { name: 'db' } };

/** What a connection takes, by the clock of the client. */
const CONNECT_MS = 80;
const REST_MS = 25_000;

describe('a client of a distant API server', () => {
  let authority: TestAuthority;
  let server: FakeApiServer;
  let wire: Server;
  let clock: FakeClock;
  const sockets = new Set<Socket>();
  const clients: Client[] = [];
  beforeAll(async () => {
    authority = await testAuthority('one');
  });
  afterAll(() => {
    authority.remove();
  });
  beforeEach(async () => {
    clock = new FakeClock();
    server = await startFakeApiServer(
      ({ url }, response) => {
        if (url.includes('watch=')) response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
        else json(response, OBJECT);
      },
      { tls: await authority.issueServer('server', [], ['127.0.0.1']) },
    );
    const port = Number(new URL(server.url).port);
    wire = createServer((near) => {
      void clock.advance(CONNECT_MS).then(() => {
        join(near, connect(port, '127.0.0.1'));
      });
    });
    await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await new Promise((resolve) => wire.close(resolve));
    await server.close();
  });

  const join = (near: Socket, far: Socket): void => {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
    }
  };
  const make = (url: string): Client => {
    const client = createClient({
      name: 'provider',
      clock,
      random: () => 1,
      connection: { server: url, caData: authority.ca, credentials: { kind: 'token', token: 't' } },
    });
    clients.push(client);
    return client;
  };
  const distant = (): Client => make(`https://127.0.0.1:${(wire.address() as AddressInfo).port}`);
  const touches = (): number => server.requests.filter(({ url }) => url === '/readyz').length;

  /** The one timer is that of the next rest, and not of a request. */
  const restsAgain = (): boolean =>
    clock.dueTimes.length === 1 && clock.dueTimes.every((at) => at >= clock.monotonic() + 19_000);

  it('keeps a connection while it watches, with one small request for each rest', async () => {
    const client = distant();
    await client.get(DATABASES, KEY);
    await client.watch(DATABASES);
    expect(server.accepted).toBe(2);
    for (let rest = 1; rest <= 3; rest++) {
      await clock.advance(REST_MS);
      await until(() => touches() === rest && restsAgain(), 'a request that keeps the connection is answered');
    }
    // undici takes a socket again in the next turn of the event loop.
    await setImmediate();
    await client.patch(DATABASES, KEY, { type: 'merge', patch: {} });
    expect(server.accepted).toBe(2);
    expect(touches()).toBe(3);
  });

  it('sends none beside other requests', async () => {
    const client = distant();
    await client.watch(DATABASES);
    for (let rest = 1; rest <= 5; rest++) {
      await client.get(DATABASES, KEY);
      await clock.advance(REST_MS / 2);
    }
    expect(touches()).toBe(0);
  });

  it('sends none once nothing is watched, and none after its end', async () => {
    const client = distant();
    await client.get(DATABASES, KEY);
    expect(clock.pendingTimers).toBe(0);
    const ends = new AbortController();
    await client.watch(DATABASES, { signal: ends.signal });
    expect(clock.pendingTimers).toBe(1);
    ends.abort();
    await clock.advance(REST_MS);
    expect([touches(), clock.pendingTimers]).toEqual([0, 0]);
    await client.watch(DATABASES);
    expect(clock.pendingTimers).toBe(1);
    await client.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
