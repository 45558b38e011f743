import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type Client, type Resource, createClient, createHosts } from './index.js';
import { type FakeApiServer, failure, json, startFakeApiServer } from './testing/fake-api-server.js';
import { until } from './testing/wait.js';

const DATABASES: Resource = { group: 'example.com', version: 'v1', resource: 'databases' };
const KEY = { namespace: 'default', name: 'db' };
const OBJECT = { apiVersion: 'example.com/v1', kind: 'Database', metadata: KEY };
const BELOW = '/apis/example.com/v1/namespaces/default/databases';
const EVENT = `${JSON.stringify({ type: 'ADDED', object: OBJECT })}\n`;

const urls = (server: FakeApiServer): string[] => server.requests.map(({ method, url }) => `${method} ${url}`);

describe('a client at another path of its host', () => {
  let server: FakeApiServer;
  let home: Client;
  beforeEach(async () => {
    server = await startFakeApiServer((_request, response) => {
      json(response, OBJECT);
    });
    home = createClient({
      name: 'kcp',
      connection: { ...server.connection, server: `${server.url}/clusters/root:org/` },
      connections: 1,
    });
  });
  afterEach(async () => {
    await home.close();
    await server.close();
  });

  it('sends every verb there, and the parent goes on below the path of its own server', async () => {
    const one = home.at('/services/apiexport/abc/example.com/clusters/*');
    await one.get(DATABASES, KEY);
    await one.create(DATABASES, OBJECT);
    await one.delete(DATABASES, KEY);
    await one.raw('GET', '/version');
    await home.get(DATABASES, KEY);
    await one.at('/clusters/xyz/').get(DATABASES, KEY);
    await one.at('/').get(DATABASES, KEY);
    const base = '/services/apiexport/abc/example.com/clusters/*';
    expect(urls(server)).toEqual([
      `GET ${base}${BELOW}/db`,
      `POST ${base}${BELOW}`,
      `DELETE ${base}${BELOW}/db`,
      `GET ${base}/version`,
      `GET /clusters/root:org${BELOW}/db`,
      `GET /clusters/xyz${BELOW}/db`,
      `GET ${BELOW}/db`,
    ]);
  });

  it('shares connections, limits and credentials, whatever their number', async () => {
    for (let count = 0; count < 50; count++) await home.at(`/clusters/c${count}`).get(DATABASES, KEY);
    expect(server.accepted).toBe(1);
    expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer the-secret-token']),
    );
  });

  it('is named in messages, where it has a name', async () => {
    server.answer = (_request, response) => {
      failure(response, 404, 'NotFound', 'gone');
    };
    await expect(home.at('/clusters/a', 'kcp a').get(DATABASES, KEY)).rejects.toThrow(/^kcp a: /u);
    await expect(home.at('/clusters/a', 'kcp a').at('/clusters/b').get(DATABASES, KEY)).rejects.toThrow(/^kcp a: /u);
    await expect(home.at('/clusters/a').get(DATABASES, KEY)).rejects.toThrow(/^kcp: /u);
  });

  it('closes nothing of the parent, and ends with it', async () => {
    const one = home.at('/clusters/a');
    server.answer = (_request, response) => {
      response.writeHead(200).write(EVENT);
    };
    const watch = (await one.watch(DATABASES))[Symbol.asyncIterator]();
    await watch.next();
    const next = watch.next().catch((error: unknown) => error);
    await one.close();
    server.answer = (_request, response) => {
      json(response, OBJECT);
    };
    await home.get(DATABASES, KEY);
    await home.close();
    expect(await next).toMatchObject({ code: 'Aborted' });
    await expect(one.get(DATABASES, KEY)).rejects.toMatchObject({ code: 'Aborted' });
    await until(() => server.sockets.size === 0, 'all sockets are closed');
  });

  it('keeps the write guard of the one that it was made of', async () => {
    const guard = new AbortController();
    const one = home.withWriteGuard(guard.signal).at('/clusters/a');
    guard.abort();
    await expect(one.create(DATABASES, OBJECT)).rejects.toMatchObject({ code: 'Aborted' });
    await expect(one.withWriteGuard(new AbortController().signal).delete(DATABASES, KEY)).rejects.toMatchObject({
      code: 'Aborted',
    });
    await one.get(DATABASES, KEY);
    expect(urls(server)).toEqual([`GET /clusters/a${BELOW}/db`]);
  });

  it.each([
    'clusters/a',
    'https://other.example.com/clusters/a',
    '//other.example.com',
    '/clusters/../x',
    '/clusters/.',
    '/a?b=c',
    '/a#b',
    '/a b',
    '/a%2Fb',
    '/a\r\nx: y',
    '/a//b',
  ])('refuses %j as a path', (path) => {
    expect(() => home.at(path)).toThrow(RangeError);
  });
});

describe('the hosts of an installation', () => {
  it('have one pool each, with the credentials of the moment, and are closed together', async () => {
    const answer = (_request: unknown, response: Parameters<typeof json>[0]): void => {
      json(response, OBJECT);
    };
    const [front, shard] = [await startFakeApiServer(answer), await startFakeApiServer(answer)];
    let connection: ConnectionConfig = {
      server: `${front.url}/clusters/root:org`,
      credentials: { kind: 'token', token: 'first' },
    };
    const hosts = createHosts({ name: 'kcp', connection: () => connection, connections: 1 });
    try {
      await hosts.home.get(DATABASES, KEY);
      await hosts.at(`${front.url}/services/a`).get(DATABASES, KEY);
      for (const path of ['/services/b', '/services/b/clusters/x', ''])
        await hosts.at(`${shard.url}${path}`).get(DATABASES, KEY);
      connection = { ...connection, credentials: { kind: 'token', token: 'second' } };
      await hosts.at(`${shard.url}/services/b`).get(DATABASES, KEY);
      expect(urls(front)).toEqual([`GET /clusters/root:org${BELOW}/db`, `GET /services/a${BELOW}/db`]);
      expect(urls(shard)).toEqual(
        ['/services/b', '/services/b/clusters/x', '', '/services/b'].map((path) => `GET ${path}${BELOW}/db`),
      );
      expect(shard.requests.map(({ headers }) => headers.authorization)).toEqual([
        'Bearer first',
        'Bearer first',
        'Bearer first',
        'Bearer second',
      ]);
      expect(front.accepted).toBe(1);
      expect(shard.accepted).toBe(1);
      await hosts.close();
      await until(() => front.sockets.size + shard.sockets.size === 0, 'all sockets are closed');
    } finally {
      await hosts.close();
      await front.close();
      await shard.close();
    }
  });

  it('follow an authority that the connection reads anew', async () => {
    const shard = await startFakeApiServer((_request, response) => {
      json(response, OBJECT);
    });
    let read = 0;
    const hosts = createHosts({
      name: 'kcp',
      connection: {
        server: 'http://front.example.com',
        get caData() {
          read++;
          return undefined;
        },
        credentials: { kind: 'none' },
      },
    });
    await hosts.at(shard.url).get(DATABASES, KEY);
    expect(read).toBeGreaterThan(0);
    await hosts.close();
    await shard.close();
  });

  it.each([
    'http://shard.example.com/services/a',
    'https://user:word@shard.example.com/',
    'https://shard.example.com/?a',
    'ftp://shard.example.com',
    'shard',
    '',
  ])('refuse the address %j', async (url) => {
    const hosts = createHosts({
      name: 'kcp',
      connection: { server: 'https://front.example.com', credentials: { kind: 'token', token: 'secret' } },
    });
    expect(() => hosts.at(url)).toThrow(RangeError);
    await hosts.close();
  });
});
