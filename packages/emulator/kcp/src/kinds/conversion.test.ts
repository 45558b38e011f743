import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { JsonObject } from '@hawser/json';
import { type Kcp, createKcp } from '../create-kcp.js';
import { databaseSchema, made } from '../testing/databases.js';
import { eventually } from '../testing/eventually.js';
import { request } from '../testing/request.js';

const MERGE = { contentType: 'application/merge-patch+json' };
const EXPORTS = '/clusters/root:provider/apis/apis.kcp.io';

let kcp: Kcp;

beforeEach(async () => {
  kcp = createKcp();
  await kcp.createWorkspace('root:provider');
  await made(kcp, `${EXPORTS}/v1alpha1/apiresourceschemas`, databaseSchema('v1'));
});

afterEach(() => {
  kcp.stop();
});

const read = async (version: string): Promise<JsonObject> =>
  (await request(kcp, 'GET', `${EXPORTS}/${version}/apiexports/example.com`)).body as JsonObject;

test('what v1alpha1 says of claims comes back after a write through v1alpha2', async () => {
  const permissionClaims = [
    { resource: 'secrets', all: true },
    { resource: 'configmaps', resourceSelector: [{ name: 'one', namespace: 'default' }] },
  ];
  await made(kcp, `${EXPORTS}/v1alpha1/apiexports`, {
    apiVersion: 'apis.kcp.io/v1alpha1',
    kind: 'APIExport',
    metadata: { name: 'example.com' },
    spec: { latestResourceSchemas: ['v1.databases.example.com'], permissionClaims },
  });
  expect(
    (
      await request(
        kcp,
        'PATCH',
        `${EXPORTS}/v1alpha2/apiexports/example.com`,
        { metadata: { labels: { a: 'b' } } },
        MERGE,
      )
    ).status,
  ).toBe(200);
  expect(await read('v1alpha1')).toMatchObject({
    spec: { latestResourceSchemas: ['v1.databases.example.com'], permissionClaims },
  });
  expect(await read('v1alpha2')).toMatchObject({
    spec: {
      permissionClaims: [
        { group: '', resource: 'secrets', identityHash: '', verbs: ['*'] },
        { group: '', resource: 'configmaps', identityHash: '', verbs: ['*'] },
      ],
      resources: [
        { name: 'databases', group: 'example.com', schema: 'v1.databases.example.com', storage: { crd: {} } },
      ],
    },
  });
});

test('what v1alpha1 cannot say travels in annotations through a write of that version', async () => {
  const virtual = {
    name: 'views',
    group: 'example.com',
    schema: 'v1.views.example.com',
    storage: { virtual: { identityHash: 'abc', reference: { kind: 'View' } } },
  };
  await made(kcp, `${EXPORTS}/v1alpha2/apiexports`, {
    apiVersion: 'apis.kcp.io/v1alpha2',
    kind: 'APIExport',
    metadata: { name: 'example.com' },
    spec: {
      resources: [{ name: 'databases', group: 'example.com', schema: 'v1.databases.example.com' }, virtual],
      permissionClaims: [{ resource: 'secrets', verbs: ['get', 'list'] }],
    },
  });
  const older = await read('v1alpha1');
  expect(older).toMatchObject({
    spec: { latestResourceSchemas: ['v1.databases.example.com'], permissionClaims: [{ resource: 'secrets' }] },
  });
  // The older version has to say what is claimed, and the newer one does not.
  expect((await request(kcp, 'PUT', `${EXPORTS}/v1alpha1/apiexports/example.com`, older)).status).toBe(422);
  const answered = await request(kcp, 'PUT', `${EXPORTS}/v1alpha1/apiexports/example.com`, {
    ...older,
    spec: { ...(older['spec'] as JsonObject), permissionClaims: [{ resource: 'secrets', all: true }] },
  });
  expect(answered.status).toBe(200);
  expect(await read('v1alpha2')).toMatchObject({
    spec: {
      resources: [{ name: 'databases', group: 'example.com' }, virtual],
      permissionClaims: [{ group: '', resource: 'secrets', verbs: ['get', 'list'] }],
    },
  });
});

test('an unchanged write is none through the version that is stored, and counts as a change of the spec through the other one', async () => {
  await made(kcp, `${EXPORTS}/v1alpha1/apiexports`, {
    apiVersion: 'apis.kcp.io/v1alpha1',
    kind: 'APIExport',
    metadata: { name: 'example.com', annotations: { own: 'yes' } },
    spec: {
      latestResourceSchemas: ['v1.databases.example.com'],
      permissionClaims: [{ resource: 'secrets', all: true }],
    },
  });
  await eventually(async () => {
    expect(await read('v1alpha1')).toMatchObject({ status: { identityHash: expect.any(String) } });
  });
  const before = await read('v1alpha2');
  expect((await request(kcp, 'PUT', `${EXPORTS}/v1alpha2/apiexports/example.com`, before)).body).toEqual(before);
  // Seen with kcp 0.32.3: defaults of the older version make the difference.
  await request(kcp, 'PUT', `${EXPORTS}/v1alpha1/apiexports/example.com`, await read('v1alpha1'));
  const after = await read('v1alpha2');
  expect(after).toMatchObject({ metadata: { generation: 3, annotations: { own: 'yes' } } });
  expect(after['spec']).toEqual(before['spec']);
});

test.each(['v9.other.example.com', 'V1.databases.example.com', '.databases.example.com'])(
  'a schema cannot be named %s',
  async (name) => {
    const { status } = await request(kcp, 'POST', `${EXPORTS}/v1alpha1/apiresourceschemas`, {
      ...databaseSchema('v2'),
      metadata: { name },
    });
    expect([403, 422]).toContain(status);
  },
);
