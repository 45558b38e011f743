import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@hawser/clock';
import { type Client, type Resource, type UnstructuredObject, type WatchEvent, createClient } from './index.js';
import { type FakeApiServer, failure, json, startFakeApiServer } from './testing/fake-api-server.js';
import { drive, until } from './testing/wait.js';

const DATABASES: Resource = { group: 'example.com', version: 'v1', resource: 'databases' };

type Event = WatchEvent<UnstructuredObject>;

const object = (name: string, more: object = {}): UnstructuredObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Database',
  metadata: { name },
  ...more,
});
const line = (type: string, value: unknown): string => `${JSON.stringify({ type, object: value })}\n`;

describe('a watch', () => {
  let clock: FakeClock;
  let server: FakeApiServer;
  let client: Client;
  let responses: ServerResponse[];
  beforeEach(async () => {
    clock = new FakeClock();
    responses = [];
    server = await startFakeApiServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      responses.push(response);
    });
    client = createClient({ name: 'provider', connection: server.connection, clock, random: () => 0.5 });
  });
  afterEach(async () => {
    await client.close();
    await server.close();
    expect(clock.pendingTimers).toBe(0);
  });

  const response = (): ServerResponse => responses[responses.length - 1]!;
  const open = async (options = {}): Promise<AsyncIterator<Event>> =>
    (await client.watch(DATABASES, options))[Symbol.asyncIterator]();
  const write = (data: string | Buffer): Promise<void> =>
    new Promise((resolve) => {
      response().write(data, () => {
        resolve();
      });
    });

  it('asks for what it was told to', async () => {
    const stream = await open({
      namespace: 'ns',
      labelSelector: 'a=b',
      fieldSelector: 'metadata.name=x',
      resourceVersion: '5',
      allowBookmarks: true,
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      timeoutSeconds: 300,
      representation: 'metadata',
    });
    expect(server.requests[0]!.url).toBe(
      '/apis/example.com/v1/namespaces/ns/databases?watch=true&labelSelector=a%3Db&fieldSelector=metadata.name%3Dx&resourceVersion=5&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&sendInitialEvents=true&timeoutSeconds=300',
    );
    expect(server.requests[0]!.headers.accept).toBe(
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
    );
    await stream.return?.();
  });

  it('gives each event as it comes, long after any timeout, and ends when the server ends it', async () => {
    const stream = await open();
    for (const type of ['ADDED', 'MODIFIED', 'DELETED']) {
      const next = stream.next();
      await clock.advance(3_600_000);
      await write(line(type, object('a', { spec: { n: 1 } })));
      expect(await next).toEqual({ done: false, value: { type, object: object('a', { spec: { n: 1 } }) } });
    }
    await write('{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}\n');
    expect((await stream.next()).value).toEqual({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } });
    response().end(line('ADDED', object('last')));
    expect((await stream.next()).value).toMatchObject({ type: 'ADDED' });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it('puts together what arrives in pieces: lines, characters, an object of a mebibyte', async () => {
    const stream = await open();
    const text = line('ADDED', object('ünïcödé-😀', { spec: { data: 'ß'.repeat(600_000), n: '@' } })).replace(
      '"@"',
      '9223372036854775807',
    );
    const bytes = Buffer.from(`${text}${line('MODIFIED', object('b'))}`);
    const split = bytes.indexOf(Buffer.from('😀')) + 2;
    await write(bytes.subarray(0, split));
    await write(bytes.subarray(split, split + 1));
    await write(bytes.subarray(split + 1, 500_001));
    await write(bytes.subarray(500_001));
    expect((await stream.next()).value).toMatchObject({
      object: { metadata: { name: 'ünïcödé-😀' }, spec: { data: 'ß'.repeat(600_000), n: 9223372036854775807n } },
    });
    expect((await stream.next()).value).toMatchObject({ type: 'MODIFIED', object: { metadata: { name: 'b' } } });
    await stream.return?.();
  });

  it('gives what came before an ERROR, then throws it with its Status', async () => {
    const stream = await open();
    await write(
      `${line('ADDED', object('a'))}${line('ERROR', { kind: 'Status', status: 'Failure', code: 410, reason: 'Expired', message: 'too old resource version: 1 (207)' })}`,
    );
    expect((await stream.next()).value).toMatchObject({ type: 'ADDED' });
    await expect(stream.next()).rejects.toMatchObject({
      code: 'Expired',
      httpStatus: 410,
      message: 'provider: watch databases.example.com: too old resource version: 1 (207) (410 Expired)',
    });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await until(() => server.sockets.size === 0, 'the connection is closed');
  });

  it.each([
    ['a reader that waits', true],
    ['a reader that comes later', false],
  ])('throws Unreachable to %s when the connection is reset', async (_name, waits) => {
    const stream = await open({ namespace: 'ns' });
    await write(line('ADDED', object('a')));
    await stream.next();
    const next = waits ? stream.next() : undefined;
    next?.catch(() => undefined);
    for (const socket of server.sockets) socket.resetAndDestroy();
    await until(() => server.sockets.size === 0, 'the connection is reset');
    await expect(next ?? stream.next()).rejects.toMatchObject({
      code: 'Unreachable',
      retryable: true,
      message: expect.stringMatching(/^provider: watch databases\.example\.com ns: .+ \(Unreachable\)$/u) as unknown,
    });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it.each([
    ['no JSON', '{"type":"ADDED","object":{"secret":"cGFzc3dvcmQ="\n'],
    ['no event', '{"secret":"cGFzc3dvcmQ="}\n'],
    ['an event without object', '{"type":"ADDED","object":5}\n'],
    ['an event without metadata', '{"type":"ADDED","object":{"apiVersion":"v1","kind":"X"}}\n'],
    ['a bookmark without metadata', '{"type":"BOOKMARK","object":{}}\n'],
    ['an event of a type not known', '{"type":"cGFzc3dvcmQ=","object":{}}\n'],
  ])('throws Malformed on %s, does not quote it, and closes the connection', async (_name, text) => {
    const stream = await open();
    await write(text);
    const error: unknown = await stream.next().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'Malformed', retryable: true });
    expect(String((error as Error).stack)).not.toContain('cGFzc3dvcmQ');
    await until(() => server.sockets.size === 0, 'the connection is closed');
  });

  it('throws Malformed on a last line that is cut off', async () => {
    const stream = await open();
    response().end('{"type":"ADDED","obj');
    await expect(stream.next()).rejects.toMatchObject({ code: 'Malformed' });
  });

  it.each([
    [410, 'Expired', 'Expired'],
    [403, 'Forbidden', 'Forbidden'],
    [404, 'NotFound', 'NotFound'],
  ])('that the server refuses with %s throws at once', async (code, reason, expected) => {
    server.answer = (_request, refusal) => {
      failure(refusal, code, reason, 'no');
    };
    await expect(client.watch(DATABASES)).rejects.toMatchObject({ code: expected });
  });

  it('is tried again when it cannot be opened', async () => {
    const answer = server.answer;
    let count = 0;
    server.answer = (request, refusal, socket) => {
      count++;
      if (count === 1) socket.resetAndDestroy();
      else if (count === 2) failure(refusal, 429, 'TooManyRequests', 'wait', { 'retry-after': '1' });
      else answer(request, refusal, socket);
    };
    const stream = await drive(clock, open());
    expect(server.requests).toHaveLength(3);
    await stream.return?.();
  });

  it('that nobody answers times out', async () => {
    server.answer = () => undefined;
    const opening = client.watch(DATABASES).catch((error: unknown) => error);
    await until(() => server.requests.length === 1, 'the request has arrived');
    await clock.advance(30_000);
    expect(await opening).toMatchObject({ code: 'Timeout' });
  });

  it('closes its connection at once when the loop is left', async () => {
    const stream = await client.watch(DATABASES);
    await write(line('ADDED', object('a')));
    for await (const event of stream) {
      expect(event.type).toBe('ADDED');
      break;
    }
    await until(() => server.sockets.size === 0, 'the connection is closed');
    expect(await stream[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
  });

  it.each([
    ['before', 'Aborted'],
    ['while it waits', 'Aborted'],
    ['with events that nobody has read', 'Aborted'],
  ])('throws Aborted and closes its connection when the signal aborts %s', async (when) => {
    const controller = new AbortController();
    if (when === 'before') {
      controller.abort();
      await expect(client.watch(DATABASES, { signal: controller.signal })).rejects.toMatchObject({ code: 'Aborted' });
      return;
    }
    const stream = await open({ signal: controller.signal });
    const next = when === 'while it waits' ? stream.next() : undefined;
    next?.catch(() => undefined);
    if (next === undefined) {
      await write(`${line('ADDED', object('a'))}${line('ADDED', object('b'))}${line('ADDED', object('c'))}`);
      expect((await stream.next()).value).toMatchObject({ object: { metadata: { name: 'a' } } });
    }
    controller.abort(new Error('why'));
    await expect(next ?? stream.next()).rejects.toMatchObject({ code: 'Aborted', cause: new Error('why') });
    await until(() => server.sockets.size === 0, 'the connection is closed');
  });

  it('ends with the client', async () => {
    const stream = await open();
    const next = stream.next().catch((error: unknown) => error);
    await client.close();
    expect(await next).toMatchObject({ code: 'Aborted' });
    await until(() => server.sockets.size === 0, 'the connection is closed');
  });

  it('lets the server wait while nobody reads, and loses nothing', async () => {
    const stream = await open();
    const total = 4_000;
    const data = 'x'.repeat(10_000);
    let written = 0;
    const pump = (): void => {
      while (written < total) {
        const room = response().write(line('ADDED', object(`o-${written}`, { data })));
        written++;
        if (!room) {
          response().once('drain', pump);
          return;
        }
      }
      response().end();
    };
    pump();
    // 40 MB do not fit anywhere on the way: the server gets stuck long before.
    let still = 0;
    let before = -1;
    await until(() => {
      still = written === before ? still + 1 : 0;
      before = written;
      return still > 2_000;
    }, 'the server waits');
    expect(written).toBeLessThan(total);
    let read = 0;
    for (let event = await stream.next(); event.done !== true; event = await stream.next()) {
      expect((event.value.object as UnstructuredObject).metadata.name).toBe(`o-${read}`);
      read++;
    }
    expect(read).toBe(total);
  });

  it('neither keeps requests waiting nor waits for them, however many there are', async () => {
    const narrow = createClient({ name: 'narrow', connection: server.connection, clock, concurrency: 1 });
    const watches = await Promise.all(Array.from({ length: 20 }, () => narrow.watch(DATABASES)));
    const answer = server.answer;
    server.answer = (_request, reply) => {
      json(reply, object('a'));
    };
    await narrow.get(DATABASES, { name: 'a' });
    server.answer = () => undefined;
    const hanging = narrow.get(DATABASES, { name: 'a' }).catch((error: unknown) => error);
    await until(() => server.requests.length === 22, 'the request has arrived');
    server.answer = answer;
    const more = await narrow.watch(DATABASES);
    await narrow.close();
    await hanging;
    for (const watch of [...watches, more])
      await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'Aborted' });
    await until(() => server.sockets.size === 0, 'the connections are closed');
  });
});
