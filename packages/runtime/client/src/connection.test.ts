import { type Server, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ConnectionConfig, Credentials } from '@hawser/kubeconfig';
import { type Client, type ClientOptions, type Resource, createClient } from './index.js';
import { type TestAuthority, testAuthority } from './testing/certificates.js';
import { type FakeApiServer, failure, json, startFakeApiServer } from './testing/fake-api-server.js';
import { until } from './testing/wait.js';

const DATABASES: Resource = { group: 'example.com', version: 'v1', resource: 'databases' };
const KEY = { name: 'db' };
const OBJECT = { apiVersion: 'example.com/v1', kind: 'Database', metadata: { name: 'db' } };

/** Of the certificate that the client has shown. */
function commonName(socket: object): string {
  return (socket as { getPeerCertificate(): { readonly subject: { readonly CN: string } } }).getPeerCertificate()
    .subject.CN;
}

describe('the connection of a client', () => {
  let authority: TestAuthority;
  let other: TestAuthority;
  let server: FakeApiServer;
  const clients: Client[] = [];
  beforeAll(async () => {
    authority = await testAuthority('one');
    other = await testAuthority('other');
  });
  afterAll(() => {
    authority.remove();
    other.remove();
  });
  beforeEach(async () => {
    server = await startFakeApiServer(
      (_request, response) => {
        json(response, OBJECT);
      },
      {
        tls: {
          ...(await authority.issueServer('server', ['api.example.com'], ['127.0.0.1'])),
          ca: [authority.ca, other.ca],
          requestCert: true,
          rejectUnauthorized: false,
        },
      },
    );
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    await server.close();
  });
  const make = (connection: ClientOptions['connection']): Client => {
    const client = createClient({ name: 'provider', connection });
    clients.push(client);
    return client;
  };
  const config = (more: Partial<ConnectionConfig> = {}): ConnectionConfig => ({
    server: server.url,
    caData: authority.ca,
    credentials: { kind: 'token', token: 'first-token' },
    ...more,
  });
  const lastToken = (): string | undefined => server.requests[server.requests.length - 1]?.headers.authorization;

  it('verifies the server', async () => {
    await make(config()).get(DATABASES, KEY);
    for (const connection of [
      config({ caData: other.ca }),
      config({ caData: undefined }),
      config({ server: server.url.replace('127.0.0.1', 'localhost') }),
      config({ tlsServerName: 'wrong.example.com' }),
    ]) {
      await expect(make(connection).create(DATABASES, OBJECT)).rejects.toMatchObject({ code: 'Unreachable' });
    }
    expect(server.requests).toHaveLength(1);
    await make(config({ server: server.url.replace('127.0.0.1', 'localhost'), tlsServerName: 'api.example.com' })).get(
      DATABASES,
      KEY,
    );
    await make(config({ caData: undefined, insecureSkipTlsVerify: true })).get(DATABASES, KEY);
  });

  it('says what is wrong with a certificate authority or an address, and sends nothing', async () => {
    await expect(make(config({ caData: 'no PEM' })).get(DATABASES, KEY)).rejects.toMatchObject({ code: 'Unreachable' });
    await expect(
      make(config({ credentials: { kind: 'certificate', cert: 'no PEM', key: 'no PEM' } })).create(DATABASES, OBJECT),
    ).rejects.toMatchObject({
      code: 'Unreachable',
      message: expect.stringContaining('the certificates of the connection cannot be used') as unknown as string,
    });
    await expect(make(config({ server: 'no URL' })).get(DATABASES, KEY)).rejects.toMatchObject({
      code: 'Unreachable',
      message: 'provider: get databases.example.com db: the server of the connection is not a URL (Unreachable)',
    });
    expect(server.requests).toHaveLength(0);
  });

  it('keeps its connection, also after a DELETE with a body', async () => {
    const client = createClient({ name: 'provider', connection: config(), connections: 1 });
    clients.push(client);
    await client.delete(DATABASES, KEY, { preconditions: { uid: 'a' } });
    await client.delete(DATABASES, KEY, { preconditions: { uid: 'b' } });
    await client.get(DATABASES, KEY);
    expect(server.requests.map(({ method }) => method)).toEqual(['DELETE', 'DELETE', 'GET']);
    expect(server.accepted).toBe(1);
  });

  it('shows its certificate', async () => {
    let subject: string | undefined;
    server.answer = (_request, response, socket) => {
      subject = commonName(socket);
      json(response, OBJECT);
    };
    await make(config({ credentials: { kind: 'certificate', ...(await other.issue('me')) } })).get(DATABASES, KEY);
    expect(subject).toBe('me');
    expect(lastToken()).toBeUndefined();
  });

  it('takes a new token for the next request, over the same connections', async () => {
    let current = config();
    const client = make(() => current);
    await client.get(DATABASES, KEY);
    current = config({ credentials: { kind: 'token', token: 'second-token' } });
    for (let count = 0; count < 5; count++) await client.get(DATABASES, KEY);
    expect(lastToken()).toBe('Bearer second-token');
    expect(server.accepted).toBeLessThanOrEqual(2);
  });

  it('takes a new certificate authority, and lets what is in flight end on the old connections', async () => {
    let current = config();
    const client = make(() => current);
    let finish: (() => void) | undefined;
    server.answer = (_request, response) => {
      finish = () => {
        json(response, OBJECT);
      };
    };
    const inFlight = client.get(DATABASES, KEY);
    await until(() => finish !== undefined, 'the request has arrived');
    server.answer = (_request, response) => {
      response
        .writeHead(200)
        .write('{"type":"ADDED","object":{"apiVersion":"v1","kind":"X","metadata":{"name":"x"}}}\n');
    };
    const watch = (await client.watch(DATABASES))[Symbol.asyncIterator]();
    await watch.next();

    current = config({ caData: `${other.ca}${authority.ca}` });
    server.answer = (_request, response) => {
      json(response, OBJECT);
    };
    await client.get(DATABASES, KEY);
    current = config({ caData: other.ca });
    await expect(client.get(DATABASES, KEY)).rejects.toMatchObject({ code: 'Unreachable' });
    current = config();
    await client.get(DATABASES, KEY);

    finish?.();
    await inFlight;
    await until(() => server.sockets.size <= 3, 'the old connections of requests are closed');
    await watch.return?.();
    await client.close();
    await until(() => server.sockets.size === 0, 'all connections are closed');
  });

  describe('with dynamic credentials', () => {
    const refusing = (good: string): void => {
      server.answer = (request, response) => {
        if (request.headers.authorization === good) json(response, OBJECT);
        else failure(response, 401, 'Unauthorized', 'Unauthorized');
      };
    };
    const dynamic = (tokens: readonly string[], asked: boolean[]): Credentials => ({
      kind: 'dynamic',
      headers: (renew) => {
        asked.push(renew ?? false);
        return Promise.resolve({ authorization: `Bearer ${tokens[Math.min(asked.length, tokens.length) - 1] ?? ''}` });
      },
    });

    it('asks again after a 401, and sends again, be it a write', async () => {
      refusing('Bearer new');
      const asked: boolean[] = [];
      await make(config({ credentials: dynamic(['old', 'new'], asked) })).create(DATABASES, OBJECT);
      expect(asked).toEqual([false, true]);
    });

    it('asks again once only', async () => {
      refusing('Bearer new');
      const asked: boolean[] = [];
      await expect(make(config({ credentials: dynamic(['old'], asked) })).get(DATABASES, KEY)).rejects.toMatchObject({
        code: 'Unauthorized',
        retryable: false,
      });
      expect(asked).toEqual([false, true]);
    });

    it('sends again after a 401 where the connection has new ones by then', async () => {
      let current = config();
      server.answer = (request, response) => {
        if (request.headers.authorization === 'Bearer second-token') {
          json(response, OBJECT);
        } else {
          current = config({ credentials: { kind: 'token', token: 'second-token' } });
          failure(response, 401, 'Unauthorized', 'Unauthorized');
        }
      };
      await make(() => current).create(DATABASES, OBJECT);
      expect(server.requests).toHaveLength(2);
    });

    it('does not send a fixed token twice', async () => {
      refusing('Bearer new');
      await expect(make(config()).get(DATABASES, KEY)).rejects.toMatchObject({ code: 'Unauthorized' });
      expect(server.requests).toHaveLength(1);
    });

    it('sends nothing without them, and says why', async () => {
      const credentials: Credentials = {
        kind: 'dynamic',
        headers: () => Promise.reject(new Error('the token file is empty')),
      };
      await expect(make(config({ credentials })).get(DATABASES, KEY)).rejects.toMatchObject({
        code: 'Unreachable',
        message:
          'provider: get databases.example.com db: no credentials could be had: the token file is empty (Unreachable)',
      });
      await expect(
        make(() => {
          throw new Error('no kubeconfig');
        }).get(DATABASES, KEY),
      ).rejects.toMatchObject({ code: 'Unreachable', message: expect.stringContaining('no kubeconfig') as unknown });
      expect(server.requests).toHaveLength(0);
    });

    it('connects anew with a new certificate', async () => {
      const [first, second] = [await other.issue('first'), await other.issue('second')];
      let pair = first;
      const subjects: string[] = [];
      server.answer = (_request, response, socket) => {
        subjects.push(commonName(socket));
        json(response, OBJECT);
      };
      const client = make(
        config({
          credentials: {
            kind: 'dynamic',
            headers: () => Promise.resolve({}),
            get cert() {
              return pair.cert;
            },
            get key() {
              return pair.key;
            },
          },
        }),
      );
      await client.get(DATABASES, KEY);
      pair = second;
      await client.get(DATABASES, KEY);
      expect(subjects).toEqual(['first', 'second']);
    });
  });

  describe('through a proxy', () => {
    let proxy: Server;
    let proxyUrl: string;
    let tunnels: string[];
    const sockets = new Set<Socket>();
    beforeEach(async () => {
      tunnels = [];
      proxy = createServer((_request, response) => {
        response.writeHead(500).end();
      });
      proxy.on('connection', (socket: Socket) => {
        sockets.add(socket);
        socket.on('close', () => sockets.delete(socket));
        socket.on('error', () => undefined);
      });
      proxy.on('connect', (request, socket: Socket) => {
        tunnels.push(`${String(request.url)} ${String(request.headers['proxy-authorization'])}`);
        if (request.headers['proxy-authorization'] === undefined) {
          socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
          return;
        }
        const upstream = connect(Number(new URL(server.url).port), '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          upstream.pipe(socket).pipe(upstream);
        });
        upstream.on('error', () => socket.destroy());
        socket.on('error', () => upstream.destroy());
      });
      await new Promise<void>((resolve) => {
        proxy.listen(0, '127.0.0.1', resolve);
      });
      proxyUrl = `http://me:secret@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    });
    afterEach(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        proxy.close(resolve);
      });
    });

    it('tunnels requests and watches, and verifies the server all the same', async () => {
      const client = make(config({ server: 'https://api.example.com:6443', proxyUrl }));
      await client.create(DATABASES, OBJECT);
      server.answer = (_request, response) => {
        response
          .writeHead(200)
          .write('{"type":"ADDED","object":{"apiVersion":"v1","kind":"X","metadata":{"name":"x"}}}\n');
      };
      const watch = (await client.watch(DATABASES))[Symbol.asyncIterator]();
      expect((await watch.next()).value).toMatchObject({ type: 'ADDED' });
      expect(tunnels).toEqual(
        Array.from({ length: 2 }, () => `api.example.com:6443 Basic ${Buffer.from('me:secret').toString('base64')}`),
      );
      await expect(
        make(config({ server: 'https://wrong.example.com:6443', proxyUrl })).get(DATABASES, KEY),
      ).rejects.toMatchObject({ code: 'Unreachable' });
      await client.close();
      await until(() => server.sockets.size === 0 && sockets.size === 0, 'the connections are closed');
    });

    it('says that the proxy refuses, without its credentials', async () => {
      const error: unknown = await make(config({ proxyUrl: proxyUrl.replace('me:secret@', '') }))
        .get(DATABASES, KEY)
        .catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'Unreachable', message: expect.stringContaining('407') as unknown });
      await new Promise((resolve) => {
        proxy.close(resolve);
        proxy.closeAllConnections();
      });
      for (const socket of sockets) socket.destroy();
      const refused: unknown = await make(config({ proxyUrl }))
        .get(DATABASES, KEY)
        .catch((reason: unknown) => reason);
      expect(refused).toMatchObject({
        code: 'Unreachable',
        message: expect.stringContaining('ECONNREFUSED') as unknown,
      });
      expect((refused as Error).message).not.toContain('secret');
    });
  });
});
