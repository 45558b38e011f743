import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { bind, databases, ensure, onboardConsumer, requestExport, sampleCrd } from '@hawser/installation';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type CustomResourceDefinition,
  annotations,
  consumerCRDs,
  fixedNames,
  installCRDs,
  providerCRDs,
  resources,
} from '@hawser/kube-bind';
import type { Cluster } from './cluster.js';
import { DemoError } from './demo-error.js';
import { type DatabaseContent, databaseResource, names } from './names.js';
import { type Operator, startOperator } from './operator.js';
import type { Timeline } from './timeline.js';
import type { Deed } from './user.js';

interface Database extends KubeObject {
  readonly spec?: { readonly size?: string };
  readonly status?: { readonly phase?: string; readonly endpoint?: string; readonly size?: string };
}

/** The fake operator's time for a database. */
const OPERATOR_DELAY_MS = 300;

const databasesRole = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: `kube-binder:objects:${names.crd}` },
  rules: [
    {
      apiGroups: [databases.group],
      resources: [databases.plural],
      verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    },
  ],
} as KubeObject;

/** Creates what a service owner has before any consumer: the CRDs of kube-bind, an API, and its operator. */
export async function offerApi(provider: Cluster, timeline: Timeline, signal: AbortSignal): Promise<Operator> {
  const { client } = provider;
  await ensure(client, resources.customResourceDefinitions, sampleCrd(databases));
  // Output of `hawser rbac --roles provider`: the provider role grants these roles to consumers, and creates none
  // itself.
  await ensure(client, resources.clusterRoles, databasesRole);
  await provider.served(databaseResource);
  const operator = await startOperator({
    client,
    clock: systemClock,
    resource: databaseResource,
    delayMs: OPERATOR_DELAY_MS,
  });
  signal.throwIfAborted();
  timeline.seen(
    'provider',
    `the API ${names.crd}, with a controller that needs ${OPERATOR_DELAY_MS} ms for a database`,
  );
  return operator;
}

/** Onboards a consumer on any provider of the wire contract. Resolves to the consumer's kubeconfig. */
export async function onboard(provider: Cluster, timeline: Timeline): Promise<string> {
  const { kubeconfig } = await onboardConsumer({
    provider: provider.client,
    connection: provider.connection,
    clusterNamespace: names.clusterNamespace,
    prettyName: 'Demo databases',
    apis: [databases],
  });
  timeline.seen(
    'provider',
    `a consumer: namespace ${names.clusterNamespace} with ClusterBinding, ServiceAccount, token and rights`,
  );
  return kubeconfig;
}

/** The namespace of the Lease, and the CRDs: must exist, and be recorded as ours, before the provider role starts. */
export async function prepareProvider({ client }: Cluster, signal: AbortSignal): Promise<void> {
  await Promise.all([
    ensure(client, resources.namespaces, namespace(names.clusterNamespace)),
    installCRDs(client, providerCRDs, { clock: systemClock, signal }),
  ]);
}

/** The same for the konnector, plus the user's namespace. */
export async function prepareConsumer({ client }: Cluster, signal: AbortSignal): Promise<void> {
  await Promise.all([
    ensure(client, resources.namespaces, namespace(fixedNames.konnectorNamespace)),
    ensure(client, resources.namespaces, namespace(names.userNamespace)),
    installCRDs(client, consumerCRDs, { clock: systemClock, signal }),
  ]);
}

/** From the export request to the bound API. */
export async function bindApi(
  consumer: Cluster,
  provider: Cluster,
  kubeconfig: string,
  timeline: Timeline,
): Promise<void> {
  await requestExport(provider.client, names.clusterNamespace, names.export, [databases]);
  timeline.doing('provider', `APIServiceExportRequest ${names.export} is created`);
  const asked = performance.now();
  await provider.seen<APIServiceExport>(
    resources.apiServiceExports,
    { namespace: names.clusterNamespace, name: names.export },
    'the APIServiceExport',
  );
  await provider.seen(
    resources.boundSchemas,
    { namespace: names.clusterNamespace, name: names.crd },
    'the BoundSchema',
  );
  timeline.seen('provider', `APIServiceExport ${names.export} and BoundSchema ${names.crd}`, performance.now() - asked);
  const before = performance.now();
  await bind({ consumer: consumer.client, name: names.export, kubeconfig });
  timeline.doing('consumer', `APIServiceBinding ${names.export} and its Secret are created`);
  const { at } = await consumer.seen<CustomResourceDefinition>(
    resources.customResourceDefinitions,
    { name: names.crd },
    `the CRD ${names.crd}`,
    (crd) => crd.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false,
  );
  await consumer.served(databaseResource);
  timeline.seen('consumer', `CRD ${names.crd} is there`, at - before);
  // Users come once the CRD exists: the remaining conditions are checked at the end.
}

/**
 * A user's day: create, change, label, delete; each seen on both sides. Resolves to the time when the first object was
 * on both.
 */
