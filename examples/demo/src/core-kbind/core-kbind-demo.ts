import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject, Resource } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import {
  apiVersion,
  type Binding,
  type Connection,
  fixedNames,
  installCRDs,
  labels,
  resources,
} from '@hawser/core-kbind';
import { databases, ensure, sampleCrd } from '@hawser/installation';
import { type CustomResourceDefinition, type Secret, resources as kubeResources } from '@hawser/kube-bind';
import { stringify } from 'yaml';
import type { Cluster } from '../cluster.js';
import type { Opening } from '../clusters.js';
import { startEmbedded } from '../embedded.js';
import { databaseManifest, databaseResource, names } from '../names.js';
import { startOperator } from '../operator.js';
import type { Side, Timeline } from '../timeline.js';

export interface CoreKbindScene {
  readonly timeline: Timeline;
  readonly signal: AbortSignal;
  readonly folder: string;
  readonly openings: Opening[];
  readonly own: (close: () => Promise<void>) => void;
  readonly startRole: (
    name: string,
    command: readonly ['hawser', ...string[]],
    env: Readonly<Record<string, string>>,
  ) => void;
  /** Also shows the way out: nothing of the binding remains. */
  readonly once: boolean;
}

/** The demo operator's time for a database. */
const OPERATOR_DELAY_MS = 300;
const CONNECTION = 'demo';
const BINDING = 'databases';
const place = { namespace: names.userNamespace, name: 'orders' };
const password = { namespace: names.userNamespace, name: 'orders-password' };
const kubeconfigKey = { namespace: fixedNames.namespace, name: CONNECTION };

interface Database extends KubeObject {
  readonly spec?: { readonly size?: string };
  readonly status?: { readonly phase?: string; readonly endpoint?: string };
}

/**
 * Shows one API of a provider, used by a consumer through `core.kbind.io`: nothing of kube-bind runs on the provider.
 * Resolves when every step was seen.
 */
export async function showCoreKbind(scene: CoreKbindScene): Promise<void> {
  const { timeline, signal, folder, openings } = scene;
  const open = (side: Side): Promise<Cluster> => {
    const opening = startEmbedded(side, { folder, signal });
    openings.push(opening);
    return opening.cluster;
  };
  const [provider, consumer] = await Promise.all([open('provider'), open('consumer')]);
  timeline.seen(undefined, 'two API servers are ready');
  await Promise.all([offer(provider, scene), startKonnector(consumer, scene)]);
  await bind(consumer, provider, scene);
  await keepInStep(consumer, provider, scene);
  await bringSecret(consumer, provider, scene);
  if (scene.once) await leave(consumer, provider, scene);
}

/** A provider's whole part: a label on its CRD. */
async function offer(provider: Cluster, { timeline, own }: CoreKbindScene): Promise<void> {
  const { client } = provider;
  const crd = sampleCrd(databases);
  await ensure(client, kubeResources.customResourceDefinitions, {
    ...crd,
    metadata: { ...crd.metadata, labels: { [labels.exported]: 'true' } },
  });
  await provider.served(databaseResource);
  const operator = await startOperator({
    client,
    clock: systemClock,
    resource: databaseResource,
    delayMs: OPERATOR_DELAY_MS,
  });
  own(() => operator.close());
  timeline.seen('provider', `CRD ${names.crd} has the label ${labels.exported}=true; nothing else is installed`);
}

/** A konnector that serves only `core.kbind.io`. */
async function startKonnector({ client, kubeconfigFile }: Cluster, scene: CoreKbindScene): Promise<void> {
  const { signal, folder, startRole, timeline } = scene;
  await installCRDs(client, { clock: systemClock, signal });
  for (const name of [fixedNames.namespace, names.userNamespace])
    await ensure(client, kubeResources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const config = join(folder, 'konnector.yaml');
  await writeFile(
    config,
    stringify({
      roles: ['konnector'],
      konnector: {
        kubeconfig: kubeconfigFile,
        lease: { namespace: fixedNames.namespace },
        coreKbind: { enabled: true, alone: true, secretNamespaces: [fixedNames.namespace] },
      },
    }),
  );
  timeline.doing('consumer', 'konnector: {coreKbind: {enabled: true, alone: true}}');
  startRole('konnector', ['hawser', 'run', '--config', config], { POD_NAME: 'demo' });
}

/** In the hardest order: the binding precedes its references. */
async function bind(consumer: Cluster, provider: Cluster, { timeline }: CoreKbindScene): Promise<void> {
  const { client } = consumer;
  const before = performance.now();
  await client.create(resources.clusterBindings, {
    apiVersion,
    kind: 'ClusterBinding',
    metadata: { name: BINDING },
    spec: {
      connectionRef: { name: CONNECTION },
      apis: [{ name: names.crd }],
      relatedResources: [
        {
          group: '',
          resource: 'secrets',
          direction: 'FromProvider',
          selector: { labelSelector: { matchLabels: { app: BINDING } } },
        },
      ],
    },
  } as KubeObject);
  await client.create(resources.connections, {
    apiVersion,
    kind: 'Connection',
    metadata: { name: CONNECTION },
    spec: { kubeconfigSecretRef: kubeconfigKey },
  } as KubeObject);
  await client.create(kubeResources.secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: kubeconfigKey,
    data: { [fixedNames.kubeconfigKey]: encoded(await readFile(provider.kubeconfigFile, 'utf8')) },
  } as KubeObject);
  timeline.doing('consumer', `ClusterBinding ${BINDING}, Connection ${CONNECTION} and its Secret are created`);
  const connected = await consumer.seen<Connection>(
    resources.connections,
    { name: CONNECTION },
    'condition Ready of the Connection',
    isReady,
  );
  timeline.seen('consumer', `Connection ${CONNECTION} is Ready`, connected.at - before);
  await consumer.seen<CustomResourceDefinition>(
    kubeResources.customResourceDefinitions,
    { name: names.crd },
    `the CRD ${names.crd}`,
    ({ status }) => status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True') ?? false,
  );
  await consumer.served(databaseResource);
  const bound = await consumer.seen<Binding>(
    resources.clusterBindings,
    { name: BINDING },
    'condition Ready of the ClusterBinding',
    isReady,
  );
  timeline.seen('consumer', `ClusterBinding ${BINDING} is Ready, CRD ${names.crd} is there`, bound.at - before);
}

