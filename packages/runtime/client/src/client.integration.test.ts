import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { systemClock } from '@hawser/clock';
import { type ConnectionConfig, loadKubeconfig, parseSecretKubeconfig } from '@hawser/kubeconfig';
import {
  type SharedControlPlane,
  describeWithControlPlane,
  eventually,
  itFromKubernetes,
  sharedControlPlane,
  uniqueGroup,
  uniqueNamespace,
} from '@hawser/testenv';
import {
  type Client,
  type KubeObject,
  type Resource,
  type UnstructuredObject,
  type WatchEvent,
  createClient,
  isConflict,
  isObjectNotFound,
} from './index.js';

const NAMESPACES: Resource = { group: '', version: 'v1', resource: 'namespaces' };
const CONFIG_MAPS: Resource = { group: '', version: 'v1', resource: 'configmaps' };
const CLUSTER_ROLES: Resource = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
const SERVICE_ACCOUNTS: Resource = { group: '', version: 'v1', resource: 'serviceaccounts' };
const CRDS: Resource = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

describeWithControlPlane('a client of a real API server', () => {
  let cluster: SharedControlPlane;
  let client: Client;
  const namespace = uniqueNamespace();
  const group = uniqueGroup();
  const widgets: Resource = { group, version: 'v1', resource: 'widgets' };
  const key = (name: string): { namespace: string; name: string } => ({ namespace, name });
  const widget = (name: string, fields: object = {}, metadata: object = {}): KubeObject => ({
    apiVersion: `${group}/v1`,
    kind: 'Widget',
    metadata: { name, namespace, ...metadata },
    ...fields,
  });
  const metadataOnly = (name: string, metadata: object = {}): object => ({
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadata',
    metadata: expect.objectContaining({ name, namespace, ...metadata }) as unknown,
  });

  beforeAll(async () => {
    cluster = await sharedControlPlane('consumer');
    client = createClient({ name: 'consumer', connection: cluster.connection });
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await client.create(CRDS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `widgets.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    } as KubeObject);
    await eventually(async () => {
      await client.list(widgets);
    });
  });
  afterAll(async () => {
    await client.delete(CRDS, { name: `widgets.${group}` });
    await client.close();
  });

  it('is answered with metadata alone where it asks for it', async () => {
    const options = { representation: 'metadata' } as const;
    const created = await client.create(widgets, widget('partial', { spec: { a: 1 } }), options);
    expect(created).toEqual(metadataOnly('partial'));
    expect(await client.patch(widgets, key('partial'), { type: 'merge', patch: { spec: { b: 1 } } }, options)).toEqual(
      metadataOnly('partial', { generation: 2 }),
    );
    expect(await client.get(widgets, key('partial'), options)).toEqual(metadataOnly('partial'));
    expect(
      (await client.list(widgets, { namespace, fieldSelector: 'metadata.name=partial', ...options })).items,
    ).toEqual([metadataOnly('partial')]);
    const watch = await client.watch(widgets, {
      namespace,
      fieldSelector: 'metadata.name=partial',
      resourceVersion: created.metadata.resourceVersion,
      ...options,
    });
    for await (const event of watch) {
      expect(event).toEqual({ type: 'MODIFIED', object: metadataOnly('partial', { generation: 2 }) });
      break;
    }
    expect(
      await client.patch(
        widgets,
        key('applied'),
        { type: 'apply', object: widget('applied', { spec: { a: 1 } }), force: true },
        { fieldManager: 'kube-bind.io', ...options },
      ),
    ).toEqual(
      metadataOnly('applied', {
        managedFields: [expect.objectContaining({ manager: 'kube-bind.io', operation: 'Apply' })],
      }),
    );
  });

  it('carries integers up to 2^63 − 1 and beyond 2^53 unchanged, also through patches and watches', async () => {
    const max = 9223372036854775807n;
    const created = await client.create(
      widgets,
      widget('integers', { spec: { max, min: -max - 1n, odd: 9007199254740993n } }),
    );
    await client.patch(widgets, key('integers'), { type: 'merge', patch: { spec: { patched: max - 1n } } });
    await client.patch(widgets, key('integers'), {
      type: 'json',
      operations: [
        { op: 'test', path: '/spec/max', value: max },
        { op: 'add', path: '/spec/added', value: max - 2n },
      ],
    });
    const spec = { max, min: -max - 1n, odd: 9007199254740993n, patched: max - 1n, added: max - 2n };
    expect((await client.get(widgets, key('integers')))['spec']).toEqual(spec);
    let seen: WatchEvent<UnstructuredObject> | undefined;
    for await (const event of await client.watch(widgets, {
      namespace,
      fieldSelector: 'metadata.name=integers',
      resourceVersion: created.metadata.resourceVersion,
    })) {
      if (seen !== undefined) {
        seen = event;
        break;
      }
      seen = event;
    }
    expect(seen).toMatchObject({ type: 'MODIFIED', object: { spec } });
    expect(
      await cluster.kubectl(['-n', namespace, 'get', `widgets.${group}`, 'integers', '-o', 'jsonpath={.spec.max}']),
    ).toBe('9223372036854775807');
  });

  it('writes a status with identity and status alone, and the server keeps all else', async () => {
    const created = await client.create(
      widgets,
      widget(
        'status',
        { spec: { a: 1 } },
        { labels: { l: '1' }, annotations: { a: '1' }, finalizers: ['example.com/hold'] },
      ),
    );
    const { uid, resourceVersion } = created.metadata;
    const body = widget('status', { status: { n: 9007199254740993n } }, { uid, resourceVersion });
    const updated = await client.update(widgets, body, { subresource: 'status' });
    expect(updated).toMatchObject({
      spec: { a: 1 },
      status: { n: 9007199254740993n },
      metadata: { generation: 1, labels: { l: '1' }, annotations: { a: '1' }, finalizers: ['example.com/hold'] },
    });
    const stale = await client.update(widgets, body, { subresource: 'status' }).catch((error: unknown) => error);
    expect(stale).toMatchObject({
      code: 'Conflict',
      status: { reason: 'Conflict', details: { name: 'status', group, kind: 'widgets' } },
    });
    const otherUid = await client
      .update(widgets, widget('status', { status: {} }, { uid: 'other' }), { subresource: 'status' })
      .catch((error: unknown) => error);
    expect(otherUid).toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('Precondition failed: UID in precondition: other') as unknown,
    });
    await client.patch(widgets, key('status'), { type: 'merge', patch: { metadata: { finalizers: null } } });
  });

  it('deletes: gone without finalizers, terminating with them, refused under another uid', async () => {
    const plain = await client.create(widgets, widget('plain'));
    const refused = await client
      .delete(widgets, key('plain'), { preconditions: { uid: 'other' } })
      .catch((error: unknown) => error);
    expect(isConflict(refused)).toBe(true);
    expect(await client.delete(widgets, key('plain'), { dryRun: true })).toMatchObject({ kind: 'gone' });
    expect(await client.delete(widgets, key('plain'), { preconditions: { uid: plain.metadata.uid } })).toMatchObject({
      kind: 'gone',
      status: { status: 'Success', details: { uid: plain.metadata.uid } },
    });
    for (const missing of [client.delete(widgets, key('plain')), client.get(widgets, key('plain'))]) {
      const error = await missing.catch((reason: unknown) => reason);
      expect(isObjectNotFound(error, widgets, key('plain'))).toBe(true);
    }

    await client.create(widgets, widget('held', {}, { finalizers: ['example.com/hold'] }));
    for (let time = 0; time < 2; time++) {
      expect(await client.delete(widgets, key('held'))).toMatchObject({
        kind: 'terminating',
        object: { metadata: { finalizers: ['example.com/hold'], deletionTimestamp: expect.any(String) as unknown } },
      });
    }
    const held = await client.get(widgets, key('held'));
    const released = await client.patch(
      widgets,
      key('held'),
      { type: 'merge', patch: { metadata: { finalizers: null } } },
      { representation: 'metadata' },
    );
    // The server has deleted it with that write; its answer is the object as it would have been stored, under the version before.
    expect(released.metadata).toMatchObject({
      resourceVersion: held.metadata.resourceVersion,
      deletionTimestamp: held.metadata.deletionTimestamp,
    });
    expect(released.metadata.finalizers).toBeUndefined();
    await expect(client.get(widgets, key('held'))).rejects.toMatchObject({ code: 'NotFound' });

    await client.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: key('account') });
    expect(await client.delete(SERVICE_ACCOUNTS, key('account'))).toMatchObject({ kind: 'gone' });
    const doomed = uniqueNamespace();
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: doomed } });
    expect(await client.delete(NAMESPACES, { name: doomed })).toMatchObject({
      kind: 'terminating',
      object: { spec: { finalizers: ['kubernetes'] } },
    });
  });

  it('tells one 409 from another, and one 404 from another', async () => {
    const created = await client.create(widgets, widget('conflict'));
    await expect(client.create(widgets, widget('conflict'))).rejects.toMatchObject({ code: 'AlreadyExists' });
    await expect(
      client.patch(widgets, key('conflict'), {
        type: 'merge',
        patch: { metadata: { resourceVersion: '1' }, spec: {} },
      }),
    ).rejects.toMatchObject({ code: 'Conflict' });
    await client.patch(
      widgets,
      key('conflict'),
      { type: 'apply', object: widget('conflict', { spec: { a: 1 } }) },
      { fieldManager: 'one' },
    );
    await expect(
      client.patch(
        widgets,
        key('conflict'),
        { type: 'apply', object: widget('conflict', { spec: { a: 2 } }) },
        { fieldManager: 'two' },
      ),
    ).rejects.toMatchObject({
      code: 'Conflict',
      status: { details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec.a' }] } },
    });
    // A merge patch with another uid is no conflict but invalid: the uid is immutable.
    await expect(
      client.patch(widgets, key('conflict'), { type: 'merge', patch: { metadata: { uid: 'other' }, spec: {} } }),
    ).rejects.toMatchObject({
      code: 'Invalid',
      status: { details: { causes: [{ field: 'metadata.uid' }, { field: 'metadata.uid' }] } },
    });
    expect(created.metadata.uid).toBe((await client.get(widgets, key('conflict'))).metadata.uid);

    const noNamespace = await client
      .create(CONFIG_MAPS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'no-such-namespace', name: 'x' },
      })
      .catch((error: unknown) => error);
    const noApi = await client
      .get({ group: 'no.such.group', version: 'v1', resource: 'things' }, { name: 'x' })
      .catch((error: unknown) => error);
    for (const error of [noNamespace, noApi]) expect(error).toMatchObject({ code: 'NotFound' });
    expect(isObjectNotFound(noNamespace, CONFIG_MAPS, { namespace: 'no-such-namespace', name: 'x' })).toBe(false);
    expect(isObjectNotFound(noApi, { group: 'no.such.group', version: 'v1', resource: 'things' }, { name: 'x' })).toBe(
      false,
    );
  });

  it('reaches names that need escaping, subresources and lists of typed kinds', async () => {
    const name = `system:${namespace}:Foo`;
    await client.create(CLUSTER_ROLES, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name },
      rules: [],
    } as KubeObject);
    expect((await client.get(CLUSTER_ROLES, { name })).metadata.name).toBe(name);
    await client.delete(CLUSTER_ROLES, { name });
    await client.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: key('tokens') });
    const token = await client.create(
      SERVICE_ACCOUNTS,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: key('tokens'), spec: {} } as KubeObject,
      { subresource: 'token' },
    );
    expect(token).toMatchObject({ kind: 'TokenRequest', status: { token: expect.any(String) as unknown } });
    const accounts = await client.list(SERVICE_ACCOUNTS, { namespace, limit: 1 });
    expect(accounts.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ServiceAccount' });
    expect(await client.raw('GET', '/version')).toMatchObject({ major: '1' });
    expect(await client.raw('GET', '/readyz')).toBe('ok');
  });

  itFromKubernetes('1.34', 'streams a list as the beginning of a watch', async () => {
    await client.create(widgets, widget('streamed'));
    const types: string[] = [];
    for await (const event of await client.watch(widgets, {
      namespace,
      fieldSelector: 'metadata.name=streamed',
      allowBookmarks: true,
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      timeoutSeconds: 30,
    })) {
      types.push(event.type);
      if (event.type === 'BOOKMARK') {
        expect(event.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
        expect(event.object.metadata.resourceVersion).toMatch(/^\d+$/u);
        break;
      }
    }
    expect(types).toEqual(['ADDED', 'BOOKMARK']);
  });

  it('watches for as long as it wants, and is told when its version is too old', async () => {
    const old = (await client.watch(widgets, { namespace, resourceVersion: '1' }))[Symbol.asyncIterator]();
    await expect(old.next()).rejects.toMatchObject({ code: 'Expired', httpStatus: 410, status: { reason: 'Expired' } });
    const short = (
      await client.watch(CONFIG_MAPS, {
        namespace,
        timeoutSeconds: 1,
        resourceVersion: (await client.list(CONFIG_MAPS, { namespace })).metadata.resourceVersion,
      })
    )[Symbol.asyncIterator]();
    expect(await short.next()).toEqual({ done: true, value: undefined });
  });

  it("is told in the server's words what is wrong and what is not allowed", async () => {
    await expect(
      client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'Not_Valid' } }),
    ).rejects.toMatchObject({ code: 'Invalid', httpStatus: 422 });
    await expect(
      client.create(CONFIG_MAPS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: key('big'),
        data: { a: 'x'.repeat(4_000_000) },
      } as KubeObject),
    ).rejects.toMatchObject({ code: 'TooLarge', httpStatus: 413 });
    await expect(
      client.list(widgets, {
        namespace,
        resourceVersion: '999999999',
        resourceVersionMatch: 'NotOlderThan',
        timeoutMs: 20_000,
      }),
    ).rejects.toMatchObject({ code: 'ServerTimeout', retryAfterMs: 1000 });
    const { connection } = await cluster.serviceAccountAccess(namespace, 'nobody');
    const anonymous = createClient({ name: 'consumer', connection });
    const error: unknown = await anonymous
      .update(widgets, widget('x', {}, { resourceVersion: '1' }), { subresource: 'status' })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'Forbidden',
      message: `consumer: update widgets.${group}/status ${namespace}/x: widgets.${group} "x" is forbidden: User "system:serviceaccount:${namespace}:nobody" cannot update resource "widgets/status" in API group "${group}" in the namespace "${namespace}" (403 Forbidden)`,
    });
    await anonymous.close();
    const stranger = createClient({
      name: 'consumer',
      connection: { ...connection, credentials: { kind: 'token', token: 'not.a.token' } },
    });
    await expect(stranger.get(widgets, key('x'))).rejects.toMatchObject({ code: 'Unauthorized', httpStatus: 401 });
    await stranger.close();
  });

  it('takes an object of a mebibyte whole', async () => {
    const data = 'ä'.repeat(500_000);
    await client.create(widgets, widget('large', { spec: { data } }));
    for await (const event of await client.watch(widgets, {
      namespace,
      fieldSelector: 'metadata.name=large',
      resourceVersion: '0',
    })) {
      expect((event.object as UnstructuredObject)['spec']).toEqual({ data });
      break;
    }
  });

  it("connects with a kubeconfig out of a Secret, and acts as whom the operator's own says", async () => {
    const read = parseSecretKubeconfig(await cluster.serviceAccountKubeconfig(namespace, 'bound'));
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const whoAmI = async (connection: ConnectionConfig): Promise<unknown> => {
      const other = createClient({ name: 'consumer', connection });
      const review = await other
        .raw('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'SelfSubjectReview',
        })
        .finally(() => other.close());
      return (review as { status: { userInfo: unknown } }).status.userInfo;
    };
    expect(await whoAmI(read.connection)).toMatchObject({ username: `system:serviceaccount:${namespace}:bound` });
    expect(read.namespace).toBe(namespace);

    const { server, caData = '', credentials } = cluster.connection;
    if (credentials.kind !== 'certificate') throw new Error('the administrator has no certificate');
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const own = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': base64(caData) } }],
      users: [
        {
          name: 'u',
          user: {
            'client-certificate-data': base64(credentials.cert),
            'client-key-data': base64(credentials.key),
            as: 'jane',
            'as-groups': ['dev', 'ops, and more'],
            'as-user-extra': { why: ['a', 'b'] },
          },
        },
      ],
    };
    const folder = await mkdtemp(join(tmpdir(), 'hawser-client-'));
    await writeFile(join(folder, 'config'), JSON.stringify(own));
    const connection = await loadKubeconfig({ file: join(folder, 'config'), env: {}, clock: systemClock });
    expect(await whoAmI(connection)).toMatchObject({
      username: 'jane',
      groups: ['dev', 'ops, and more', 'system:authenticated'],
      extra: { why: ['a', 'b'] },
    });
    await rm(folder, { recursive: true });
  });
});
