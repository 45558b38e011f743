import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage } from 'node:http';
import { type Server, request as httpsRequest } from 'node:https';
import { type Socket, connect as connectPlainly } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type TLSSocket, connect } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createCertificateAuthority, eventually } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { type ConnectionBounds, Connections, clientOf } from './connections.js';
import { close, listen, openServer } from './server.js';

let folder: string;
let tls: { readonly certFile: string; readonly keyFile: string };
let server: Server | undefined;
let connections: Connections;
let refused: { readonly reason: string; readonly address: string }[];
const sockets = new Set<Socket>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hawser-gateway-'));
  const authority = await createCertificateAuthority(folder, 'gateway authority');
  const { cert, key } = await authority.issueServer('gateway', ['localhost'], ['127.0.0.1']);
  tls = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  await writeFile(tls.certFile, cert);
  await writeFile(tls.keyFile, key);
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  if (server !== undefined) await close(server);
  server = undefined;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function open(bounds: ConnectionBounds, patienceMs = 60_000): Promise<void> {
  refused = [];
  connections = new Connections({
    bounds,
    refused: (reason, address) => refused.push({ reason, address }),
  });
  server = await openServer({
    tls,
    connections,
    patienceMs,
    handle: (_request, response) => response.end('served'),
  });
  await listen(server, '127.0.0.1', 0);
}

function port(): number {
  const address = server?.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A connection that stays open; `undefined` if it ends before its TLS does. */
function opened(localAddress = '127.0.0.1'): Promise<TLSSocket | undefined> {
  return new Promise((resolve) => {
    const plain = connectPlainly({ host: '127.0.0.1', port: port(), localAddress });
    plain.on('error', () => undefined);
    const socket = connect({ socket: plain, rejectUnauthorized: false });
    sockets.add(plain);
    socket.on('error', () => undefined);
    socket.once('secureConnect', () => {
      resolve(socket);
    });
    socket.once('close', () => {
      resolve(undefined);
    });
  });
}

/** What is answered; undefined: the connection ends without an answer. */
function asked(localAddress = '127.0.0.1'): Promise<{ answer: IncomingMessage; text: string } | undefined> {
  return new Promise((resolve) => {
    const sent = httpsRequest(
      { host: '127.0.0.1', port: port(), localAddress, agent: false, rejectUnauthorized: false, path: '/apis' },
      (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () => {
          resolve({ answer, text });
        });
      },
    );
    sent.on('error', () => {
      resolve(undefined);
    });
    sent.end();
  });
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** Resolves with how long it took until the other side closed the connection. */
function closed(socket: Socket): Promise<number> {
  const from = performance.now();
  sockets.add(socket);
  socket.on('error', () => undefined);
  socket.resume();
  return new Promise((resolve) =>
    socket.once('close', () => {
      resolve(performance.now() - from);
    }),
  );
}

it('refuses connections of one address beyond its bound, says why, and serves other addresses meanwhile', async () => {
  await open({ perAddress: 3 });
  const held = await Promise.all([opened(), opened(), opened()]);
  const beyond = await asked();
  expect(beyond?.answer.statusCode).toBe(429);
  expect(beyond?.answer.headers).toMatchObject({ connection: 'close', 'retry-after': '10' });
  expect(JSON.parse(beyond?.text ?? '')).toMatchObject({ kind: 'Status', reason: 'TooManyRequests', code: 429 });
  expect(beyond?.text).toContain('too many connections from this address');
  expect(refused).toEqual([{ reason: 'address', address: '127.0.0.1' }]);
  expect((await asked('127.0.0.2'))?.text).toBe('served');
  held[0]?.destroy();
  await eventually(async () => {
    expect((await asked())?.text).toBe('served');
  });
});

it('ends more than a few of them without the work of an answer, and counts each', async () => {
  await open({ perAddress: 1 });
  expect(await opened()).toBeDefined();
  const more = await Promise.all(Array.from({ length: 40 }, () => opened()));
  expect(more.filter((socket) => socket !== undefined).length).toBeLessThanOrEqual(16);
  expect(refused.length).toBe(40);
  for (const socket of sockets) socket.destroy();
  await eventually(async () => {
    expect(connections.size).toBe(0);
    expect((await asked())?.text).toBe('served');
  });
});

it('tells that it has as many connections as it may have', async () => {
  await open({ all: 2 });
  const [first] = await Promise.all([opened(), opened()]);
  expect(await opened('127.0.0.2')).toBeUndefined();
  expect(refused).toEqual([{ reason: 'all', address: '127.0.0.2' }]);
  first?.destroy();
  await eventually(async () => {
    expect((await asked())?.text).toBe('served');
  });
});

it('ends a connection whose TLS handshake does not come', async () => {
  await open({}, 600);
  const plain = connectPlainly({ host: '127.0.0.1', port: port() });
  expect(await closed(plain)).toBeLessThan(20_000);
  await eventually(() => {
    expect(connections.size).toBe(0);
  });
});

it.each([
  [undefined, false],
  [['http/1.1'], 'http/1.1'],
  [['h2', 'http/1.1'], 'http/1.1'],
  [['h2'], undefined],
])('agrees with who offers %s on %s', async (offered, agreed) => {
  await open({});
  const protocol = await new Promise((resolve) => {
    const socket = connect(
      {
        host: '127.0.0.1',
        port: port(),
        rejectUnauthorized: false,
        ...(offered === undefined ? {} : { ALPNProtocols: offered }),
      },
      () => {
        resolve(socket.alpnProtocol);
      },
    );
    sockets.add(socket);
    socket.on('error', () => {
      resolve(undefined);
    });
  });
  expect(protocol).toBe(agreed);
});

it('keeps no buffers with a connection that are shared with others', async () => {
  await open({});
  const held = async (): Promise<number> => {
    collectGarbage();
    await setImmediate();
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  await opened();
  const before = await held();
  for (let count = 0; count < 60; count++) {
    await opened();
    // As answers take them meanwhile: of the pool of Node, which goes when all of its buffers have gone.
    for (let taken = 0; taken < 40; taken++) Buffer.allocUnsafe(4_000);
  }
  expect((await held()) - before).toBeLessThan(60 * 16_000);
});

it.each([
  ['nothing', ''],
  ['a head without an end', 'GET /apis HTTP/1.1\r\nHost: gateway\r\n'],
])('ends a connection that sends %s', async (_what, text) => {
  await open({}, 600);
  const socket = await opened();
  if (socket === undefined) throw new Error('not served');
  socket.write(text);
  const dripping = setInterval(() => {
    if (text !== '') socket.write('x: y\r\n');
  }, 100);
  try {
    expect(await closed(socket)).toBeLessThan(20_000);
  } finally {
    clearInterval(dripping);
  }
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80::1%eth0'],
])('counts %s for %s', (address, client) => {
  expect(clientOf(address)).toBe(client);
});
