import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { databases, ensure, sampleCrd } from '@hawser/installation';
import { type APIBinding, type APIExport, resources as kcpResources } from '@hawser/kcp-api';
import { type PublishedResource, annotations, installCRDs, resources } from '@hawser/syncagent-api';
import type { Cluster } from '../cluster.js';
import { databaseResource } from '../names.js';
import { type Operator, startOperator } from '../operator.js';
import type { Timeline } from '../timeline.js';
import { agentNamespace, bindingName, exportName, published, remoteDatabases } from './names.js';

interface Database extends KubeObject {
  readonly spec?: { readonly size?: string };
  readonly status?: { readonly phase?: string; readonly size?: string; readonly endpoint?: string };
}

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const OPERATOR_DELAY_MS = 300;
const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
const secrets = { group: '', version: 'v1', resource: 'secrets' };
const customResourceDefinitions = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
};
const orders = { namespace: 'default', name: 'orders' };

/** A workspace that uses the API. */
export interface Consumer {
  readonly team: string;
  /** Name of its logical cluster. */
  readonly cluster: string;
  readonly workspace: Cluster;
}

/** Prepares what the agent needs at its start. */
export async function prepareService({ client }: Cluster, signal: AbortSignal): Promise<void> {
  await Promise.all([
    ensure(client, namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: agentNamespace } }),
    installCRDs(client, { clock: systemClock, signal }),
  ]);
}

/** An empty APIExport: the agent fills in what it exports. */
export async function createExport({ client }: Cluster, workspace: string, timeline: Timeline): Promise<void> {
  await client.create(kcpResources.apiExports, {
    apiVersion: 'apis.kcp.io/v1alpha2',
    kind: 'APIExport',
    metadata: { name: exportName },
  });
  timeline.seen('kcp', `APIExport ${exportName} in ${workspace}, empty`);
}

/** The service's API and its operator. */
export async function offerApi(service: Cluster, timeline: Timeline): Promise<Operator> {
  await ensure(service.client, customResourceDefinitions, sampleCrd(databases));
  await service.served(databaseResource);
  const operator = await startOperator({
    client: service.client,
    clock: systemClock,
    resource: databaseResource,
    delayMs: OPERATOR_DELAY_MS,
  });
  timeline.seen(
    'service',
    `the API databases.example.com, with a controller that needs ${OPERATOR_DELAY_MS} ms for a database`,
  );
  return operator;
}

export async function publish(service: Cluster, provider: Cluster, timeline: Timeline): Promise<void> {
  const before = performance.now();
  await service.client.create(resources.publishedResources, {
    apiVersion: 'syncagent.kcp.io/v1alpha1',
    kind: 'PublishedResource',
    metadata: { name: published },
    spec: {
      resource: { apiGroup: databases.group, kind: databases.kind },
      projection: { group: remoteDatabases.group },
      related: [
        {
          identifier: 'credentials',
          origin: 'service',
          kind: 'Secret',
          cleanup: true,
          object: { template: { template: '{{ .Object.metadata.name }}-credentials' } },
        },
      ],
    },
  } as UnstructuredObject);
  timeline.doing('service', `PublishedResource ${published} is created`);
  const { object, at } = await provider.seen<APIExport>(
    kcpResources.apiExports,
    { name: exportName },
    'the schema in the APIExport',
    ({ spec }) => (spec?.resources ?? []).length > 0 && (spec?.permissionClaims ?? []).length > 0,
  );
  timeline.seen(
    'kcp',
    `${object.spec?.resources?.[0]?.schema ?? ''} is exported, with claims on ${(object.spec?.permissionClaims ?? []).map(({ resource }) => resource).join(', ')}`,
    at - before,
  );
}

