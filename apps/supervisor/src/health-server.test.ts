import { type Socket, connect } from 'node:net';

import { afterEach, describe, expect, it } from '@jest/globals';

import { FakeClock } from '@hawser/clock';
import { createMetrics } from '@hawser/telemetry';

import { createProfiler } from './profiler.js';
import { type HealthCheck, type HealthServer, type HealthSource, startHealthServer } from './health-server.js';

let server: HealthServer | undefined;
afterEach(() => server?.close());

async function ask(
  path: string,
  checks: readonly HealthCheck[],
  ready = true,
): Promise<{ readonly status: number; readonly body: string }> {
  const metrics = createMetrics();
  metrics.counter({ name: 'a_total', help: 'a' }).inc();
  server = await startHealthServer('127.0.0.1:0', { checks: () => checks, ready: () => ready }, metrics);
  const response = await fetch(`http://${server.address}${path}`);
  return { status: response.status, body: await response.text() };
}

const leader = (ok: boolean): HealthCheck => ({ name: 'leaderElection', ok, critical: true, detail: 'leading' });
const connection = (ok: boolean): HealthCheck => ({
  name: 'connection/abc',
  ok,
  critical: false,
  detail: 'running, 2 bindings',
});

it('answers 500 for leader election only', async () => {
  expect(await ask('/healthz', [leader(true), connection(false)])).toEqual({
    status: 200,
    body: '{"leaderElection":"ok","connection/abc":"degraded"}',
  });
  await server?.close();
  expect(await ask('/healthz', [leader(false), connection(true)])).toEqual({
    status: 500,
    body: '{"leaderElection":"degraded","connection/abc":"ok"}',
  });
});

it('tells whether it is ready, and in detail if asked', async () => {
  expect(await ask('/readyz', [connection(true)])).toEqual({ status: 200, body: 'ok\n' });
  await server?.close();
  expect(await ask('/readyz?verbose', [connection(false)], false)).toEqual({
    status: 503,
    body: '[-]connection/abc degraded: running, 2 bindings\nnot ready\n',
  });
});

it('serves metrics, and nothing else', async () => {
  expect((await ask('/metrics', [])).body).toContain('a_total 1');
  await server?.close();
  expect((await ask('/secrets', [])).status).toBe(404);
});

it('serves only a part where that is asked for', async () => {
  server = await startHealthServer('127.0.0.1:0', { checks: () => [], ready: () => true }, createMetrics(), {
    paths: 'metrics',
  });
  const status = async (path: string): Promise<number> =>
    (await fetch(`http://${server?.address ?? ''}${path}`)).status;
  expect([await status('/metrics'), await status('/healthz')]).toEqual([200, 404]);
  await server.close();
  server = await startHealthServer('127.0.0.1:0', { checks: () => [], ready: () => true }, createMetrics(), {
    paths: 'health',
  });
  expect([await status('/metrics'), await status('/healthz'), await status('/readyz')]).toEqual([404, 200, 200]);
});

it('takes profiles only where that is switched on, and one at a time', async () => {
  const serve = async (profiler?: ReturnType<typeof createProfiler>): Promise<string> => {
    await server?.close();
    server = await startHealthServer('127.0.0.1:0', { checks: () => [], ready: () => true }, createMetrics(), {
      profiler,
    });
    return `http://${server.address}`;
  };
  expect((await fetch(`${await serve()}/debug/profile`)).status).toBe(404);
  const clock = new FakeClock();
  const address = await serve(createProfiler(clock));
  const asked = [fetch(`${address}/debug/profile?seconds=5`), fetch(`${address}/debug/heap?seconds=5`)];
  const busy = await Promise.race(asked);
  expect(busy.status).toBe(409);
  const taking = new AbortController();
  const answers = Promise.all(asked).finally(() => {
    taking.abort();
  });
  // The profiler asks the runtime before it waits.
  while (!taking.signal.aborted) {
    await clock.advance(5_000);
    await new Promise(setImmediate);
  }
  const [taken] = (await answers).filter(({ status }) => status === 200);
  expect(await taken?.json()).toEqual(expect.anything());
});

/** Sends bytes as they are, and gives what comes back until the server closes, or `until` is in it. */
function converse(address: string, bytes: string | Buffer, until?: string): Promise<string> {
  return new Promise((resolve) => {
    const [host = '', port = ''] = address.split(/:(?=\d+$)/u);
    let answer = '';
    const socket = connect({ host, port: Number(port) }, () => {
      socket.write(bytes);
    });
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      answer += text;
      if (until !== undefined && answer.includes(until)) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(answer);
    });
  });
}

