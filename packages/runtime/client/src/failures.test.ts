import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@hawser/clock';
import { Pool } from 'undici';
import {
  ApiError,
  type Client,
  type Resource,
  createClient,
  isApiError,
  isObjectNotFound,
  isRefusal,
} from './index.js';
import { type FakeApiServer, failure, json, startFakeApiServer } from './testing/fake-api-server.js';
import { drive, until } from './testing/wait.js';

const DATABASES: Resource = { group: 'example.com', version: 'v1', resource: 'databases' };
const KEY = { namespace: 'ns', name: 'db' };
const OBJECT = { apiVersion: 'example.com/v1', kind: 'Database', metadata: KEY };
const LIST = { apiVersion: 'example.com/v1', kind: 'DatabaseList', metadata: {}, items: [] };

describe('a failing request', () => {
  let clock: FakeClock;
  let server: FakeApiServer;
  let client: Client;
  beforeEach(async () => {
    clock = new FakeClock();
    server = await startFakeApiServer((_request, response) => {
      json(response, OBJECT);
    });
    client = createClient({ name: 'provider', connection: server.connection, clock, random: () => 0.5 });
  });
  afterEach(async () => {
    await client.close();
    await server.close();
    expect(clock.pendingTimers).toBe(0);
  });

  const failed = async (promise: Promise<unknown>): Promise<ApiError> => {
    const error = await drive(clock, promise).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ApiError);
    return error as ApiError;
  };
  const get = (): Promise<unknown> => client.get(DATABASES, KEY);
  const list = (): Promise<unknown> => client.list(DATABASES);
  const create = (): Promise<unknown> => client.create(DATABASES, OBJECT);
  const remove = (): Promise<unknown> => client.delete(DATABASES, KEY);

  it.each<[number, string, string, boolean]>([
    [400, 'BadRequest', 'BadRequest', false],
    [401, 'Unauthorized', 'Unauthorized', false],
    [403, 'Forbidden', 'Forbidden', false],
    [404, 'NotFound', 'NotFound', false],
    [405, 'MethodNotAllowed', 'MethodNotAllowed', false],
    [409, 'Conflict', 'Conflict', true],
    [409, 'AlreadyExists', 'AlreadyExists', false],
    [410, 'Expired', 'Expired', true],
    [410, 'Gone', 'Expired', true],
    [413, 'RequestEntityTooLarge', 'TooLarge', false],
    [415, 'UnsupportedMediaType', 'UnsupportedMediaType', false],
    [422, 'Invalid', 'Invalid', false],
    [429, 'TooManyRequests', 'TooManyRequests', true],
    [500, 'InternalError', 'InternalError', true],
    [500, 'ServerTimeout', 'ServerTimeout', true],
    [503, 'ServiceUnavailable', 'Unavailable', true],
    [504, 'Timeout', 'ServerTimeout', true],
    [418, 'Teapot', 'Unknown', false],
  ])('answered %d %s is an ApiError %s; retryable: %s', async (http, reason, code, retryable) => {
    server.answer = (_request, response) => {
      failure(response, http, reason, 'the words of the server', {}, { name: 'db', causes: [{ field: 'spec.x' }] });
    };
    const error = await failed(client.update(DATABASES, OBJECT, { subresource: 'status', timeoutMs: 100 }));
    expect(error).toMatchObject({
      code,
      httpStatus: http,
      retryable,
      status: { reason, details: { causes: [{ field: 'spec.x' }] } },
    });
    expect(isRefusal(error)).toBe(!retryable && http !== 404);
    expect(error.message).toBe(
      `provider: update databases.example.com/status ns/db: the words of the server (${http} ${code})`,
    );
    expect(error.request).toEqual({
      cluster: 'provider',
      verb: 'update',
      resource: 'databases.example.com/status',
      namespace: 'ns',
      name: 'db',
    });
  });

  it('is described without a Status, too, and never shows the token', async () => {
    server.answer = (request, response) => {
      response.writeHead(403).end(`<h1>\n  You sent ${String(request.headers.authorization)}</h1>${'x'.repeat(500)}`);
    };
    const error = await failed(get());
    expect(error.message).toMatch(
      /^provider: get databases\.example\.com ns\/db: <h1> You sent Bearer \[redacted\]<\/h1>x+… \(403 Forbidden\)$/u,
    );
    expect(error.status).toBeUndefined();
    expect(isRefusal(error)).toBe(false);
    server.answer = (request, response) => {
      failure(response, 403, 'Forbidden', String(request.headers.authorization));
    };
    expect(JSON.stringify((await failed(get())).details)).not.toContain('the-secret-token');
    server.answer = (_request, response) => {
      response.writeHead(500).end();
    };
    expect((await failed(get())).message).toBe(
      'provider: get databases.example.com ns/db: the server gave no reason (500 InternalError)',
    );
  });

  it('is not put off for longer than ten minutes, whatever the server asks for', async () => {
    for (const retryAfter of ['999999999', new Date(clock.now() + 10 ** 12).toUTCString()]) {
      server.answer = (_request, response) => {
        failure(response, 429, 'TooManyRequests', 'later', { 'retry-after': retryAfter });
      };
      expect(await failed(get())).toMatchObject({ code: 'TooManyRequests', retryAfterMs: 600_000 });
    }
  });

  it('quotes no more of the server than anybody reads', async () => {
    server.answer = (_request, response) => {
      failure(response, 403, 'Forbidden', 'w'.repeat(1_000_000));
    };
    expect((await failed(get())).message.length).toBeLessThan(9_000);
  });

  it('is what a redirect makes of it: nobody follows, and no credentials go elsewhere', async () => {
    const secondServer = await startFakeApiServer((_request, response) => {
      json(response, OBJECT);
    });
    for (const code of [301, 302, 303, 307, 308]) {
      server.answer = (_request, response) => {
        response.writeHead(code, { location: secondServer.connection.server }).end();
      };
      expect(await failed(get())).toMatchObject({ code: 'Unknown', httpStatus: code, retryable: false });
      expect(await failed(create())).toMatchObject({ code: 'Unknown', httpStatus: code });
      expect(await failed(client.watch(DATABASES))).toMatchObject({ code: 'Unknown', httpStatus: code });
    }
    expect(secondServer.requests).toEqual([]);
    await secondServer.close();
  });

  it.each(['a success', 'a refusal'])('is what an answer makes of it that never ends: %s', async (kind) => {
    const limited = createClient({ name: 'provider', connection: server.connection, clock, maxAnswerBytes: 100_000 });
    server.answer = (_request, response) => {
      response.writeHead(kind === 'a success' ? 200 : 403, { 'content-type': 'application/json' });
      const more = (): void => {
        if (!response.destroyed && response.write(' '.repeat(10_000))) setImmediate(more);
      };
      response.on('drain', more);
      more();
    };
    expect(await failed(limited.list(DATABASES))).toMatchObject({
      code: 'Malformed',
      message: 'provider: list databases.example.com: the answer is longer than 100000 bytes (Malformed)',
    });
    await until(() => server.sockets.size === 0, 'the connection is closed');
    expect(server.requests).toHaveLength(1);
    await limited.close();
  });

  it('tells an object that does not exist from an API or a namespace that does not', async () => {
    const check = async (): Promise<[boolean, boolean]> => {
      const error = await failed(get());
      return [isApiError(error, 'NotFound'), isObjectNotFound(error, DATABASES, KEY)];
    };
    server.answer = (_request, response) => {
      failure(response, 404, 'NotFound', 'x', {}, { name: 'db', group: 'example.com', kind: 'databases' });
    };
    expect(await check()).toEqual([true, true]);
    server.answer = (_request, response) => {
      failure(response, 404, 'NotFound', 'x', {}, { name: 'ns', kind: 'namespaces' });
    };
    expect(await check()).toEqual([true, false]);
    server.answer = (_request, response) => {
      response.writeHead(404).end('404 page not found');
    };
    expect(await check()).toEqual([true, false]);
  });

  it.each<[string, string, () => Promise<unknown>]>([
    ['no JSON', '{"a":', get],
    ['an HTML page', '<html>', list],
    ['nothing', '', create],
    ['an array', '[]', get],
    ['null', 'null', get],
    ['no kind', '{"apiVersion":"v1","metadata":{}}', get],
    ['no metadata', '{"apiVersion":"v1","kind":"X"}', get],
    ['a list without items', '{"apiVersion":"v1","kind":"XList","metadata":{},"items":{}}', list],
    ['a list of numbers', '{"apiVersion":"v1","kind":"XList","metadata":{},"items":[1]}', list],
    ['labels that are no texts', '{"apiVersion":"v1","kind":"X","metadata":{"name":"db","labels":{"app":1}}}', get],
    ['finalizers that are no list', '{"apiVersion":"v1","kind":"X","metadata":{"name":"db","finalizers":{}}}', get],
    ['a name that means something in a path', '{"apiVersion":"v1","kind":"X","metadata":{"name":"a/b"}}', get],
    [
      'a page whose continuation is not a text',
      '{"apiVersion":"v1","kind":"XList","metadata":{"continue":{}},"items":[]}',
      list,
    ],
    [
      'an item without metadata, for one who is not told of it',
      '{"apiVersion":"v1","kind":"XList","metadata":{},"items":[{"metadata":{"name":"a"}},{"spec":{}}]}',
      list,
    ],
    ['a Status for a list', '{"apiVersion":"v1","kind":"Status","metadata":{}}', list],
    ['a number for a deletion', '5', remove],
  ])('with the answer %s is Malformed', async (_name, body, send) => {
    server.answer = (_request, response) => {
      json(response, body);
    };
    const error = await failed(send());
    expect(error).toMatchObject({ code: 'Malformed', retryable: true });
  });

  it('takes a Status without those of its fields that have another type', async () => {
    server.answer = (_request, response) => {
      json(
        response,
        '{"kind":"Status","reason":7,"message":{"a":1},"details":{"causes":"x","retryAfterSeconds":"y","name":[]}}',
        422,
      );
    };
    expect(await failed(get())).toMatchObject({
      code: 'Invalid',
      message: expect.stringContaining('failed (422 Invalid)'),
    });
  });

  it('does not quote an answer that it cannot read', async () => {
    server.answer = (_request, response) => {
      json(response, 'cGFzc3dvcmQ=');
    };
    expect(JSON.stringify([await failed(get()), String((await failed(get())).stack)])).not.toContain('cGFzc3dvcmQ');
  });

  describe('is sent again', () => {
    /** Answers the first `times` requests with `fault`, and all others well. */
    const faulty = (times: number, fault: FakeApiServer['answer']): void => {
      let count = 0;
      server.answer = (request, response, socket) => {
        if (count++ < times) fault(request, response, socket);
        else json(response, request.method === 'GET' && !request.url.endsWith('/db') ? LIST : OBJECT);
      };
    };
    const reset: FakeApiServer['answer'] = (_request, _response, socket) => {
      socket.resetAndDestroy();
    };
    const resetInBody: FakeApiServer['answer'] = (_request, response, socket) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"apiVersion"', () => {
        socket.resetAndDestroy();
      });
    };

    it.each([
      ['get', get],
      ['list', list],
    ])('after a lost connection: %s', async (_name, send) => {
      for (const fault of [reset, resetInBody]) {
        faulty(3, fault);
        await drive(clock, send());
      }
      expect(server.requests).toHaveLength(8);
    });

    it('but not for ever', async () => {
      faulty(99, reset);
      expect(await failed(get())).toMatchObject({ code: 'Unreachable', retryable: true });
      expect(server.requests).toHaveLength(4);
    });

    it.each<[string, () => Promise<unknown>]>([
      ['create', create],
      ['delete', remove],
      ['update', () => client.update(DATABASES, OBJECT)],
      ['patch', () => client.patch(DATABASES, KEY, { type: 'merge', patch: {} })],
      ['raw', () => client.raw('POST', '/x', {})],
    ])('but a write never is, once it may have arrived: %s', async (_name, send) => {
      for (const fault of [reset, resetInBody]) {
        faulty(1, fault);
        expect(await failed(send())).toMatchObject({ code: 'Unreachable' });
      }
      faulty(1, (_request, response) => {
        failure(response, 503, 'ServiceUnavailable', 'x');
      });
      expect(await failed(send())).toMatchObject({ code: 'Unavailable' });
      faulty(1, (_request, response) => {
        failure(response, 500, 'InternalError', 'x', { 'retry-after': '1' });
      });
      expect(await failed(send())).toMatchObject({ code: 'InternalError', retryAfterMs: 1000 });
      expect(server.requests).toHaveLength(4);
    });

    it('when nobody listened, be it a write', async () => {
      const port = Number(new URL(server.url).port);
      await server.close();
      const created = create();
      await until(() => clock.pendingTimers === 2, 'the first try has failed');
      server = await startFakeApiServer(
        (_request, response) => {
          json(response, OBJECT);
        },
        { port },
      );
      await drive(clock, created);
      expect(server.requests).toHaveLength(1);
      await server.close();
      const error = await failed(create());
      expect(error.code).toBe('Unreachable');
      expect(error.message).toMatch(
        /^provider: create databases\.example\.com ns\/db: connect ECONNREFUSED 127\.0\.0\.1:\d+ \(Unreachable\)$/u,
      );
    });

    it.each<[string, FakeApiServer['answer'], number]>([
      [
        '429 with a header',
        (_request, response) => {
          response.writeHead(429, { 'retry-after': '7' }).end('Too many requests, please try again later.\n');
        },
        7_000,
      ],
      [
        '429 with a date',
        (_request, response) => {
          response.writeHead(429, { 'retry-after': new Date(clock.now() + 5_000).toUTCString() }).end();
        },
        5_000,
      ],
      [
        '429 with a Status',
        (_request, response) => {
          failure(response, 429, 'TooManyRequests', 'x', {}, { retryAfterSeconds: 3 });
        },
        3_000,
      ],
      [
        '503 with a header',
        (_request, response) => {
          failure(response, 503, 'ServiceUnavailable', 'x', { 'retry-after': '2' });
        },
        2_000,
      ],
      [
        '429 alone',
        (_request, response) => {
          response.writeHead(429).end();
        },
        150,
      ],
    ])('after %s, not before its time, be it a write', async (_name, fault, waitMs) => {
      for (const send of [create, get]) {
        faulty(1, fault);
        const started = clock.now();
        await drive(clock, send());
        expect(clock.now() - started).toBeGreaterThanOrEqual(waitMs);
        expect(clock.now() - started).toBeLessThan(waitMs + 500);
      }
    });

    it("while there is time: then the server's words come out", async () => {
      faulty(99, (_request, response) => {
        failure(response, 429, 'TooManyRequests', 'slow down', { 'retry-after': '20' });
      });
      const started = clock.now();
      expect(await failed(create())).toMatchObject({ code: 'TooManyRequests', retryAfterMs: 20_000 });
      expect(clock.now() - started).toBeLessThan(30_000);
      expect(server.requests).toHaveLength(2);
    });
  });

  describe('ends', () => {
    const hang = (): void => {
      server.answer = () => undefined;
    };

    it('when its time is up', async () => {
      hang();
      const request = create();
      request.catch(() => undefined);
      await until(() => server.requests.length === 1, 'the request has arrived');
      await clock.advance(29_999);
      expect(server.sockets.size).toBe(1);
      await clock.advance(1);
      await expect(request).rejects.toMatchObject({
        code: 'Timeout',
        retryable: true,
        message: 'provider: create databases.example.com ns/db: no answer within 30000 ms (Timeout)',
      });
      await until(() => server.sockets.size === 0, 'the connection is closed');
    });

    it('when its time is up in the middle of the body', async () => {
      server.answer = (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{');
      };
      const request = client.get(DATABASES, KEY, { timeoutMs: 500 });
      request.catch(() => undefined);
      await until(() => server.requests.length === 1, 'the request has arrived');
      await clock.advance(500);
      await expect(request).rejects.toMatchObject({ code: 'Timeout' });
    });

    it('when the caller says so: before, while it waits for an answer, while it waits for a retry', async () => {
      await expect(client.get(DATABASES, KEY, { signal: AbortSignal.abort(new Error('why')) })).rejects.toMatchObject({
        code: 'Aborted',
        retryable: false,
        cause: new Error('why'),
      });
      expect(server.requests).toHaveLength(0);

      hang();
      const controller = new AbortController();
      const request = client.get(DATABASES, KEY, { signal: controller.signal });
      request.catch(() => undefined);
      await until(() => server.requests.length === 1, 'the request has arrived');
      controller.abort();
      await expect(request).rejects.toMatchObject({
        code: 'Aborted',
        message: 'provider: get databases.example.com ns/db: aborted (Aborted)',
      });
      await until(() => server.sockets.size === 0, 'the connection is closed');

      server.answer = (_request, response) => {
        response.writeHead(429, { 'retry-after': '5' }).end();
      };
      const again = new AbortController();
      const waiting = client.get(DATABASES, KEY, { signal: again.signal });
      waiting.catch(() => undefined);
      await until(() => clock.pendingTimers === 2, 'the request waits for a retry');
      again.abort();
      await expect(waiting).rejects.toMatchObject({ code: 'Aborted' });
    });

    it('at once where no connection can be made', async () => {
      const controller = new AbortController();
      // An address for documentation: nobody answers there, with an error or otherwise.
      const lost = createClient({
        name: 'lost',
        connection: { server: 'http://192.0.2.1:6443', credentials: { kind: 'none' } },
        clock,
      });
      const request = lost.get(DATABASES, KEY, { signal: controller.signal });
      const outcome = request.catch((error: unknown) => error);
      controller.abort();
      expect(await outcome).toMatchObject({ code: 'Aborted' });
      await lost.close();
    });

    it("while it waits for its turn, and takes nobody else's", async () => {
      hang();
      const narrow = createClient({ name: 'narrow', connection: server.connection, clock, concurrency: 1 });
      const controller = new AbortController();
      const first = narrow.get(DATABASES, KEY).catch((error: unknown) => error);
      const second = narrow.get(DATABASES, KEY, { signal: controller.signal }).catch((error: unknown) => error);
      await until(() => server.requests.length === 1, 'the first has arrived');
      controller.abort();
      expect(await second).toMatchObject({ code: 'Aborted' });
      await clock.advance(30_000);
      expect(await first).toMatchObject({ code: 'Timeout' });
      server.answer = (_request, response) => {
        json(response, OBJECT);
      };
      await narrow.get(DATABASES, KEY);
      await narrow.close();
    });

    it('when the client is closed, which leaves nothing behind', async () => {
      hang();
      const requests = [get(), create(), client.watch(DATABASES)].map((request) =>
        request.catch((error: unknown) => error),
      );
      await until(() => server.requests.length === 3, 'the requests have arrived');
      await client.close();
      for (const error of await Promise.all(requests)) expect(error).toMatchObject({ code: 'Aborted' });
      await until(() => server.sockets.size === 0, 'the connections are closed');
      await expect(get()).rejects.toMatchObject({ code: 'Aborted', cause: new Error('the client is closed') });
      await client.close();
    });
  });

  describe('after a connection was lost', () => {
    const lose = async (): Promise<void> => {
      server.answer = (_request, response) => {
        response.destroy();
      };
      await failed(client.delete(DATABASES, KEY));
      server.answer = (_request, response) => {
        json(response, OBJECT);
      };
    };

    it('is a write only once it is proven who answers', async () => {
      const proof = Promise.withResolvers<undefined>();
      let proofs = 0;
      client.recovery?.proveBeforeWrites(async () => {
        proofs++;
        await get();
        await proof.promise;
      });
      await create();
      expect(proofs).toBe(0);
      await lose();
      const before = server.requests.length;
      const writes = [create(), remove()];
      await get();
      await until(() => server.requests.length === before + 2, 'reads go on');
      expect(server.requests.slice(before).map(({ method }) => method)).toEqual(['GET', 'GET']);
      proof.resolve(undefined);
      await Promise.all(writes);
      await create();
      expect(proofs).toBe(1);
    });

    it('is no write where another one answers', async () => {
      client.recovery?.proveBeforeWrites(() => Promise.reject(new Error('another cluster answers')));
      await lose();
      const before = server.requests.length;
      expect(await failed(create())).toMatchObject({ code: 'Unreachable' });
      expect(server.requests).toHaveLength(before);
    });

    it.each([403, 404])('is no write that was refused where the proof is answered with %d', async (code) => {
      client.recovery?.proveBeforeWrites(async () => {
        await client.get(DATABASES, { ...KEY, name: 'proof' });
      });
      await lose();
      server.answer = (_request, response) => {
        failure(response, code, code === 403 ? 'Forbidden' : 'NotFound', 'not for you');
      };
      expect(await failed(create())).toMatchObject({
        code: 'Unreachable',
        message: expect.stringContaining('not for you'),
      });
    });

    it('is no write that waited for a connection meanwhile', async () => {
      const waiting: (() => void)[] = [];
      const pool = new Pool(server.connection.server);
      const dispatch = pool.dispatch.bind(pool);
      pool.dispatch = (options, handler) => {
        if (options.method !== 'POST') return dispatch(options, handler);
        waiting.push(() => dispatch(options, handler));
        return true;
      };
      const { connection } = server;
      const slow = createClient({ name: 'provider', connection, clock, random: () => 0.5, dispatcher: () => pool });
      const proof = Promise.withResolvers<undefined>();
      let proofs = 0;
      slow.recovery?.proveBeforeWrites(async () => {
        proofs++;
        await proof.promise;
      });
      const write = slow.create(DATABASES, OBJECT);
      await until(() => waiting.length === 1, 'it waits for a connection');
      server.answer = (request, response) => {
        if (request.method === 'DELETE') response.destroy();
        else json(response, OBJECT);
      };
      await failed(slow.delete(DATABASES, KEY));
      waiting.pop()?.();
      await drive(
        clock,
        until(() => proofs === 1, 'the proof is asked for'),
      );
      expect(server.requests.map(({ method }) => method)).not.toContain('POST');
      proof.resolve(undefined);
      await drive(
        clock,
        until(() => waiting.length === 1, 'it is tried again'),
      );
      waiting.pop()?.();
      await drive(clock, write);
      expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
      await slow.close();
    });

    it('is proven after the end of a watch, too', async () => {
      let proofs = 0;
      client.recovery?.proveBeforeWrites(() => {
        proofs++;
        return Promise.resolve();
      });
      server.answer = (request, response) => {
        if (!request.url.includes('watch=')) {
          json(response, OBJECT);
          return;
        }
        response.writeHead(200, { 'content-type': 'application/json' });
        response.flushHeaders();
        response.end();
      };
      for await (const event of await client.watch(DATABASES)) expect(event).toBeUndefined();
      await create();
      expect(proofs).toBe(1);
    });
  });

  describe('under a write guard', () => {
    it('is not sent again after a guard has come to its end in the wait, though nothing has told of that yet', async () => {
      const guard = new AbortController();
      let isOver = false;
      // As that of a lease, which looks at the clock.
      Object.defineProperty(guard.signal, 'aborted', { get: () => isOver });
      server.answer = (_request, response) => {
        failure(response, 503, 'ServiceUnavailable', 'busy', { 'retry-after': '5' });
      };
      const write = client.withWriteGuard(guard.signal).update(DATABASES, OBJECT);
      const ended = write.catch((error: unknown) => error);
      await until(() => server.requests.length === 1, 'the update has arrived');
      await until(() => clock.pendingTimers === 2, 'it waits to be sent again');
      isOver = true;
      await drive(clock, ended);
      expect(await ended).toMatchObject({ code: 'Aborted' });
      expect(server.requests).toHaveLength(1);
    });

    it('is refused once the guard aborts, if it is a write', async () => {
      const guard = new AbortController();
      const guarded = client.withWriteGuard(guard.signal);
      expect(guarded.name).toBe('provider');
      await guarded.create(DATABASES, OBJECT);
      server.answer = (request, response) => {
        if (request.method === 'GET') json(response, OBJECT);
      };
      const inFlight = guarded.update(DATABASES, OBJECT).catch((error: unknown) => error);
      await until(() => server.requests.length === 2, 'the update has arrived');
      guard.abort(new Error('the lease is lost'));
      expect(await inFlight).toMatchObject({ code: 'Aborted', cause: new Error('the lease is lost') });
      const writes = [
        () => guarded.create(DATABASES, OBJECT),
        () => guarded.update(DATABASES, OBJECT),
        () => guarded.delete(DATABASES, KEY),
        () => guarded.patch(DATABASES, KEY, { type: 'merge', patch: {} }),
        () => guarded.raw('POST', '/x'),
        () => guarded.withWriteGuard(new AbortController().signal).delete(DATABASES, KEY),
      ];
      for (const write of writes) await expect(write()).rejects.toMatchObject({ code: 'Aborted' });
      expect(server.requests).toHaveLength(2);
      await guarded.get(DATABASES, KEY);
      await guarded.raw('GET', '/x');
      server.answer = (_request, response) => {
        json(response, OBJECT);
      };
      await client.create(DATABASES, OBJECT);
    });
  });
});
