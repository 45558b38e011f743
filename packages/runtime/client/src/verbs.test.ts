import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Client, type ClientOptions, type KubeObject, type Resource, createClient } from './index.js';
import { type FakeApiServer, json, startFakeApiServer } from './testing/fake-api-server.js';

const CORE: Resource = { group: '', version: 'v1', resource: 'configmaps' };
const DATABASES: Resource = { group: 'example.com', version: 'v1', resource: 'databases' };
const OBJECT = { apiVersion: 'example.com/v1', kind: 'Database', metadata: { name: 'db', namespace: 'ns' } };
const LIST = { apiVersion: 'example.com/v1', kind: 'DatabaseList', metadata: { resourceVersion: '7' }, items: [] };

describe('a client', () => {
  let server: FakeApiServer;
  let client: Client;
  const make = (options: Partial<ClientOptions> = {}): Client =>
    createClient({ name: 'provider', connection: server.connection, ...options });
  const seen = (): FakeApiServer['requests'][number] => server.requests[server.requests.length - 1]!;
  beforeEach(async () => {
    server = await startFakeApiServer((request, response) => {
      json(response, request.method === 'GET' && !/\/(db|system%3AFoo)/u.test(request.url) ? LIST : OBJECT);
    });
    client = make();
  });
  afterEach(async () => {
    await client.close();
    await server.close();
  });

  const KEY = { namespace: 'ns', name: 'db' };
  const metadata = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
  it.each<
    [
      string,
      (client: Client) => Promise<unknown>,
      { method: string; url: string; accept?: string; type?: string | undefined; body?: unknown },
    ]
  >([
    ['get', (c) => c.get(DATABASES, KEY), { method: 'GET', url: '/apis/example.com/v1/namespaces/ns/databases/db' }],
    ['get core', (c) => c.get(CORE, KEY), { method: 'GET', url: '/api/v1/namespaces/ns/configmaps/db' }],
    [
      'get cluster-scoped',
      (c) => c.get(DATABASES, { name: 'system:Foo' }),
      { method: 'GET', url: '/apis/example.com/v1/databases/system%3AFoo' },
    ],
    [
      'get metadata',
      (c) => c.get(DATABASES, KEY, { representation: 'metadata' }),
      { method: 'GET', url: '/apis/example.com/v1/namespaces/ns/databases/db', accept: metadata },
    ],
    [
      'list',
      (c) =>
        c.list(DATABASES, {
          limit: 500,
          continue: 'a+b/=',
          labelSelector: 'a in (b, c)',
          fieldSelector: 'metadata.name=x',
          resourceVersion: '0',
          resourceVersionMatch: 'NotOlderThan',
        }),
      {
        method: 'GET',
        url: '/apis/example.com/v1/databases?labelSelector=a%20in%20(b%2C%20c)&fieldSelector=metadata.name%3Dx&limit=500&continue=a%2Bb%2F%3D&resourceVersion=0&resourceVersionMatch=NotOlderThan',
      },
    ],
    [
      'list metadata',
      (c) => c.list(DATABASES, { namespace: 'ns', representation: 'metadata' }),
      {
        method: 'GET',
        url: '/apis/example.com/v1/namespaces/ns/databases',
        accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
      },
    ],
    [
      'create',
      (c) => c.create(DATABASES, OBJECT, { fieldManager: 'me & you', dryRun: true }),
      {
        method: 'POST',
        url: '/apis/example.com/v1/namespaces/ns/databases?fieldManager=me%20%26%20you&dryRun=All',
        type: 'application/json',
        body: OBJECT,
      },
    ],
    [
      'create subresource',
      (c) => c.create(CORE, OBJECT, { subresource: 'token' }),
      { method: 'POST', url: '/api/v1/namespaces/ns/configmaps/db/token', type: 'application/json', body: OBJECT },
    ],
    [
      'update',
      (c) => c.update(DATABASES, OBJECT),
      { method: 'PUT', url: '/apis/example.com/v1/namespaces/ns/databases/db', type: 'application/json', body: OBJECT },
    ],
    [
      'update status',
      (c) => c.update(DATABASES, OBJECT, { subresource: 'status', representation: 'metadata' }),
      {
        method: 'PUT',
        url: '/apis/example.com/v1/namespaces/ns/databases/db/status',
        type: 'application/json',
        body: OBJECT,
        accept: metadata,
      },
    ],
    [
      'json patch',
      (c) => c.patch(DATABASES, KEY, { type: 'json', operations: [{ op: 'remove', path: '/a' }] }),
      {
        method: 'PATCH',
        url: '/apis/example.com/v1/namespaces/ns/databases/db',
        type: 'application/json-patch+json',
        body: [{ op: 'remove', path: '/a' }],
      },
    ],
    [
      'merge patch',
      (c) => c.patch(DATABASES, KEY, { type: 'merge', patch: { a: null } }, { subresource: 'status' }),
      {
        method: 'PATCH',
        url: '/apis/example.com/v1/namespaces/ns/databases/db/status',
        type: 'application/merge-patch+json',
        body: { a: null },
      },
    ],
    [
      'apply',
      (c) => c.patch(DATABASES, KEY, { type: 'apply', object: OBJECT, force: true }, { fieldManager: 'kube-bind.io' }),
      {
        method: 'PATCH',
        url: '/apis/example.com/v1/namespaces/ns/databases/db?fieldManager=kube-bind.io&force=true',
        type: 'application/apply-patch+yaml',
        body: OBJECT,
      },
    ],
    [
      'apply without force',
      (c) => c.patch(DATABASES, KEY, { type: 'apply', object: OBJECT }, { fieldManager: 'm' }),
      {
        method: 'PATCH',
        url: '/apis/example.com/v1/namespaces/ns/databases/db?fieldManager=m',
        type: 'application/apply-patch+yaml',
        body: OBJECT,
      },
    ],
    [
      'delete',
      (c) => c.delete(DATABASES, KEY, { preconditions: { uid: 'u' }, propagationPolicy: 'Foreground', dryRun: true }),
      {
        method: 'DELETE',
        url: '/apis/example.com/v1/namespaces/ns/databases/db',
        type: 'application/json',
        body: {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          preconditions: { uid: 'u' },
          propagationPolicy: 'Foreground',
          dryRun: ['All'],
        },
      },
    ],
    ['raw', (c) => c.raw('GET', '/apis?x=%20'), { method: 'GET', url: '/apis?x=%20', accept: 'application/json, */*' }],
    [
      'raw post',
      (c) => c.raw('POST', '/apis/x', { a: 1n }),
      { method: 'POST', url: '/apis/x', accept: 'application/json, */*', type: 'application/json', body: { a: 1 } },
    ],
  ])('sends %s', async (_name, send, expected) => {
    await send(client);
    expect(seen().method).toBe(expected.method);
    expect(seen().url).toBe(expected.url);
    expect(seen().headers.accept).toBe(expected.accept ?? 'application/json');
    expect(seen().headers['content-type']).toBe(expected.type);
    expect(seen().headers.authorization).toBe('Bearer the-secret-token');
    expect(seen().body === '' ? undefined : JSON.parse(seen().body)).toEqual(expected.body);
  });

  it.each([[''], ['..'], ['.'], ['a/b'], ['a%2fb']])('refuses to send the name %j', async (name) => {
    const requests = [
      () => client.get(DATABASES, { name }),
      () => client.delete(DATABASES, { name }),
      () => client.update(DATABASES, { ...OBJECT, metadata: { name } }),
      () => client.patch(DATABASES, { name }, { type: 'merge', patch: {} }),
      () => client.list({ ...DATABASES, resource: name }),
      () => client.watch({ ...DATABASES, resource: name }),
    ];
    for (const request of requests)
      await expect(request()).rejects.toMatchObject({
        code: 'BadRequest',
        message: expect.stringContaining('cannot stand in a path') as unknown,
      });
    expect(server.requests).toHaveLength(0);
  });

  it('refuses to send what is not JSON', async () => {
    const cyclic: Record<string, unknown> = { ...OBJECT };
    cyclic['self'] = cyclic;
    await expect(client.create(DATABASES, cyclic as unknown as KubeObject)).rejects.toMatchObject({
      code: 'BadRequest',
    });
    expect(server.requests).toHaveLength(0);
  });

  it('keeps the base path of the server, for kcp', async () => {
    const other = make({ connection: { ...server.connection, server: `${server.url}/clusters/root:org/` } });
    await other.get(DATABASES, KEY);
    expect(seen().url).toBe('/clusters/root:org/apis/example.com/v1/namespaces/ns/databases/db');
    await other.raw('GET', '/version');
    expect(seen().url).toBe('/clusters/root:org/version');
    await other.close();
  });

  it('carries 64-bit integers and strange keys both ways', async () => {
    const text =
      '{"apiVersion":"v1","kind":"X","metadata":{"name":"db"},"spec":{"__proto__":{"a":9223372036854775807},"constructor":-9223372036854775808}}';
    server.answer = (_request, response) => {
      json(response, text);
    };
    const object = await client.get(DATABASES, { name: 'db' });
    await client.update(DATABASES, object);
    expect(seen().body).toBe(text);
  });

  it('gives the items of a typed list the kind that the list tells', async () => {
    server.answer = (_request, response) => {
      json(response, {
        apiVersion: 'v1',
        kind: 'ConfigMapList',
        metadata: { resourceVersion: '5', continue: 'c', remainingItemCount: 3 },
        items: [{ metadata: { name: 'a' } }, { apiVersion: 'x/v1', kind: 'Y', metadata: { name: 'b' } }],
      });
    };
    expect(await client.list(CORE)).toEqual({
      metadata: { resourceVersion: '5', continue: 'c', remainingItemCount: 3 },
      items: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
        { apiVersion: 'x/v1', kind: 'Y', metadata: { name: 'b' } },
      ],
    });
    server.answer = (_request, response) => {
      json(response, { apiVersion: 'v1', kind: 'ConfigMapList', metadata: {}, items: null });
    };
    expect((await client.list(CORE)).items).toEqual([]);
  });

  it.each<[string, object, object]>([
    [
      'a Status',
      { kind: 'Status', status: 'Success', details: { uid: 'u' } },
      { kind: 'gone', status: { kind: 'Status', status: 'Success', details: { uid: 'u' } } },
    ],
    [
      'the object, terminating',
      { ...OBJECT, metadata: { name: 'db', deletionTimestamp: 't', finalizers: ['f'] } },
      {
        kind: 'terminating',
        object: { ...OBJECT, metadata: { name: 'db', deletionTimestamp: 't', finalizers: ['f'] } },
      },
    ],
    [
      'a namespace, terminating',
      { ...OBJECT, metadata: { name: 'db', deletionTimestamp: 't' } },
      { kind: 'terminating', object: { ...OBJECT, metadata: { name: 'db', deletionTimestamp: 't' } } },
    ],
    ['the object that has gone', OBJECT, { kind: 'gone' }],
  ])('understands a DELETE answered with %s', async (_name, answer, expected) => {
    server.answer = (_request, response) => {
      json(response, answer);
    };
    expect(await client.delete(DATABASES, { name: 'db' })).toEqual(expected);
  });

  it('gives raw text where the answer is not JSON', async () => {
    server.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('ok');
    };
    expect(await client.raw('GET', '/readyz')).toBe('ok');
  });

  it('keeps connections for the next request, and opens no more than it may at once', async () => {
    for (let index = 0; index < 10; index++) await client.get(DATABASES, KEY);
    expect(server.accepted).toBeLessThanOrEqual(2);
    const narrow = make({ concurrency: 3 });
    await Promise.all(Array.from({ length: 20 }, () => narrow.get(DATABASES, KEY)));
    expect(server.accepted).toBeLessThanOrEqual(5);
    await narrow.close();
  });
});
