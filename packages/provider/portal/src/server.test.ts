import { type AddressInfo, connect } from 'node:net';
import { silentLogger } from '@hawser/telemetry';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { openServer } from './server.js';

describe('who asks a portal', () => {
  let app: FastifyInstance;
  afterEach(() => app.close());
  const open = async (options: Partial<Parameters<typeof openServer>[0]> = {}): Promise<void> => {
    const publicUrl = new URL('https://portal.example.com');
    app = await openServer({
      publicUrl,
      tls: undefined,
      log: silentLogger,
      version: 'x',
      requestsPerMinute: 2,
      ...options,
    });
    app.get('/who', ({ ip, host }) => ({ ip, host }));
  };
  const ask = async (remoteAddress: string, forwarded?: string) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    return app.inject({ method: 'GET', url: '/who', remoteAddress, headers });
  };
  const statuses = async (asks: readonly (readonly [string, string?])[]): Promise<readonly number[]> => {
    const found: number[] = [];
    for (const [address, forwarded] of asks) found.push((await ask(address, forwarded)).statusCode);
    return found;
  };

  it('is the connection, whatever headers say that no trusted proxy has sent', async () => {
    await open();
    expect(
      await statuses([
        ['192.0.2.1', '10.0.0.1'],
        ['192.0.2.1', '10.0.0.2'],
        ['192.0.2.1', '10.0.0.3'],
      ]),
    ).toEqual([200, 200, 429]);
    expect((await ask('192.0.2.2')).statusCode).toBe(200);
  });

  it('is whom a trusted proxy has seen, and not whom that one claims to be', async () => {
    await open({ trustedProxies: ['10.0.0.0/8'] });
    const proxy = '10.0.0.9';
    expect((await ask(proxy, '198.51.100.7, 192.0.2.1, 10.0.0.8')).json()).toMatchObject({ ip: '192.0.2.1' });
    expect(
      await statuses([
        [proxy, '1.1.1.1, 192.0.2.1'],
        [proxy, '2.2.2.2, 192.0.2.1'],
      ]),
    ).toEqual([200, 429]);
    expect(await statuses([[proxy, '192.0.2.2']])).toEqual([200]);
    // One who goes round the proxy is believed nothing.
    expect((await ask('203.0.113.1', '192.0.2.9')).json()).toMatchObject({ ip: '203.0.113.1' });
  });

  it('is a whole network of IPv6, which one line has', async () => {
    await open();
    expect(await statuses([['2001:db8:1:2::1'], ['2001:db8:1:2:ffff::2'], ['2001:db8:1:2::3']])).toEqual([
      200, 200, 429,
    ]);
    expect(await statuses([['2001:db8:1:3::1']])).toEqual([200]);
    expect(await statuses([['::ffff:192.0.2.5'], ['192.0.2.5'], ['::ffff:192.0.2.5']])).toEqual([200, 200, 429]);
  });

  it('is told to come by TLS alone, also where something before the portal ends it', async () => {
    await open();
    expect((await ask('192.0.2.1')).headers['strict-transport-security']).toContain('max-age=31536000');
  });
});

describe('the server of the portal', () => {
  let app: FastifyInstance;

  beforeEach(async () => {
    const publicUrl = new URL('http://127.0.0.1');
    app = await openServer({ publicUrl, tls: undefined, log: silentLogger, version: 'x', requestMs: 300 });
    app.post('/echo', () => 'ok');
    await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(() => app.close());

  /** What comes of a request of which a little arrives from time to time, and never all. */
  const drip = (first: string, more: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
      let answer = '';
      socket.write(first);
      const timer = setInterval(() => socket.write(more), 20);
      socket.on('data', (part: Buffer) => (answer += part.toString()));
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearInterval(timer);
        resolve(answer);
      });
    });

  it.each([
    ['its headers', 'POST /echo HTTP/1.1\r\nhost: x\r\n', 'a: b\r\n'],
    [
      'its body',
      'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{',
      ' ',
    ],
  ])(
    'waits for no request that does not end, in %s',
    async (_, first, more) => {
      expect(await drip(first, more)).toContain('408 Request Timeout');
    },
    10_000,
  );
});
