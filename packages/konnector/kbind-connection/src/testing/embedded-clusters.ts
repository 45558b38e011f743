import {
  type ApiServer,
  type ApiServerOptions,
  DirectDispatcher,
  type RequestInfo,
  type StoreSnapshot,
  administrator,
  createApiServer,
} from '@hawser/apiserver';
import { type Client, createClient, type KubeObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { Cluster, Controller } from '@hawser/controller';
import { installCRDs, resources } from '@hawser/core-kbind';
import { createSharedInformers, type SharedInformers } from '@hawser/informer';
import { resources as kubeResources } from '@hawser/kube-bind';
import { noEvents, noMetrics, silentLogger } from '@hawser/telemetry';
import type { OpenProvider } from '../links.js';

const KONNECTOR = 'konnector';
/** A fresh server has revisions far above those of the backup. */
const REVISIONS = 1_000;
const telemetry = { clock: systemClock, random: Math.random, logger: silentLogger, metrics: noMetrics };

/** Two API servers in this process, and a konnector whose caches can be kept from following the consumer. */
export interface EmbeddedClusters {
  /** Clients of people. */
  readonly consumer: Client;
  readonly provider: Client;
  readonly open: OpenProvider;
  /** Requests of the konnector to the consumer, without those of its caches: `get customresourcedefinitions one`. */
  readonly requests: string[];
  /** Whether a cluster fails a request of the konnector. Default: none. */
  refuses: (request: RequestInfo, side: 'consumer' | 'provider') => boolean;
  start(controller: Controller<'consumer'>): Promise<void>;
  /** Creates Secret and Connection of that name. */
  connect(name: string, spec?: object): Promise<void>;
  backup(): StoreSnapshot;
  /** The konnector's caches do not follow the consumer any more. */
  blind(): void;
  /** The consumer has the state of the backup again, with higher revisions, and the caches do not follow it. */
  restore(backup: StoreSnapshot): void;
  /** The caches follow the consumer again. */
  see(): void;
  close(): Promise<void>;
}

/** The consumer has the CRDs of `core.kbind.io`, and namespaces `kbind` and `team`. */
export async function openEmbeddedClusters(): Promise<EmbeddedClusters> {
  const stops: (() => Promise<void> | void)[] = [];
  const informers: SharedInformers[] = [];
  let refuses: EmbeddedClusters['refuses'] = () => false;
  const requests: string[] = [];
  const options: ApiServerOptions = {
    faults: (request, info) => {
      if (request.headers['user-agent'] !== KONNECTOR) return undefined;
      requests.push(`${info.verb} ${info.resource} ${info.name}`.trim());
      return refuses(info, 'consumer') ? { instead: refusal } : undefined;
    },
  };
  let server = createApiServer(options);
  const far = createApiServer({
    faults: (request, info) =>
      request.headers['user-agent'] === KONNECTOR && refuses(info, 'provider') ? { instead: refusal } : undefined,
  });
  let isBlind = false;
  const clientOf = (current: () => ApiServer | undefined, userAgent = 'people'): Client => {
    const client = createClient({
      name: userAgent,
      connection: { server: 'https://api.invalid', credentials: { kind: 'none' } },
      dispatcher: () => new DirectDispatcher({ server: current, user: administrator }),
      userAgent,
    });
    stops.push(() => client.close());
    return client;
  };
  const clusterOf = (name: string, client: Client, watching: Client): Cluster => {
    const shared = createSharedInformers({ client: watching, ...telemetry });
    informers.push(shared);
    return { name, client, informers: shared, events: noEvents };
  };
  const consumer = clientOf(() => server);
  const provider = clientOf(() => far);
  await installCRDs(consumer, { clock: systemClock });
  for (const name of ['kbind', 'team'])
    await consumer.create(kubeResources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const cutOff = (): void => {
    isBlind = true;
    const { store } = server;
    server.stop('abrupt');
    server = createApiServer({ ...options, store });
  };
  return {
    consumer,
    provider,
    requests,
    get refuses() {
      return refuses;
    },
    set refuses(value) {
      refuses = value;
    },
    open: () => {
      const client = clientOf(() => far, KONNECTOR);
      const cluster = clusterOf('provider', client, client);
      return { cluster, close: () => cluster.informers.close() };
    },
    async start(controller) {
      const cluster = clusterOf(
        'consumer',
        clientOf(() => server, KONNECTOR),
        clientOf(() => (isBlind ? undefined : server), 'caches'),
      );
      stops.push(() => controller.stop());
      await controller.start({ clusters: { consumer: cluster }, ...telemetry, signal: new AbortController().signal });
    },
    async connect(name, spec = {}) {
      await consumer.create(kubeResources.secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: 'kbind', name },
        data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
      } as KubeObject);
      await consumer.create(resources.connections, {
        apiVersion: 'core.kbind.io/v1alpha1',
        kind: 'Connection',
        metadata: { name },
        spec: { kubeconfigSecretRef: { namespace: 'kbind', name }, schema: { source: 'CRD' }, ...spec },
      } as KubeObject);
    },
    backup: () => server.store.snapshot(),
    blind: cutOff,
    restore(backup) {
      const { store } = server;
      cutOff();
      store.restore({ ...backup, revision: store.revision + REVISIONS });
    },
    see() {
      isBlind = false;
    },
    async close() {
      isBlind = false;
      refuses = () => false;
      for (const stop of stops.splice(0).reverse()) await stop();
      await Promise.all(informers.map((one) => one.close()));
      server.stop();
      far.stop();
    },
  };
}

const kubeconfig = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'one',
  contexts: [{ name: 'one', context: { cluster: 'one', user: 'one' } }],
  clusters: [{ name: 'one', cluster: { server: 'https://provider.invalid' } }],
  users: [{ name: 'one', user: { token: 'none' } }],
});

/** Not for want of a right: the konnector would wait for that. */
const refusal = {
  status: 500,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ apiVersion: 'v1', kind: 'Status', status: 'Failure', reason: 'InternalError', code: 500 }),
};
