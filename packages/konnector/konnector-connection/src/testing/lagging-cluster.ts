import {
  type ApiServer,
  type ApiServerOptions,
  DirectDispatcher,
  type Fault,
  type RequestInfo,
  type StoreSnapshot,
  administrator,
  createApiServer,
} from '@hawser/apiserver';
import { type Client, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { Cluster } from '@hawser/controller';
import { createSharedInformers } from '@hawser/informer';
import { noEvents, noMetrics, silentLogger } from '@hawser/telemetry';

/** Rest of the context in which a controller starts. */
export const telemetry = { clock: systemClock, random: Math.random, logger: silentLogger, metrics: noMetrics };

const KONNECTOR = 'konnector';
/** A restored server has revisions far above those of the backup. */
const REVISIONS = 1_000;

/** An API server in this process. The konnector's caches can be kept from following it. */
export interface LaggingCluster {
  /** Client of people. */
  readonly people: Client;
  /** The konnector's. */
  readonly cluster: Cluster;
  /** Requests of the konnector, without those of its caches: `get customresourcedefinitions one`. */
  readonly requests: string[];
  /** Whether the server fails a request of the konnector. Default: none. */
  refuses: (request: RequestInfo) => boolean;
  backup(): StoreSnapshot;
  /** The caches do not follow the server any more. */
  blind(): void;
  /** The server has the state of the backup again, with higher revisions, and the caches do not follow it. */
  restore(backup: StoreSnapshot): void;
  /** As `restore`, and the watches of the caches stay open and silent. */
  restoreUnnoticed(backup: StoreSnapshot): void;
  /** The caches follow the server again. */
  see(): void;
  close(): Promise<void>;
}

/** `lacks`: the resource that the server does not have, and of which there are no objects. */
export function openLaggingCluster(name: string, { lacks }: { readonly lacks?: string } = {}): LaggingCluster {
  const requests: string[] = [];
  let isBlind = false;
  const options: ApiServerOptions = {
    faults: (request, info) => {
      if (info.resource === lacks)
        return {
          instead:
            info.verb === 'list'
              ? emptyList
              : failure('NotFound', 404, { name: info.name, group: info.apiGroup, kind: info.resource }),
        };
      if (request.headers['user-agent'] !== KONNECTOR) return undefined;
      requests.push(`${info.verb} ${info.resource} ${info.name}`.trim());
      return lagging.refuses(info) ? { instead: failure('InternalError', 500) } : undefined;
    },
  };
  let server = createApiServer(options);
  const clientOf = (userAgent: string, current: () => ApiServer | undefined = () => server): Client =>
    createClient({
      name,
      connection: { server: `https://${name}.invalid`, credentials: { kind: 'none' } },
      dispatcher: () => new DirectDispatcher({ server: current, user: administrator }),
      userAgent,
    });
  const [people, client] = [clientOf('people'), clientOf(KONNECTOR)];
  let silent: ApiServer | undefined;
  const watching = clientOf('caches', () => silent ?? (isBlind ? undefined : server));
  const informers = createSharedInformers({ client: watching, ...telemetry });
  const restart = (): void => {
    isBlind = true;
    const { store } = server;
    server.stop('abrupt');
    server = createApiServer({ ...options, store });
  };
  const lagging: LaggingCluster = {
    people,
    cluster: { name, client, informers, events: noEvents },
    requests,
    refuses: () => false,
    backup: () => server.store.snapshot(),
    blind: restart,
    restore(backup) {
      restart();
      server.store.restore({ ...backup, revision: server.store.revision + REVISIONS });
    },
    restoreUnnoticed(backup) {
      silent = server;
      server = createApiServer(options);
      server.store.restore({ ...backup, revision: silent.store.revision + REVISIONS });
    },
    see() {
      silent?.stop('abrupt');
      silent = undefined;
      isBlind = false;
    },
    async close() {
      await informers.close();
      await Promise.all([people, client, watching].map((one) => one.close()));
      silent?.stop();
      server.stop();
    },
  };
  return lagging;
}

/** Not for want of a right: the controller would wait for that. */
function failure(reason: string, code: number, details = {}): NonNullable<Fault['instead']> {
  const status = { apiVersion: 'v1', kind: 'Status', status: 'Failure', reason, code, details };
  return { status: code, headers: { 'content-type': 'application/json' }, body: JSON.stringify(status) };
}

const emptyList: NonNullable<Fault['instead']> = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '1' }, items: [] }),
};