export async function keepInStep(
  consumer: Cluster,
  provider: Cluster,
  timeline: Timeline,
): Promise<{ readonly firstObjectSeconds: number }> {
  const mine = { namespace: names.userNamespace, name: 'orders' };
  const theirs = { namespace: names.serviceNamespace, name: 'orders' };
  await consumer.watched(databaseResource, mine.namespace);

  let at = await apply(consumer, timeline, { name: 'orders', size: 'small', labels: { tier: 'silver' } });
  const copy = await provider.seen<Database>(
    databaseResource,
    theirs,
    'the copy of orders',
    ({ spec, metadata }) => spec?.size === 'small' && metadata.labels?.['tier'] === 'silver',
  );
  const firstObjectSeconds = timeline.elapsed;
  timeline.seen('provider', `Database ${theirs.namespace}/${theirs.name} is there, size small`, copy.at - at);
  const owner = copy.object.metadata.annotations?.[annotations.clusterNamespace];
  if (owner !== names.clusterNamespace)
    throw new DemoError('failed', `provider: the copy says that it belongs to ${owner ?? 'nobody'}`);
  await provider.watched(databaseResource, theirs.namespace);
  await statusComesBack(consumer, provider, timeline, 'small');

  at = await apply(consumer, timeline, { name: 'orders', size: 'large', labels: { tier: 'silver' } });
  const larger = await provider.seen<Database>(
    databaseResource,
    theirs,
    'the new size',
    ({ spec }) => spec?.size === 'large',
  );
  timeline.seen('provider', 'spec.size is large', larger.at - at);
  await statusComesBack(consumer, provider, timeline, 'large');

  const labelled = consumer.seen(
    databaseResource,
    mine,
    'the label',
    ({ metadata }) => metadata.labels?.['tier'] === 'gold',
  );
  const labelFollowed = provider.seen(
    databaseResource,
    theirs,
    'the label',
    ({ metadata }) => metadata.labels?.['tier'] === 'gold',
  );
  await Promise.all([
    carryOut(consumer, timeline, consumer.user.label('orders', 'tier', 'gold')),
    labelled,
    labelFollowed,
  ]);
  timeline.seen('provider', 'label tier is gold', (await labelFollowed).at - (await labelled).at);

  await oneGoes(consumer, provider, timeline);
  await stays(consumer, mine);
  await stays(provider, theirs);
  return { firstObjectSeconds };
}

async function oneGoes(consumer: Cluster, provider: Cluster, timeline: Timeline): Promise<void> {
  const mine = { namespace: names.userNamespace, name: 'scratch' };
  const theirs = { namespace: names.serviceNamespace, name: 'scratch' };
  const at = await apply(consumer, timeline, { name: 'scratch', size: 'medium' });
  const copy = await provider.seen(databaseResource, theirs, 'the copy of scratch');
  timeline.seen('provider', `Database ${theirs.namespace}/${theirs.name} is there`, copy.at - at);
  const going = consumer.seen(
    databaseResource,
    mine,
    'the deletion of scratch',
    ({ metadata }) => metadata.deletionTimestamp !== undefined,
  );
  const goneThere = provider.gone(databaseResource, theirs, 'the copy of scratch');
  const goneHere = consumer.gone(databaseResource, mine, 'scratch');
  await Promise.all([carryOut(consumer, timeline, consumer.user.remove('scratch')), going, goneThere, goneHere]);
  timeline.seen(
    'provider',
    `Database ${theirs.namespace}/${theirs.name} is gone`,
    (await goneThere).at - (await going).at,
  );
  timeline.seen('consumer', "and only then the consumer's", (await goneHere).at - (await going).at);
}

async function statusComesBack(consumer: Cluster, provider: Cluster, timeline: Timeline, size: string): Promise<void> {
  const reported = ({ status }: Database): boolean => status?.phase === 'Ready' && status.size === size;
  const [there, here] = await Promise.all([
    provider.seen<Database>(
      databaseResource,
      { namespace: names.serviceNamespace, name: 'orders' },
      'the status of the operator',
      reported,
    ),
    consumer.seen<Database>(
      databaseResource,
      { namespace: names.userNamespace, name: 'orders' },
      'the status',
      reported,
    ),
  ]);
  timeline.seen(
    'consumer',
    `status is here: ${here.object.status?.phase ?? ''}, size ${size}, ${here.object.status?.endpoint ?? ''}`,
    here.at - there.at,
  );
}

/** Applies it as a user would; resolves to the time when the consumer had it. */
async function apply(consumer: Cluster, timeline: Timeline, content: DatabaseContent): Promise<number> {
  const there = consumer.seen<Database>(
    databaseResource,
    { namespace: names.userNamespace, name: content.name },
    content.name,
    ({ spec }) => spec?.size === content.size,
  );
  const [sighting] = await Promise.all([there, carryOut(consumer, timeline, consumer.user.apply(content))]);
  return sighting.at;
}

async function carryOut(cluster: Cluster, timeline: Timeline, deed: Deed): Promise<void> {
  timeline.doing(cluster.side, deed.text);
  await deed.carryOut();
}

async function stays(cluster: Cluster, key: { readonly namespace: string; readonly name: string }): Promise<void> {
  const { metadata } = await cluster.client.get(databaseResource, key);
  if (metadata.deletionTimestamp !== undefined)
    throw new DemoError('failed', `${cluster.side}: ${key.name} is being deleted, though nobody asked for that`);
}

/** The binding reports all True, and so does the export. */
export async function conditionsAreTrue(consumer: Cluster, provider: Cluster, timeline: Timeline): Promise<void> {
  const ready = (object: UnstructuredObject): boolean =>
    ((object['status'] ?? {}) as NonNullable<APIServiceBinding['status']>).conditions?.some(
      ({ type, status }) => type === 'Ready' && status === 'True',
    ) ?? false;
  await Promise.all([
    consumer.seen(resources.apiServiceBindings, { name: names.export }, 'condition Ready of the binding', ready),
    provider.seen(
      resources.clusterBindings,
      { namespace: names.clusterNamespace, name: fixedNames.clusterBinding },
      'condition Ready of the ClusterBinding',
      ready,
    ),
  ]);
  timeline.seen(undefined, 'APIServiceBinding and ClusterBinding are Ready');
}

function namespace(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}
