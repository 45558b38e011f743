import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@hawser/clock';
import { parse, stringify, type JsonObject } from '@hawser/json';
import { type ApiServer, administrator, createApiServer } from './index.js';

async function call(
  server: ApiServer,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: JsonObject; headers: Readonly<Record<string, unknown>> }> {
  const answer = await server.request({
    method,
    path,
    headers: { 'content-type': 'application/json', 'user-agent': 'test/1', ...headers },
    user: administrator,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : stringify(body) }),
  });
  return {
    status: answer.status,
    headers: answer.headers,
    body: answer.body.startsWith('{') ? (parse(answer.body) as JsonObject) : { text: answer.body },
  };
}

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer', minimum: 1, default: 3 } } },
              status: { type: 'object', properties: { ready: { type: 'boolean' } } },
            },
          },
        },
      },
    ],
  },
};

describe('a server', () => {
  it('stores what it is given', async () => {
    const server = createApiServer();
    const made = await call(server, 'POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { name: 'a' },
      data: { x: 'y' },
    });
    expect(made.status).toBe(201);
    const again = await call(server, 'POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { name: 'a' },
      data: { x: 'y' },
    });
    expect(again.body).toMatchObject({ code: 409, reason: 'AlreadyExists', message: 'configmaps "a" already exists' });
    const list = await call(server, 'GET', '/api/v1/configmaps');
    expect(list.body).toMatchObject({ kind: 'ConfigMapList', items: [{ metadata: { name: 'a' }, data: { x: 'y' } }] });
    const deleted = await call(server, 'DELETE', '/api/v1/namespaces/default/configmaps/a');
    expect(deleted.body).toMatchObject({ status: 'Success', details: { name: 'a', kind: 'configmaps' } });
    server.stop();
  });

  it('serves custom resources', async () => {
    const clock = new FakeClock();
    const server = createApiServer({ clock });
    await call(server, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    await clock.advance(100);
    const chunks: string[] = [];
    server.handle(
      {
        method: 'GET',
        path: '/apis/example.com/v1/widgets?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
        headers: {},
        user: administrator,
      },
      {
        head: (status) => {
          chunks.push(String(status));
        },
        data: (chunk) => {
          chunks.push(chunk);
        },
        end: () => {
          chunks.push('end');
        },
        fail: (error) => {
          chunks.push(String(error));
        },
      },
    );
    const made = await call(server, 'POST', '/apis/example.com/v1/namespaces/default/widgets', {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', labels: { a: 'b' } },
      spec: { color: 'red' },
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ metadata: { generation: 1 }, spec: { size: 3 } });
    expect(made.headers['warning']).toEqual(['299 - "unknown field \\"spec.color\\""']);
    const bad = await call(server, 'POST', '/apis/example.com/v1/namespaces/default/widgets', {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w2' },
      spec: { size: 0 },
    });
    expect(bad.body['message']).toBe(
      'Widget.example.com "w2" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
    );
    const patched = await call(
      server,
      'PATCH',
      '/apis/example.com/v1/namespaces/default/widgets/w',
      { spec: { size: 5 } },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect(patched.body).toMatchObject({ metadata: { generation: 2 }, spec: { size: 5 } });
    const status = await call(
      server,
      'PATCH',
      '/apis/example.com/v1/namespaces/default/widgets/w/status',
      { status: { ready: true } },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect(status.body).toMatchObject({ metadata: { generation: 2 }, status: { ready: true } });
    const applied = await call(
      server,
      'PATCH',
      '/apis/example.com/v1/namespaces/default/widgets/w?fieldManager=me',
      { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { size: 9 } },
      { 'content-type': 'application/apply-patch+yaml' },
    );
    expect(applied.body).toMatchObject({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "test" using example.com/v1: .spec.size',
    });
    await call(server, 'DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com');
    await clock.advance(1000);
    const types = chunks.map((chunk) => /"type":"(\w+)"/u.exec(chunk)?.[1] ?? chunk);
    expect(types).toEqual(['200', 'BOOKMARK', 'ADDED', 'MODIFIED', 'MODIFIED', 'DELETED', 'end']);
    server.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('only begins the deletion of a namespace without the controllers of Kubernetes', async () => {
    const clock = new FakeClock();
    const server = createApiServer({ clock, controllerManager: false });
    await call(server, 'POST', '/api/v1/namespaces', { metadata: { name: 'one' } });
    await call(server, 'DELETE', '/api/v1/namespaces/one');
    await clock.advance(60_000);
    expect((await call(server, 'GET', '/api/v1/namespaces/one')).body).toMatchObject({
      status: { phase: 'Terminating' },
    });
    expect((await call(server, 'GET', '/api/v1/namespaces/default/serviceaccounts/default')).status).toBe(404);
    server.stop();
  });
});