/** A consumer binds the export and accepts its claims. */
export async function bindIn(
  consumer: Cluster,
  provider: { readonly cluster: Cluster; readonly path: string },
  team: string,
  timeline: Timeline,
): Promise<void> {
  const { spec } = await provider.cluster.client.get<APIExport>(kcpResources.apiExports, { name: exportName });
  const before = performance.now();
  await consumer.client.create(kcpResources.apiBindings, {
    apiVersion: 'apis.kcp.io/v1alpha2',
    kind: 'APIBinding',
    metadata: { name: bindingName },
    spec: {
      reference: { export: { path: provider.path, name: exportName } },
      permissionClaims: (spec?.permissionClaims ?? []).map((claim) => ({
        ...claim,
        state: 'Accepted',
        selector: { matchAll: true },
      })),
    },
  } as UnstructuredObject);
  const { at } = await consumer.seen<APIBinding>(
    kcpResources.apiBindings,
    { name: bindingName },
    'the binding',
    ({ status }) => status?.phase === 'Bound',
  );
  await consumer.served(remoteDatabases);
  timeline.seen('kcp', `${team} has bound it`, at - before);
}

/** The same object in three workspaces, each with its own copy; a change, a Secret, a deletion. */
export async function workspaceStory(
  service: Cluster,
  consumers: readonly Consumer[],
  timeline: Timeline,
): Promise<void> {
  const copies: Database[] = [];
  for (const { team, cluster, workspace: consumer } of consumers) {
    await service.watched(databaseResource, cluster);
    const before = performance.now();
    await consumer.client.create(remoteDatabases, {
      apiVersion: 'kcp.example.com/v1',
      kind: databases.kind,
      metadata: orders,
      spec: { size: 'small', replicas: 2 },
    } as UnstructuredObject);
    timeline.doing('kcp', `Database orders is created in ${team}`);
    const copy = await seenCopy(service, cluster, () => true);
    copies.push(copy.object);
    timeline.seen('service', `Database ${cluster}/${copy.object.metadata.name} is there`, copy.at - before);
    const back = await consumer.seen<Database>(
      remoteDatabases,
      orders,
      'the status',
      ({ status }) => status?.phase === 'Ready',
    );
    timeline.seen(
      'kcp',
      `its status is in ${team}: ${back.object.status?.phase ?? ''}, ${back.object.status?.endpoint ?? ''}`,
    );
  }
  const [first, , last] = consumers;
  const [copy] = copies;
  if (first === undefined || last === undefined || copy === undefined) return;
  const { cluster } = first;

  let before = performance.now();
  await first.workspace.client.patch(remoteDatabases, orders, { type: 'merge', patch: { spec: { size: 'large' } } });
  timeline.doing('kcp', `orders in ${first.team} gets size large`);
  const larger = await seenCopy(service, cluster, ({ spec }) => spec?.size === 'large');
  timeline.seen('service', 'spec.size is large', larger.at - before);

  before = performance.now();
  await service.client.create(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `${copy.metadata.name}-credentials`, namespace: cluster },
    data: { password: Buffer.from('not a secret').toString('base64') },
  } as UnstructuredObject);
  timeline.doing('service', `the operator makes Secret ${copy.metadata.name}-credentials`);
  const secret = await first.workspace.seen<Secret>(
    secrets,
    { namespace: 'default', name: 'orders-credentials' },
    'the Secret',
  );
  timeline.seen('kcp', `Secret orders-credentials is in ${first.team}`, secret.at - before);

  before = performance.now();
  const gone = service.gone(
    databaseResource,
    { namespace: last.cluster, name: copies[2]?.metadata.name ?? '' },
    'the copy of orders',
  );
  await last.workspace.client.delete(remoteDatabases, orders);
  timeline.doing('kcp', `orders in ${last.team} is deleted`);
  timeline.seen('service', 'its copy is gone', (await gone).at - before);
  await last.workspace.gone(remoteDatabases, orders, 'orders');
  timeline.seen('kcp', 'and only then the object', performance.now() - before);

  await service.seen<PublishedResource>(
    resources.publishedResources,
    { name: published },
    'the counts',
    ({ status }) => status?.counts?.objects === 2 && status.counts.workspaces === 3,
  );
  timeline.seen('service', `PublishedResource ${published} tells of 2 objects in 3 workspaces`);
}

/** The copy of a workspace's `orders`, found by its labels: the agent chooses its name. */
async function seenCopy(
  service: Cluster,
  cluster: string,
  predicate: (object: Database) => boolean,
): Promise<{ readonly object: Database; readonly at: number }> {
  return service.seenWhere<Database>(
    databaseResource,
    cluster,
    'the copy of orders',
    (object) => object.metadata.annotations?.[annotations.remoteName] === orders.name && predicate(object),
  );
}
