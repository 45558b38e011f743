import { Readable } from 'node:stream';
import type { PassedAnswer } from '@hawser/client';
import { expect, it } from '@jest/globals';
import { Documents } from './documents.js';
import { Refused } from './refused.js';

/** An API server with one document. */
class Server {
  version = 1;
  status = 200;
  readonly answered: number[] = [];
  readonly ask = (etag: string | undefined): Promise<PassedAnswer> => {
    const current = `"${this.version}"`;
    const status = this.status === 200 && etag === current ? 304 : this.status;
    this.answered.push(status);
    const text = status === 200 ? JSON.stringify({ version: this.version }) : '';
    return Promise.resolve({ status, headers: { etag: current }, body: Readable.from([text], { objectMode: false }) });
  };
}

const counted = () => {
  const counts = { made: 0 };
  const shown = (document: unknown): unknown => {
    counts.made++;
    return { shown: document };
  };
  return { counts, shown };
};

it('parses a version of a document once for all who are shown the same', async () => {
  const [documents, server, { counts, shown }] = [new Documents(), new Server(), counted()];
  const get = async (key = 'zones'): Promise<string> =>
    (await documents.get({ key, ask: server.ask, shown })).toString('utf8');
  const first = await Promise.all(Array.from({ length: 100 }, () => get()));
  expect(new Set(first)).toEqual(new Set(['{"shown":{"version":1}}\n']));
  expect(counts.made).toBe(1);
  for (let again = 0; again < 100; again++) expect(await get()).toBe(first[0]);
  expect(counts.made).toBe(1);
  // The API server was asked each time.
  expect(server.answered.length).toBe(200);
  expect(server.answered.slice(100).every((status) => status === 304)).toBe(true);
  await get('realms');
  expect(counts.made).toBe(2);
  server.version = 2;
  expect(await get()).toBe('{"shown":{"version":2}}\n');
  expect(counts.made).toBe(3);
});

it('answers as the API server does where it refuses a document that is kept', async () => {
  const [documents, server, { shown }] = [new Documents(), new Server(), counted()];
  const get = () => documents.get({ key: 'zones', ask: server.ask, shown });
  await get();
  for (const [status, code] of [
    [404, 404],
    [403, 503],
    [500, 503],
  ] as const) {
    server.status = status;
    const error: unknown = await get().catch((thrown: unknown) => thrown);
    expect(error instanceof Refused ? error.status.code : error).toBe(code);
  }
});

it('keeps no more than it may, and those that were used last', async () => {
  const length = '{"shown":{"version":1}}\n'.length;
  const [documents, server, { counts, shown }] = [new Documents(2 * length), new Server(), counted()];
  const get = (key: string) => documents.get({ key, ask: server.ask, shown });
  for (const key of ['a', 'b', 'a', 'c', 'a']) await get(key);
  expect(counts.made).toBe(3);
  await get('b');
  expect(counts.made).toBe(4);
  const small = new Documents(length - 1);
  for (let again = 0; again < 3; again++) await small.get({ key: 'a', ask: server.ask, shown });
  expect(counts.made).toBe(7);
});

it('keeps nothing of a document without an entity tag', async () => {
  const [documents, { counts, shown }] = [new Documents(), counted()];
  const ask = (): Promise<PassedAnswer> =>
    Promise.resolve({ status: 200, headers: {}, body: Readable.from(['{}'], { objectMode: false }) });
  for (let again = 0; again < 3; again++) await documents.get({ key: 'a', ask, shown });
  expect(counts.made).toBe(3);
});