describe('whatever is asked', () => {
  const serve = async (
    options: Parameters<typeof startHealthServer>[3] = {},
    checks: HealthSource['checks'] = () => [leader(true)],
  ): Promise<string> => {
    server = await startHealthServer('127.0.0.1:0', { checks, ready: () => true }, createMetrics(), {
      profiler: createProfiler(new FakeClock()),
      ...options,
    });
    return server.address;
  };
  const lives = async (address: string): Promise<void> => {
    expect((await fetch(`http://${address}/healthz`)).status).toBe(200);
  };
  const line = (target: string, method = 'GET', version = '1.1'): string =>
    `${method} ${target} HTTP/${version}\r\nhost: x\r\nconnection: close\r\n\r\n`;

  it.each([
    '//',
    '///',
    '//:',
    '//@',
    '//[',
    'http://',
    'http://[',
    'http:///',
    '*',
    '/%',
    '/%zz',
    '/healthz/../..//',
    '/?%',
    '//healthz',
    'a:constructor',
    'a:__proto__',
    'constructor:x',
    'file:///etc/passwd',
    '/\\..\\',
    '//\\',
    '/;',
    '/#',
    'http://user:pass@/metrics',
    'http://x:99999999/',
  ])('answers the target %s and lives', async (target) => {
    const address = await serve();
    expect(await converse(address, line(target))).toMatch(/^HTTP\/1\.1 (?:400|404) /u);
    await lives(address);
  });

  it.each(['POST', 'OPTIONS', 'TRACE', 'PUT', 'PROPFIND', 'M-SEARCH', 'QUERY'])(
    'answers %s and lives',
    async (method) => {
      const address = await serve();
      expect(await converse(address, line('//', method))).toMatch(/^HTTP\/1\.1 (?:400|405) /u);
      await lives(address);
    },
  );

  it.each<readonly [string, string | Buffer]>([
    ['HTTP/1.0 without a host', 'GET // HTTP/1.0\r\n\r\n'],
    ['HTTP/0.9', 'GET //\r\n\r\n'],
    ['another protocol', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['CONNECT', 'CONNECT // HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['an upgrade', 'GET // HTTP/1.1\r\nhost: x\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n\r\n'],
    [
      'an upgrade of something that is served',
      'GET /livez HTTP/1.1\r\nhost: x\r\nconnection: upgrade, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n\r\n',
    ],
    ['an expectation', 'GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\nexpect: the worst\r\n\r\n'],
    ['headers without end', `GET /livez HTTP/1.1\r\n${'a: b\r\n'.repeat(20_000)}`],
    ['two lengths', 'GET /livez HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\na'],
    ['a chunk that is none', 'POST /livez HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
    ['bytes', Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 151) % 256))],
  ])('survives %s', async (_name, bytes) => {
    const address = await serve();
    await converse(address, bytes);
    await lives(address);
  });

  it('survives peers that go away while they are answered', async () => {
    const address = await serve();
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) =>
        converse(address, `GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(index + 1), 'HTTP/1.1 200'),
      ),
    );
    await lives(address);
    expect(await converse(address, line(`/${'a'.repeat(12_000)}`))).toMatch(/^HTTP\/1\.1 404 /u);
  });

  it('answers 500 when a part cannot tell how it is', async () => {
    const address = await serve({}, () => {
      throw new Error('broken');
    });
    expect((await fetch(`http://${address}/healthz`)).status).toBe(500);
    expect((await fetch(`http://${address}/readyz?verbose`)).status).toBe(500);
    expect((await fetch(`http://${address}/livez`)).status).toBe(200);
  });

  it('takes a profile only for a time that is one', async () => {
    const address = await serve();
    expect((await fetch(`http://${address}/debug/profile?seconds=long`)).status).toBe(400);
  });

  it('gives up the oldest of too many connections, so that a probe finds an open door', async () => {
    const address = await serve({ maxConnections: 8 });
    const [host = '', port = ''] = address.split(':');
    let closed = 0;
    const hanging = await Promise.all(
      Array.from(
        { length: 20 },
        () =>
          new Promise<Socket>((resolve) => {
            const socket = connect({ host, port: Number(port) }, () => {
              resolve(socket);
            });
            socket
              .on('error', () => undefined)
              .on('close', () => {
                closed++;
              });
          }),
      ),
    );
    await lives(address);
    for (const deadline = performance.now() + 3_000; closed < 12 && performance.now() < deadline;)
      await new Promise(setImmediate);
    expect(closed).toBeGreaterThanOrEqual(12);
    for (const socket of hanging) socket.destroy();
  });

  it('gives up who does not finish asking', async () => {
    const address = await serve({ requestTimeoutMs: 50 });
    expect(await converse(address, 'GET /livez HTTP/1.1\r\nhost: x\r\n')).toMatch(/^HTTP\/1\.1 408 /u);
    await lives(address);
  });
});
