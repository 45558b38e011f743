import type { Client, KubeObject } from '@hawser/client';
import { resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, rawRequest } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type GatewayWorld, type TestConsumer, group, openGatewayWorld } from './testing/gateway-world.js';

const teamNamespace = 'team-x';
const apiVersion = 'kube-bind.io/v1alpha2';

describeWithControlPlane('a gateway and claimed objects', () => {
  let world: GatewayWorld;
  let before: TestConsumer;
  let after: TestConsumer;
  let client: Client;

  beforeAll(async () => {
    world = await openGatewayWorld({}, { governed: false });
    ({ client } = world.cluster);
    [before, after] = await Promise.all([world.onboard([]), world.onboard([])]);
    for (const { name } of [before, after]) {
      await client.create(resources.apiServiceExports, {
        apiVersion,
        kind: 'APIServiceExport',
        metadata: { name: 'databases', namespace: name },
        spec: {
          resources: [{ group, resource: 'databases', versions: ['v1'] }],
          informerScope: 'Namespaced',
          isolation: 'None',
          permissionClaims: [{ group: '', resource: 'secrets', selector: { all: true } }],
        },
      } as KubeObject);
    }
  });
  afterAll(() => world.close());

  /** Gives a consumer the namespace, as the provider role does under isolation None. */
  async function give({ name }: TestConsumer): Promise<void> {
    await eventually(() =>
      client.create(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: {
          name: teamNamespace,
          annotations: { 'kube-bind.io/api-service-namespace': `${name}/${teamNamespace}` },
        },
      }),
    );
    const key = { namespace: name, name: teamNamespace };
    await client.create(resources.apiServiceNamespaces, {
      apiVersion,
      kind: 'APIServiceNamespace',
      metadata: key,
    });
    const patch = { type: 'merge', patch: { status: { namespace: teamNamespace } } } as const;
    await client.patch(resources.apiServiceNamespaces, key, patch, { subresource: 'status' });
    await client.create(resources.roleBindings, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'claims', namespace: teamNamespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'kube-binder', namespace: name }],
    } as KubeObject);
  }

  const ask = ({ connection }: TestConsumer, query = '') =>
    rawRequest(connection, { method: 'GET', path: `/api/v1/namespaces/${teamNamespace}/secrets${query}` });
  const token = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('shows none of what was in a namespace of that name while it was another consumer’s, whatever version is asked for', async () => {
    await give(before);
    await client.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'password', namespace: teamNamespace },
      stringData: { canary: 'canary' },
    } as KubeObject);
    const version = await eventually(async () => {
      const { status, text } = await ask(before);
      expect({ status, own: text.includes('password') }).toEqual({ status: 200, own: true });
      return (JSON.parse(text) as { readonly metadata: { readonly resourceVersion: string } }).metadata.resourceVersion;
    });
    expect((await ask(after)).status).toBe(403);
    await client.delete(resources.apiServiceNamespaces, { namespace: before.name, name: teamNamespace });
    await client.delete(resources.namespaces, { name: teamNamespace });
    await give(after);
    await eventually(async () => {
      expect((await ask(after)).status).toBe(200);
    });
    const start = 'a\u0000';
    const older = String(BigInt(version) - 1n);
    for (const query of [
      `?resourceVersion=${version}&resourceVersionMatch=Exact`,
      `?resourceVersion=${version}&limit=10`,
      `?resourceVersion=0${version}&limit=10`,
      `?limit=10&continue=${token({ v: 'meta.k8s.io/v1', rv: Number(version), start })}`,
      `?limit=10&continue=${token({ v: 'meta.k8s.io/v1', RV: Number(version), start })}`,
      `?limit=10&continue=${token({ v: 'meta.k8s.io/v1', rv: -1, start, RV: Number(version) })}`,
      `?watch=true&timeoutSeconds=1&resourceVersion=${version}`,
      `?watch=1&timeoutSeconds=1&resourceVersion=${older}`,
      `?watch=true&timeoutSeconds=1&resourceVersion=${version}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
      `?watch=true&timeoutSeconds=1&resourceVersion=0`,
    ]) {
      const { text } = await ask(after, query);
      expect({ query, disclosed: /password|canary/u.test(text) ? text.slice(0, 300) : '' }).toEqual({
        query,
        disclosed: '',
      });
    }
  });

  it('goes on with lists and watches from what it has shown', async () => {
    for (const name of ['a', 'b', 'c'])
      await client.create(resources.secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: teamNamespace },
      });
    const names: string[] = [];
    let next = '';
    let version = '';
    do {
      const { text } = await ask(after, `?limit=1${next === '' ? '' : `&continue=${next}`}`);
      const page = JSON.parse(text) as {
        readonly metadata: { readonly continue?: string; readonly resourceVersion: string };
        readonly items: readonly KubeObject[];
      };
      names.push(...page.items.map(({ metadata }) => metadata.name));
      next = page.metadata.continue ?? '';
      version = page.metadata.resourceVersion;
    } while (next !== '');
    expect(names).toEqual(['a', 'b', 'c']);
    await client.delete(resources.secrets, { namespace: teamNamespace, name: 'b' });
    const { status, text } = await ask(after, `?watch=true&timeoutSeconds=2&resourceVersion=${version}`);
    expect({ status, deleted: /"DELETED".*"name":"b"/u.test(text) }).toEqual({ status: 200, deleted: true });
  });
});
