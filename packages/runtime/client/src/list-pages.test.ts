import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Client,
  type KubeObject,
  type Resource,
  createClient,
  getIfExists,
  isAnswerTooLong,
  listAll,
  listPages,
} from './index.js';
import { type FakeApiServer, failure, json, startFakeApiServer } from './testing/fake-api-server.js';

const DATABASES: Resource = { group: 'example.com', version: 'v1', resource: 'databases' };
const KEY = { namespace: 'ns', name: 'db' };

let server: FakeApiServer;
let client: Client;
beforeEach(async () => {
  server = await startFakeApiServer(() => undefined);
  client = createClient({ name: 'provider', connection: server.connection });
});
afterEach(async () => {
  await client.close();
  await server.close();
});

const database = (name: string): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Database',
  metadata: { namespace: 'ns', name },
});
const page = (names: readonly string[], next?: string): object => ({
  apiVersion: 'example.com/v1',
  kind: 'DatabaseList',
  metadata: { resourceVersion: '7', ...(next === undefined ? {} : { continue: next }) },
  items: names.map(database),
});
const tokenOf = (url: string): string => new URL(url, server.url).searchParams.get('continue') ?? 'first';
const namesOf = (objects: readonly KubeObject[]): readonly string[] => objects.map(({ metadata }) => metadata.name);

describe('a list in pages', () => {
  /** What is answered to each continuation; a number is a failure. */
  const answer = (pages: Readonly<Record<string, object | number>>): void => {
    server.answer = ({ url }, response) => {
      const found = pages[tokenOf(url)] ?? 500;
      if (typeof found === 'number')
        failure(response, found, found === 410 ? 'Expired' : 'InternalError', 'the moment has passed');
      else json(response, found);
    };
  };

  it('asks for each page when the one before has been dealt with, and keeps to what was asked', async () => {
    answer({ first: page(['a', 'b'], 'second'), second: page([], 'third'), third: page(['c'], '') });
    const seen: (readonly string[])[] = [];
    for await (const items of listPages(client, DATABASES, { namespace: 'ns', labelSelector: 'a=b', limit: 2 })) {
      expect(server.requests).toHaveLength(seen.length + 1);
      seen.push(namesOf(items));
    }
    expect(seen).toEqual([['a', 'b'], [], ['c']]);
    for (const { url } of server.requests)
      expect(url).toMatch(/^\/apis\/example\.com\/v1\/namespaces\/ns\/databases\?labelSelector=a%3Db&limit=2/u);
    expect(namesOf(await listAll(client, DATABASES))).toEqual(['a', 'b', 'c']);
    expect(server.requests.at(-1)?.url).toBe('/apis/example.com/v1/databases?limit=500&continue=third');
  });

  it('asks for fewer objects where a page is too long, down to one, and for more again', async () => {
    const lengths = [...Array.from({ length: 10 }, () => 4_000), ...Array.from({ length: 200 }, () => 10), 30_000, 10];
    server.answer = ({ url }, response) => {
      const query = new URL(url, server.url).searchParams;
      const start = Number(query.get('continue') ?? 0);
      const end = start + Number(query.get('limit'));
      const items = lengths
        .slice(start, end)
        .map((length, index) => ({ ...database(`db-${start + index}`), spec: 'x'.repeat(length) }));
      json(response, { ...page([], end < lengths.length ? String(end) : undefined), items });
    };
    const found = await listAll(client, DATABASES, { maxBytes: 20_000 });
    expect(namesOf(found)).toEqual(lengths.map((_, index) => `db-${index}`));
    const limits = server.requests.map(({ url }) => Number(new URL(url, server.url).searchParams.get('limit')));
    expect(limits.slice(0, 5)).toEqual([500, 125, 31, 7, 1]);
    expect(Math.max(...limits.slice(5))).toBeGreaterThan(10);
    expect(limits.length).toBeLessThan(60);
  });

  it('fails where one object alone is longer than the client reads', async () => {
    server.answer = (_request, response) => {
      json(response, { ...page([]), items: [{ ...database('large'), spec: 'x'.repeat(50_000) }] });
    };
    const narrow = createClient({ name: 'provider', connection: server.connection, maxAnswerBytes: 40_000 });
    const failed: unknown = await listAll(narrow, DATABASES, { maxBytes: 20_000 }).catch((error: unknown) => error);
    await narrow.close();
    expect(failed).toMatchObject({ code: 'Malformed' });
    expect(isAnswerTooLong(failed)).toBe(true);
    expect(isAnswerTooLong(new Error('other'))).toBe(false);
  });

  it('asks for no more than is wanted', async () => {
    answer({ first: page(['a'], 'second'), second: page(['b']) });
    for await (const items of listPages(client, DATABASES)) {
      expect(namesOf(items)).toEqual(['a']);
      break;
    }
    expect(server.requests).toHaveLength(1);
  });

  it('fails when a later page has expired: what was seen is not everything', async () => {
    answer({ first: page(['a'], 'second'), second: 410 });
    const seen: string[] = [];
    await expect(
      (async () => {
        for await (const items of listPages(client, DATABASES)) seen.push(...namesOf(items));
      })(),
    ).rejects.toMatchObject({ code: 'Expired', retryable: true });
    expect(seen).toEqual(['a']);
    await expect(listAll(client, DATABASES)).rejects.toMatchObject({ code: 'Expired' });
  });

  it('fails where the same continuation is handed out again', async () => {
    answer({ first: page(['a'], 'second'), second: page(['b'], 'second') });
    await expect(listAll(client, DATABASES)).rejects.toMatchObject({
      code: 'Malformed',
      message: 'provider: list databases.example.com: the list does not end',
    });
    expect(server.requests).toHaveLength(2);
  });
});

describe('an object that may not exist', () => {
  it('is undefined only where the server says so of this very object', async () => {
    server.answer = (_request, response) => {
      json(response, database('db'));
    };
    expect((await getIfExists(client, DATABASES, KEY))?.metadata.name).toBe('db');
    server.answer = (_request, response) => {
      failure(response, 404, 'NotFound', 'x', {}, { name: 'db', group: 'example.com', kind: 'databases' });
    };
    expect(await getIfExists(client, DATABASES, KEY)).toBeUndefined();
    server.answer = (_request, response) => {
      failure(response, 404, 'NotFound', 'x', {}, { name: 'ns', kind: 'namespaces' });
    };
    await expect(getIfExists(client, DATABASES, KEY)).rejects.toMatchObject({ code: 'NotFound' });
    server.answer = (_request, response) => {
      response.writeHead(404).end('404 page not found');
    };
    await expect(getIfExists(client, DATABASES, KEY, { representation: 'metadata' })).rejects.toMatchObject({
      code: 'NotFound',
    });
  });
});
