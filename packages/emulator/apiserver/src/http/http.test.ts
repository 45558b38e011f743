import { describe, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import {
  type ApiServer,
  ConnectionRefusedError,
  DirectDispatcher,
  administrator,
  createApiServer,
  listen,
} from '../index.js';
import { fromProtobuf } from './protobuf.js';

const path = '/api/v1/namespaces/default/configmaps';
const options = (
  method: 'GET' | 'POST',
  body?: unknown,
): { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string } => ({
  method,
  headers: { 'content-type': 'application/json' },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

describe('DirectDispatcher', () => {
  it('reaches a server without sockets', async () => {
    const server = createApiServer();
    const dispatcher = new DirectDispatcher({ server, user: administrator });
    const made = await request(`http://api${path}`, { dispatcher, ...options('POST', { metadata: { name: 'a' } }) });
    expect([made.statusCode, ((await made.body.json()) as { metadata: { name: string } }).metadata.name]).toEqual([
      201,
      'a',
    ]);
    server.stop();
  });

  it('is refused while no server is there, and cut off when it goes', async () => {
    const running: ApiServer[] = [];
    const dispatcher = new DirectDispatcher({ server: () => running[0], user: administrator });
    await expect(request(`http://api${path}`, { dispatcher, ...options('GET') })).rejects.toThrow(
      ConnectionRefusedError,
    );
    const server = createApiServer();
    running.push(server);
    const watch = await request(`http://api${path}?watch=1`, { dispatcher, ...options('GET') });
    const text = watch.body.text();
    server.stop();
    expect(await text).toBe('');
    await expect(request(`http://api${path}`, { dispatcher, ...options('GET') })).rejects.toMatchObject({
      code: 'ECONNRESET',
    });
  });

  it('lets faults delay, replace and cut off answers', async () => {
    const server = createApiServer();
    const dispatcher = new DirectDispatcher({ server, user: administrator });
    server.setFaults(({ method }) =>
      method === 'GET' ? { instead: { status: 503, headers: { 'retry-after': '1' }, body: 'away' } } : undefined,
    );
    expect((await request(`http://api${path}`, { dispatcher, ...options('GET') })).statusCode).toBe(503);
    server.setFaults(() => ({
      wrap: (sink) => ({
        ...sink,
        head: () => {
          sink.fail(new Error('lost'));
        },
        data: () => undefined,
        end: () => undefined,
        fail: () => undefined,
      }),
    }));
    await expect(
      request(`http://api${path}`, { dispatcher, ...options('POST', { metadata: { name: 'b' } }) }),
    ).rejects.toThrow('lost');
    // The answer was lost, the object was not.
    expect(
      server.objects.get({ group: '', resource: 'configmaps' }, { namespace: 'default', name: 'b' }),
    ).toBeDefined();
    server.setFaults(() => ({ instead: 'reset' }));
    await expect(request(`http://api${path}`, { dispatcher, ...options('GET') })).rejects.toMatchObject({
      code: 'ECONNRESET',
    });
    server.stop();
  });
});

describe('listen', () => {
  it('knows clients by certificate and by token, and nobody else', async () => {
    const server = createApiServer();
    const listener = await listen(server);
    const ask = async (headers: Record<string, string>, client?: { cert: string; key: string }): Promise<number> => {
      const agent = new Agent({ connect: { ca: listener.authority, ...client } });
      const { statusCode, body } = await request(`${listener.url}${path}`, { dispatcher: agent, headers });
      await body.dump();
      await agent.close();
      return statusCode;
    };
    expect(await ask({})).toBe(403);
    expect(await ask({ authorization: 'Bearer nonsense' })).toBe(401);
    expect(await ask({ authorization: `Bearer ${server.adminToken}` })).toBe(200);
    expect(await ask({}, listener.issueClient({ commonName: 'a', organizations: ['system:masters'] }))).toBe(200);
    expect(await ask({}, listener.issueClient({ commonName: 'a' }))).toBe(403);
    await listener.close();
    server.stop();
  });
});

describe('fromProtobuf', () => {
  it('reads what kubectl sends', () => {
    // A ConfigMap named a with data x=y.
    const meta = [0x0a, 0x03, 0x0a, 0x01, 0x61];
    const data = [0x12, 0x06, 0x0a, 0x01, 0x78, 0x12, 0x01, 0x79];
    const raw = [...meta, ...data];
    const type = [0x0a, 0x02, 0x76, 0x31, 0x12, 0x09, ...Buffer.from('ConfigMap')];
    const bytes = Buffer.from([0x6b, 0x38, 0x73, 0, 0x0a, type.length, ...type, 0x12, raw.length, ...raw]);
    expect(fromProtobuf(bytes)).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: { x: 'y' },
    });
    expect(() => fromProtobuf(bytes.subarray(0, 20))).toThrow('unexpected EOF');
    expect(() => fromProtobuf(Buffer.from('{}'))).toThrow('does not appear to be a protobuf message');
  });
});
