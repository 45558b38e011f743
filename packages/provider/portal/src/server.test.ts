import { type AddressInfo, connect } from 'node:net';
import { silentLogger } from '@hawser/telemetry';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { openServer } from './server.js';

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