async function keepInStep(consumer: Cluster, provider: Cluster, { timeline }: CoreKbindScene): Promise<void> {
  const before = performance.now();
  await consumer.client.create(databaseResource, databaseManifest({ name: place.name, size: 'small' }));
  timeline.doing('consumer', `Database ${nameOf(place)} is created`);
  const copy = await provider.seen<Database>(databaseResource, place, 'the copy');
  timeline.seen('provider', `Database ${nameOf(place)} is there, under the same name`, copy.at - before);
  const told = await consumer.seen<Database>(
    databaseResource,
    place,
    'the status',
    ({ status }) => status?.phase === 'Ready',
  );
  timeline.seen('consumer', `status is here: ${told.object.status?.endpoint ?? ''}`, told.at - before);
  const changed = performance.now();
  await consumer.client.patch(databaseResource, place, { type: 'merge', patch: { spec: { size: 'large' } } });
  const followed = await provider.seen<Database>(
    databaseResource,
    place,
    'the new size',
    ({ spec }) => spec?.size === 'large',
  );
  timeline.seen('provider', 'spec.size is large', followed.at - changed);
}

/** Shows a Secret that the operator made beside its objects: the binding's rule brings it. */
async function bringSecret(consumer: Cluster, provider: Cluster, { timeline }: CoreKbindScene): Promise<void> {
  const before = performance.now();
  await provider.client.create(kubeResources.secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...password, labels: { app: BINDING } },
    data: { password: encoded('of the demo') },
  } as KubeObject);
  timeline.doing('provider', `Secret ${nameOf(password)} with the label app=${BINDING} is created`);
  const { at } = await consumer.seen<Secret>(kubeResources.secrets, password, 'the related Secret');
  timeline.seen('consumer', `Secret ${nameOf(password)} is here, by spec.relatedResources`, at - before);
}

/** The binding deletes objects, copies and CRD; the Connection releases its Secret. */
async function leave(consumer: Cluster, provider: Cluster, { timeline }: CoreKbindScene): Promise<void> {
  const before = performance.now();
  await consumer.client.delete(resources.clusterBindings, { name: BINDING });
  timeline.doing('consumer', `ClusterBinding ${BINDING} is deleted`);
  const goneThere = provider.gone(databaseResource, place, 'the copy');
  const gone = (resource: Resource, key: { readonly namespace?: string; readonly name: string }, what: string) =>
    consumer.gone(resource, key, what);
  await goneThere;
  timeline.seen('provider', `Database ${nameOf(place)} is gone`, performance.now() - before);
  await gone(kubeResources.secrets, password, 'the related Secret');
  await gone(kubeResources.customResourceDefinitions, { name: names.crd }, `the CRD ${names.crd}`);
  await gone(resources.clusterBindings, { name: BINDING }, 'the ClusterBinding');
  timeline.seen('consumer', 'CRD, related Secret and ClusterBinding are gone', performance.now() - before);
  await consumer.client.delete(resources.connections, { name: CONNECTION });
  await consumer.client.delete(kubeResources.secrets, kubeconfigKey);
  await gone(resources.connections, { name: CONNECTION }, 'the Connection');
  await gone(kubeResources.secrets, kubeconfigKey, 'the Secret of the Connection');
  timeline.seen('consumer', `Connection ${CONNECTION} and its Secret are gone`, performance.now() - before);
}

const encoded = (text: string): string => Buffer.from(text).toString('base64');
const nameOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`;

const isReady = ({ status }: Connection | Binding): boolean =>
  status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') ?? false;
