import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Server, createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@hawser/clock';
import { createCertificateAuthority, eventually } from '@hawser/testenv';
import { type FaultProxy, createFaultProxy } from './index.js';

/** A small HTTPS server in the place of the API server. */
let upstream: Server;
let upstreamCa: string;
let upstreamUrl: string;
let received: { method: string; url: string; authorization: string | undefined; body: string }[] = [];
let watches: ServerResponse[] = [];
let folder: string;

const list = JSON.stringify({ kind: 'List', items: Array.from({ length: 200 }, (_, index) => ({ index })) });
const event = (index: number): string => `${JSON.stringify({ type: 'ADDED', object: { index } })}\n`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hawser-faultproxy-test-'));
  const authority = await createCertificateAuthority(folder, 'upstream');
  upstreamCa = authority.cert;
  upstream = createServer(
    await authority.issueServer('upstream', ['localhost'], ['127.0.0.1']),
    (incoming, outgoing) => {
      void serve(incoming, outgoing);
    },
  );
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  upstreamUrl = `https://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
});
afterAll(async () => {
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
  await rm(folder, { recursive: true });
});

async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of incoming) body += String(chunk);
  received.push({ method: incoming.method!, url: incoming.url!, authorization: incoming.headers.authorization, body });
  outgoing.setHeader('content-type', 'application/json');
  if (incoming.url!.includes('watch=')) {
    outgoing.flushHeaders();
    watches.push(outgoing);
    for (let index = 0; index < 3; index++) outgoing.write(event(index));
  } else {
    outgoing.setHeader('content-length', Buffer.byteLength(list));
    outgoing.end(list);
  }
}

const clock = new FakeClock();
let proxy: FaultProxy;
beforeEach(async () => {
  received = [];
  watches = [];
  proxy = await createFaultProxy({
    upstream: { server: upstreamUrl, caData: upstreamCa, credentials: { kind: 'token', token: 'of-the-proxy' } },
    clock,
  });
});
afterEach(async () => {
  await proxy.stop();
});

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  ended: boolean;
  error: NodeJS.ErrnoException | undefined;
  close(): void;
}

/** Sends a request on a connection of its own; resolves with the head, and goes on filling in the body. */
function send(
  path: string,
  options: { method?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(proxy.server);
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        path,
        ca: proxy.caData,
        agent: false,
        method: options.method ?? 'GET',
        headers: options.headers ?? {},
      },
      (incoming) => {
        const answer: Answer = {
          status: incoming.statusCode!,
          headers: incoming.headers,
          text: '',
          ended: false,
          error: undefined,
          close: () => {
            outgoing.destroy();
          },
        };
        incoming.on('data', (chunk) => {
          answer.text += String(chunk);
        });
        incoming.on('end', () => {
          answer.ended = true;
        });
        incoming.on('error', (error) => {
          answer.error = error;
        });
        resolve(answer);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(options.body);
  });
}

const whole = async (answer: Answer): Promise<Answer> => {
  await eventually(() => answer.ended || answer.error !== undefined);
  return answer;
};

describe('without faults', () => {
  it('passes requests and answers on', async () => {
    const answer = await whole(
      await send('/apis/x?a=b', {
        method: 'PATCH',
        body: 'hello',
        headers: { authorization: 'Bearer mine', 'content-type': 'application/merge-patch+json' },
      }),
    );
    expect([answer.status, answer.text]).toEqual([200, list]);
    expect(received).toEqual([{ method: 'PATCH', url: '/apis/x?a=b', authorization: 'Bearer mine', body: 'hello' }]);
    expect(proxy.requests).toMatchObject([
      {
        method: 'PATCH',
        url: '/apis/x?a=b',
        watch: false,
        authorized: true,
        contentType: 'application/merge-patch+json',
        status: 200,
      },
    ]);
    expect(JSON.stringify(proxy.requests)).not.toContain('mine');
  });

  it('speaks for a client that has no credentials', async () => {
    await send('/');
    expect(received[0]!.authorization).toBe('Bearer of-the-proxy');
  });

  it('lets a watch stand, and tells the server when the client goes', async () => {
    const answer = await send('/x?watch=1');
    await eventually(() => answer.text === event(0) + event(1) + event(2));
    expect([proxy.connections, proxy.openRequests]).toEqual([1, 1]);
    answer.close();
    await eventually(() => proxy.connections === 0 && proxy.openRequests === 0 && watches[0]!.destroyed);
  });
});

describe('faults', () => {
  it('status: answers by itself, with Retry-After, and then is good again', async () => {
    proxy.inject({ times: 1, fault: { kind: 'status', code: 429, retryAfterSeconds: 7 } });
    const answer = await whole(await send('/'));
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '7']);
    expect(JSON.parse(answer.text)).toMatchObject({
      kind: 'Status',
      code: 429,
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 7 },
    });
    expect(received).toHaveLength(0);
    expect((await send('/')).status).toBe(200);
  });

  it('reset: before the answer, when the server has acted', async () => {
    proxy.inject({ times: 1, fault: { kind: 'reset' } });
    await expect(send('/', { method: 'POST', body: 'x' })).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(received).toHaveLength(1);
  });

  it('reset: in mid-body', async () => {
    proxy.inject({ fault: { kind: 'reset', afterBytes: 100 } });
    const answer = await whole(await send('/'));
    expect([answer.text, answer.ended, answer.error?.code]).toEqual([list.slice(0, 100), false, 'ECONNRESET']);
  });

  it('truncate: half a list in good order', async () => {
    proxy.inject({ fault: { kind: 'truncate' } });
    const answer = await whole(await send('/'));
    expect([answer.text, answer.ended]).toEqual([list.slice(0, Math.floor(list.length / 2)), true]);
  });

  it('watch-error: an ERROR event after so many others, and the end', async () => {
    proxy.inject({ match: { watch: true }, fault: { kind: 'watch-error', afterEvents: 2 } });
    const answer = await whole(await send('/x?watch=true'));
    const lines = answer.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toMatchObject([
      { type: 'ADDED' },
      { type: 'ADDED' },
      { type: 'ERROR', object: { code: 410, reason: 'Expired' } },
    ]);
    await eventually(() => watches[0]!.destroyed);
  });

  it('silence: events stop, the connection stays', async () => {
    proxy.inject({ match: { watch: true }, fault: { kind: 'silence', afterEvents: 1 } });
    const answer = await send('/x?watch=true');
    await eventually(() => answer.text === event(0));
    // A second watch that is not silenced shows that the event of the first has had its time.
    await proxy.clear();
    const second = await send('/x?watch=true');
    for (const watch of watches) watch.write(event(9));
    await eventually(() => second.text.endsWith(event(9)));
    expect([answer.text, answer.ended]).toEqual([event(0), false]);
    answer.close();
    second.close();
    await eventually(() => watches.every((watch) => watch.destroyed));
  });

  it('hold: the server acts, and its answer waits', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const held: string[] = [];
    proxy.inject({
      times: 1,
      fault: {
        kind: 'hold',
        until: ({ method, url }) => {
          held.push(`${method} ${url}`);
          return promise;
        },
      },
    });
    let answered = false;
    const pending = send('/x', { method: 'POST', body: 'x' }).then((answer) => {
      answered = true;
      return answer;
    });
    await eventually(() => held.length === 1);
    // Another request has its answer meanwhile.
    expect((await whole(await send('/y'))).text).toBe(list);
    expect({ held, answered, received: received.length }).toEqual({ held: ['POST /x'], answered: false, received: 2 });
    resolve(undefined);
    expect((await whole(await pending)).text).toBe(list);
  });

  it('hold: a client that goes meanwhile gets nothing, and nothing stays open', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    proxy.inject({ times: 1, fault: { kind: 'hold', until: () => promise } });
    const pending = send('/');
    await eventually(() => received.length === 1);
    proxy.dropAll();
    await expect(pending).rejects.toThrow();
    await eventually(() => proxy.connections === 0 && proxy.openRequests === 0);
    resolve(undefined);
    await new Promise(setImmediate);
    expect(proxy.requests.at(-1)?.status).toBeUndefined();
    expect((await send('/')).status).toBe(200);
  });

  it('hang: no answer, and the server knows nothing', async () => {
    proxy.inject({ times: 1, fault: { kind: 'hang' } });
    const pending = send('/');
    await eventually(() => proxy.openRequests === 1);
    proxy.dropAll();
    await expect(pending).rejects.toThrow();
    expect(received).toHaveLength(0);
  });

  it('latency: the request waits on the clock', async () => {
    proxy.inject({ fault: { kind: 'latency', ms: 60_000 } });
    const pending = send('/');
    await eventually(() => clock.pendingTimers === 1);
    expect(received).toHaveLength(0);
    await clock.advance(60_000);
    expect((await pending).status).toBe(200);
  });
});

describe('the listener', () => {
  it('drops all connections and takes new ones: a restart', async () => {
    const answer = await send('/x?watch=1');
    proxy.dropAll();
    await whole(answer);
    expect(answer.error?.code).toBe('ECONNRESET');
    expect((await send('/')).status).toBe(200);
    expect(proxy.connectionsTotal).toBe(2);
  });

  it('refuses connections until it is told to accept them on the same port', async () => {
    const before = proxy.server;
    await proxy.refuse();
    await expect(send('/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.accept();
    expect((await send('/')).status).toBe(200);
    await proxy.refuse();
    await proxy.clear();
    expect((await send('/')).status).toBe(200);
    expect(proxy.server).toBe(before);
  });

  it('holds nothing open after stop', async () => {
    const answer = await send('/x?watch=1');
    await proxy.stop();
    await whole(answer);
    expect(proxy.connections).toBe(0);
    await eventually(() => watches.every((watch) => watch.destroyed));
    await expect(send('/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

it('does not trust an upstream that another authority has signed', async () => {
  await using other = await createFaultProxy({
    upstream: { server: upstreamUrl, caData: proxy.caData, credentials: { kind: 'none' } },
  });
  const { port } = new URL(other.server);
  await expect(
    new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, ca: other.caData, agent: false }, resolve).on('error', reject).end();
    }),
  ).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(received).toHaveLength(0);
});
