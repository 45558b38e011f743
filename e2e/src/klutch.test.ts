import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { databases } from '@hawser/installation';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceNamespace,
  exportHash,
  inlineSpecOf,
  klutchDialect,
} from '@hawser/klutch';
import { formatTime, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { beforeAll, expect } from '@jest/globals';
import { type Ended, runCommand } from './command.js';
import { conditionsOf } from './conditions.js';
import { LONG, objectOf, resourceOf } from './copies.js';
import { describeKlutchWorld } from './klutch-suite.js';
import { openKlutchTenant } from './klutch-tenant.js';
import { type KlutchClient, klutchApi } from './klutch-world.js';
import { refusedRequests } from './refused-requests.js';
import { executables } from './roles.js';

const kinds = klutchDialect.resources;
const { apiVersion } = klutchDialect;
const crd = `${databases.plural}.${databases.group}`;

describeKlutchWorld('a provider of Klutch and its consumers', { name: 'klutch' }, (world, it) => {
  let own: KlutchClient;
  let other: KlutchClient;
  beforeAll(async () => {
    own = await world().onboard('cluster-one');
    other = await world().onboard('cluster-two');
  }, 240_000);

  const at = (namespace: string, rest: string): string => `${klutchApi}/namespaces/${namespace}/${rest}`;
  const objects = (namespace: string): string =>
    `/apis/${databases.group}/v1/namespaces/${namespace}/${databases.plural}`;
  const database = (name: string): object => ({
    apiVersion: `${databases.group}/v1`,
    kind: databases.kind,
    metadata: { name },
    spec: { size: 'small' },
  });
  const answers = async (
    consumer: KlutchClient,
    method: string,
    path: string,
    status: number,
    body?: object,
  ): Promise<void> => {
    await eventually(async () => {
      expect({ path, ...(await consumer.send(method, path, body)) }).toMatchObject({ path, status });
    }, LONG);
  };
  const requests = (
    consumer: KlutchClient,
    name: string,
    ...wanted: readonly { readonly group: string; readonly resource: string }[]
  ): Promise<void> =>
    answers(consumer, 'POST', at(consumer.clusterNamespace, 'apiserviceexportrequests'), 201, {
      apiVersion,
      kind: 'APIServiceExportRequest',
      metadata: { name },
      spec: { resources: wanted },
    });
  const request = (consumer: KlutchClient, name: string): Promise<APIServiceExportRequest | undefined> =>
    world().plane.find(kinds.apiServiceExportRequests, { namespace: consumer.clusterNamespace, name });
  const exportOf = async (consumer: KlutchClient): Promise<APIServiceExport> => {
    const found = await world().plane.find<APIServiceExport>(kinds.apiServiceExports, {
      namespace: consumer.clusterNamespace,
      name: crd,
    });
    if (found === undefined) throw new Error(`${consumer.clusterNamespace} has no export`);
    return found;
  };
  const asksFor = (consumer: KlutchClient, name: string): Promise<void> =>
    answers(consumer, 'POST', at(consumer.clusterNamespace, 'apiservicenamespaces'), 201, {
      apiVersion,
      kind: 'APIServiceNamespace',
      metadata: { name },
    });
  const assigned = async (consumer: KlutchClient, name: string): Promise<string | undefined> =>
    (
      await world().plane.find<APIServiceNamespace>(kinds.apiServiceNamespaces, {
        namespace: consumer.clusterNamespace,
        name,
      })
    )?.status?.namespace;
  const gets = (consumer: KlutchClient, name: string): Promise<void> =>
    eventually(async () => {
      expect(await assigned(consumer, name)).toBe(`${consumer.clusterNamespace}-${name}`);
    }, LONG);
  /** How many replicas a database may have, by the CRD. */
  const allow = (maximum: number): Promise<KubeObject> =>
    world().plane.client.patch(
      resources.customResourceDefinitions,
      { name: crd },
      {
        type: 'json',
        operations: [
          {
            op: 'add',
            path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/replicas/maximum',
            value: maximum,
          },
        ],
      },
    );
  const eventReasons = async (namespace: string): Promise<readonly string[]> =>
    (
      await world().plane.client.list<UnstructuredObject & { readonly reason?: string }>(resources.events, {
        namespace,
      })
    ).items.map(({ reason }) => reason ?? '');

  it('answers a request with an export that carries the CRD and the claims of the template', async () => {
    for (const consumer of [own, other])
      await requests(consumer, 'databases', { group: databases.group, resource: databases.plural });
    for (const consumer of [own, other]) {
      await eventually(async () => {
        expect((await request(consumer, 'databases'))?.status).toMatchObject({
          phase: 'Succeeded',
          conditions: expect.arrayContaining([expect.objectContaining({ type: 'ExportsReady', status: 'True' })]),
        });
      }, LONG);
      const found = await exportOf(consumer);
      expect(found.spec).toMatchObject({
        group: databases.group,
        scope: 'Namespaced',
        informerScope: 'Namespaced',
        names: { plural: databases.plural },
        permissionClaims: [{ resource: 'secrets', selector: { owner: 'Provider' } }],
      });
      expect(found.metadata.annotations?.['klutch.anynines.com/source-spec-hash']).toBe(
        exportHash(inlineSpecOf(found)),
      );
      await eventually(async () => {
        expect(conditionsOf(await exportOf(consumer))).toMatchObject({ ProviderInSync: { status: 'True' } });
      }, LONG);
    }
  });

  it('answers nothing that no template offers, and says so', async () => {
    await requests(own, 'roles', { group: 'rbac.authorization.k8s.io', resource: 'clusterroles' });
    await eventually(async () => {
      expect(conditionsOf(await request(own, 'roles'))).toMatchObject({
        ExportsReady: { status: 'False', reason: 'NotOffered' },
      });
    }, LONG);
  });

  it('assigns namespaces in which a consumer can do its work, and nobody else', async () => {
    for (const consumer of [own, other]) await asksFor(consumer, 'team-a');
    for (const consumer of [own, other]) await gets(consumer, 'team-a');
    const namespace = await world().plane.find(resources.namespaces, { name: 'cluster-one-team-a' });
    expect(namespace?.metadata.annotations).toMatchObject({
      'klutch.anynines.com/api-service-namespace': 'cluster-one/team-a',
    });
    for (const consumer of [own, other]) {
      const home = `${consumer.clusterNamespace}-team-a`;
      await answers(consumer, 'POST', objects(home), 201, database('orders'));
      await answers(consumer, 'PATCH', `${objects(home)}/orders`, 200, { spec: { size: 'large' } });
      await answers(consumer, 'GET', objects(home), 200);
      await answers(consumer, 'POST', `/api/v1/namespaces/${home}/secrets`, 201, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'orders-creds' },
        stringData: { password: 'x' },
      });
      await answers(consumer, 'GET', `/api/v1/namespaces/${home}/secrets`, 200);
      await answers(consumer, 'GET', `/api/v1/namespaces/${consumer.clusterNamespace}/secrets`, 200);
      await answers(consumer, 'GET', `/api/v1/namespaces/${consumer.clusterNamespace}`, 200);
    }
  });

  const attempts: readonly (readonly [string, string, string, object?])[] = [
    ['read objects of another consumer', 'GET', objects('cluster-two-team-a')],
    ['read objects of all', 'GET', `/apis/${databases.group}/v1/${databases.plural}`],
    [
      'write objects of another consumer',
      'PATCH',
      `${objects('cluster-two-team-a')}/orders`,
      { spec: { size: 'small' } },
    ],
    ['make objects in kube-system', 'POST', objects('kube-system'), database('x')],
    ['read Secrets of another consumer', 'GET', '/api/v1/namespaces/cluster-two-team-a/secrets'],
    ['read the kubeconfig of another consumer', 'GET', '/api/v1/namespaces/cluster-two/secrets/kubeconfig'],
    ['read Secrets of all', 'GET', '/api/v1/secrets'],
    [
      'make a token of another ServiceAccount',
      'POST',
      '/api/v1/namespaces/cluster-one-team-a/secrets',
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/service-account-token',
        metadata: { name: 't', annotations: { 'kubernetes.io/service-account.name': 'default' } },
      },
    ],
    [
      'forge whose copy it is',
      'PATCH',
      `${objects('cluster-one-team-a')}/orders`,
      { metadata: { annotations: { 'klutch.anynines.com/cluster-namespace': 'cluster-two' } } },
    ],
    [
      'make an export',
      'POST',
      at('cluster-one', 'apiserviceexports'),
      { apiVersion, kind: 'APIServiceExport', metadata: { name: 'x' } },
    ],
    [
      'change an export',
      'PATCH',
      at('cluster-one', `apiserviceexports/${crd}`),
      { spec: { permissionClaims: [{ group: '', resource: 'pods' }] } },
    ],
    [
      'ask in the name of another consumer',
      'POST',
      at('cluster-two', 'apiserviceexportrequests'),
      {
        apiVersion,
        kind: 'APIServiceExportRequest',
        metadata: { name: 'forged' },
        spec: { resources: [{ group: databases.group, resource: databases.plural }] },
      },
    ],
    [
      'assign itself a namespace',
      'PATCH',
      at('cluster-one', 'apiservicenamespaces/team-a/status'),
      { status: { namespace: 'kube-system' } },
    ],
    ['delete its namespace', 'DELETE', '/api/v1/namespaces/cluster-one-team-a'],
    [
      'report as another consumer',
      'PATCH',
      at('cluster-two', 'clusterbindings/cluster/status'),
      { status: { konnectorVersion: 'v9' } },
    ],
    ["read the catalogue of kube-bind's consumers", 'GET', '/apis/kube-bind.io/v1alpha2/apiserviceexports'],
  ];
  for (const [tries, method, path, body] of attempts)
    it(`refuses a consumer that tries to ${tries}`, () => answers(own, method, path, 403, body));

  it('gives no consumer the namespace of another, whatever the names come to, nor one that somebody else made', async () => {
    const nested = await world().onboard('cluster-one-team');
    await asksFor(nested, 'b');
    await gets(nested, 'b');
    await asksFor(own, 'team-b');
    await world().plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'cluster-one-billing' } });
    await asksFor(own, 'billing');
    await eventually(async () => {
      expect(
        (await eventReasons(own.clusterNamespace)).filter((reason) => reason === 'NamespaceConflict'),
      ).toHaveLength(2);
    }, LONG);
    expect([await assigned(own, 'team-b'), await assigned(own, 'billing')]).toEqual([undefined, undefined]);
    expect((await own.send('GET', objects('cluster-one-team-b'))).status).toBe(403);
    expect((await own.send('GET', objects('cluster-one-billing'))).status).toBe(403);
  });

  it('keeps what is in a namespace that the consumer lets go, and gives it back', async () => {
    await asksFor(own, 'keep');
    await gets(own, 'keep');
    await answers(own, 'POST', objects('cluster-one-keep'), 201, database('orders'));
    await answers(own, 'DELETE', at('cluster-one', 'apiservicenamespaces/keep'), 200);
    await answers(own, 'GET', objects('cluster-one-keep'), 403);
    expect((await world().look(`${objects('cluster-one-keep')}/orders`)).status).toBe(200);
    await asksFor(own, 'keep');
    await gets(own, 'keep');
    await answers(own, 'GET', `${objects('cluster-one-keep')}/orders`, 200);
  });

  it('takes a heartbeat that has just come for what it is, and notices silence', async () => {
    const health = async (consumer: KlutchClient): Promise<object | undefined> =>
      conditionsOf(
        await world().plane.find(kinds.clusterBindings, { namespace: consumer.clusterNamespace, name: 'cluster' }),
      )['Healthy'];
    const beat = (consumer: KlutchClient, status: object): Promise<void> =>
      answers(consumer, 'PATCH', at(consumer.clusterNamespace, 'clusterbindings/cluster/status'), 200, { status });
    await eventually(async () => {
      expect(await health(own)).toMatchObject({ status: 'False', reason: 'FirstHeartbeatPending' });
    }, LONG);
    await beat(own, {
      heartbeatInterval: '5m0s',
      lastHeartbeatTime: formatTime(Date.now()),
      konnectorVersion: 'v1.4.0',
    });
    await beat(other, { heartbeatInterval: '5s', lastHeartbeatTime: formatTime(Date.now()) });
    await eventually(async () => {
      expect(await health(own)).toMatchObject({ status: 'True' });
    }, LONG);
    await beat(own, { lastHeartbeatTime: formatTime(Date.now()) });
    await eventually(async () => {
      expect(await health(other)).toMatchObject({ status: 'False', reason: 'HeartbeatTimeout' });
    }, LONG);
    expect(await health(own)).toMatchObject({ status: 'True' });
  });

  it('carries a CRD that changes safely to every consumer, and holds one that breaks something until it is approved for each', async () => {
    const most = async (consumer: KlutchClient): Promise<number> =>
      (
        (await exportOf(consumer)).spec.versions[0]?.schema.openAPIV3Schema as {
          readonly properties: {
            readonly spec: { readonly properties: { readonly replicas: { readonly maximum: number } } };
          };
        }
      ).properties.spec.properties.replicas.maximum;
    await allow(20);
    for (const consumer of [own, other])
      await eventually(async () => {
        expect(await most(consumer)).toBe(20);
      }, LONG);

    await allow(5);
    const held = async (
      consumer: KlutchClient,
    ): Promise<
      | { readonly status?: string; readonly reason?: string | undefined; readonly message?: string | undefined }
      | undefined
    > => conditionsOf(await exportOf(consumer))['SchemaUpdateHeld'];
    for (const consumer of [own, other]) {
      await eventually(async () => {
        expect(await held(consumer)).toMatchObject({ status: 'True', message: expect.stringContaining('replicas') });
      }, LONG);
      expect(await most(consumer)).toBe(20);
    }
    await eventually(async () => {
      expect(await eventReasons(own.clusterNamespace)).toContain((await held(own))?.reason);
    }, LONG);
    const approval = /hawser\.dev\/schema-approved=(\w+)/u.exec((await held(own))?.message ?? '')?.[1] ?? '';
    // Not by the consumer itself.
    expect(
      (
        await own.send('PATCH', at('cluster-one', `apiserviceexports/${crd}`), {
          metadata: { annotations: { 'hawser.dev/schema-approved': approval } },
        })
      ).status,
    ).toBe(403);
    const hawser = (...args: readonly string[]): Promise<Ended> =>
      runCommand(executables.hawser, ['schema', ...args, `--kubeconfig=${world().plane.kubeconfigFile}`]);
    expect(await hawser('status')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^cluster-one +.* Held +breaking /mu),
    });
    expect(await hawser('diff', `${own.clusterNamespace}/${crd}`)).toMatchObject({
      code: 4,
      out: expect.stringContaining('replicas'),
    });
    expect(await hawser('approve', `${own.clusterNamespace}/${crd}`, `--hash=${approval}`)).toMatchObject({ code: 0 });
    await eventually(async () => {
      expect(await most(own)).toBe(5);
      expect(await held(own)).toBeUndefined();
    }, LONG);
    expect(await most(other)).toBe(20);
  });

  it('keeps namespaces of consumers from being deleted by mistake', async () => {
    for (const name of ['cluster-one', 'cluster-one-team-a'])
      await expect(world().plane.kubectl(['delete', 'namespace', name])).rejects.toThrow('hawser.dev/allow-deletion');
  });

  it('serves a konnector of ours in the words of Klutch, which needs no more than it gets', async () => {
    const third = await world().onboard('cluster-three');
    await requests(third, 'databases', { group: databases.group, resource: databases.plural });
    await eventually(async () => {
      expect((await request(third, 'databases'))?.status?.phase).toBe('Succeeded');
    }, LONG);
    const tenant = await openKlutchTenant(world(), third, [databases]);
    const consumer = tenant.plane;
    try {
      await consumer.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } });
      await eventually(async () => {
        expect(conditionsOf(await consumer.find(kinds.apiServiceBindings, { name: crd }))).toMatchObject({
          Ready: { status: 'True' },
        });
      }, LONG);
      await eventually(() => consumer.apply(objectOf(databases, { namespace: 'team-a', name: 'orders' })), LONG);
      const copy = { namespace: 'cluster-three-team-a', name: 'orders' };
      await eventually(async () => {
        expect((await world().plane.find(resourceOf(databases), copy))?.metadata.annotations).toMatchObject({
          'klutch.anynines.com/bound': 'true',
        });
      }, LONG);
      await world().plane.client.patch(
        resourceOf(databases),
        copy,
        { type: 'merge', patch: { status: { phase: 'Ready' } } },
        { subresource: 'status' },
      );
      await eventually(async () => {
        expect(await consumer.find(resourceOf(databases), { namespace: 'team-a', name: 'orders' })).toMatchObject({
          status: { phase: 'Ready' },
        });
      }, LONG);
      await eventually(async () => {
        expect(
          conditionsOf(
            await world().plane.find(kinds.clusterBindings, { namespace: 'cluster-three', name: 'cluster' }),
          ),
        ).toMatchObject({ Healthy: { status: 'True' } });
      }, LONG);
      await allow(7);
      await eventually(async () => {
        expect(JSON.stringify(await consumer.find(resources.customResourceDefinitions, { name: crd }))).toContain(
          '"maximum":7',
        );
      }, LONG);
      await consumer.kubectl([
        'delete',
        `${databases.plural}.${databases.group}`,
        'orders',
        '-n',
        'team-a',
        '--wait=false',
      ]);
      await eventually(async () => {
        expect(await world().plane.find(resourceOf(databases), copy)).toBeUndefined();
      }, LONG);
      expect(
        await refusedRequests(world().plane, `system:serviceaccount:cluster-three:${klutchDialect.names.binder}`),
      ).toEqual([]);
    } catch (error) {
      process.stderr.write(tenant.log());
      throw error;
    } finally {
      await tenant.close();
    }
  });
});
