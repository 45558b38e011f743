import {
  type Client,
  type KubeObject,
  type ObjectKey,
  type Resource,
  type UnstructuredObject,
  createClient,
} from '@hawser/client';
import { sleep, systemClock } from '@hawser/clock';
import { type InformerSpec, type SharedInformers, createSharedInformers } from '@hawser/informer';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { DemoError, messageOf } from './demo-error.js';
import { type Ledger, recordCreations } from './ledger.js';
import type { Side } from './timeline.js';
import type { User } from './user.js';

/** Longest wait for anything, on a busy machine or a distant cluster. */
const PATIENCE_MS = 60_000;

/** One of the two clusters, seen by its administrator. */
export interface Cluster {
  readonly side: Side;
  readonly connection: ConnectionConfig;
  /** Records its creations in the ledger. */
  readonly client: Client;
  readonly kubeconfigFile: string;
  readonly ledger: Ledger;
  readonly user: User;
  /** Resolves when the object exists and `predicate` holds. `what` is for the error: `the CRD`. */
  seen<T extends KubeObject = UnstructuredObject>(
    resource: Resource,
    key: ObjectKey,
    what: string,
    predicate?: (object: T) => boolean,
  ): Promise<Sighting<T>>;
  /** The same for an object of unknown name. */
  seenWhere<T extends KubeObject = UnstructuredObject>(
    resource: Resource,
    namespace: string,
    what: string,
    predicate: (object: T) => boolean,
  ): Promise<Sighting<T>>;
  /** Keeps a watch open, for prompt answers to later waits. Resolves when it has begun. */
  watched(resource: Resource, namespace: string): Promise<void>;
  /** Resolves when the object is gone or missing. */
  gone(resource: Resource, key: ObjectKey, what: string): Promise<{ readonly at: number }>;
  /** Resolves when the API server serves the resource. */
  served(resource: Resource): Promise<void>;
  close(): Promise<void>;
}

export interface Sighting<T> {
  readonly object: T;
  /** `performance.now()` at the watch event. */
  readonly at: number;
}

export interface ClusterOptions {
  readonly side: Side;
  readonly connection: ConnectionConfig;
  readonly kubeconfigFile: string;
  readonly userOf: (client: Client) => User;
  /** Ends every wait. */
  readonly signal: AbortSignal;
}

export function openCluster({ side, connection, kubeconfigFile, userOf, signal }: ClusterOptions): Cluster {
  const plain = createClient({ name: side, connection, userAgent: 'hawser-demo' });
  const { client, ledger } = recordCreations(plain);
  const informers: SharedInformers = createSharedInformers({
    client: plain,
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    metrics: noMetrics,
    backoff: { initialMs: 50, capMs: 1_000 },
  });
  const sighted = async <T extends KubeObject>(
    spec: InformerSpec,
    what: string,
    predicate: (object: T) => boolean,
  ): Promise<Sighting<T>> => {
    const informer = informers.acquire<T>(spec);
    try {
      return await within<Sighting<T>>(`${side}: ${what} was not seen`, signal, (resolve) => {
        const look = (object: T): void => {
          if (predicate(object)) resolve({ object, at: performance.now() });
        };
        informer.addHandler({
          onAdd: look,
          onUpdate: (_, after) => {
            look(after);
          },
        });
      });
    } finally {
      informer.release();
    }
  };
  return {
    side,
    connection,
    client,
    kubeconfigFile,
    ledger,
    user: userOf(plain),
    async watched(resource, namespace) {
      await informers.acquire({ resource, namespace }).synced(signal);
    },
    seen: <T extends KubeObject>(
      resource: Resource,
      key: ObjectKey,
      what: string,
      predicate: (object: T) => boolean = () => true,
    ) => sighted<T>(specOf(resource, key), what, (object) => object.metadata.name === key.name && predicate(object)),
    seenWhere: <T extends KubeObject>(
      resource: Resource,
      namespace: string,
      what: string,
      predicate: (object: T) => boolean,
    ) => sighted<T>({ resource, namespace }, what, predicate),
    async gone(resource, key, what) {
      const informer = informers.acquire(specOf(resource, key));
      try {
        return await within<{ readonly at: number }>(`${side}: ${what} is still there`, signal, (resolve, reject) => {
          const done = (): void => {
            resolve({ at: performance.now() });
          };
          informer.addHandler({
            onDelete: ({ metadata }) => {
              if (metadata.name === key.name) done();
            },
          });
          informer.synced(signal).then(() => {
            if (informer.get(key) === undefined) done();
          }, reject);
        });
      } finally {
        informer.release();
      }
    },
    async served(resource) {
      const deadline = performance.now() + PATIENCE_MS;
      for (;;) {
        try {
          await plain.list(resource, { limit: 1, signal });
          return;
        } catch (error) {
          signal.throwIfAborted();
          if (performance.now() > deadline)
            throw new DemoError(
              'failed',
              `${side}: ${resource.resource}.${resource.group} is not served: ${messageOf(error)}`,
              { cause: error },
            );
          await sleep(systemClock, 20, signal);
        }
      }
    },
    async close() {
      await informers.close();
      await plain.close();
    },
  };
}

/** Objects of a namespace share one watch; for cluster-scoped kinds only the one object is watched. */
function specOf(resource: Resource, { namespace, name }: ObjectKey): InformerSpec {
  return namespace === undefined ? { resource, fieldSelector: `metadata.name=${name}` } : { resource, namespace };
}

/** A promise with a deadline; also ends with `signal`. */
function within<T>(
  late: string,
  signal: AbortSignal,
  start: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      end(() => {
        reject(new DemoError('failed', `${late} within ${PATIENCE_MS / 1_000} s`));
      });
    }, PATIENCE_MS);
    const onAbort = (): void => {
      end(() => {
        reject(reasonOf(signal));
      });
    };
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    start(
      (value) => {
        end(() => {
          resolve(value);
        });
      },
      (error) => {
        end(() => {
          reject(error);
        });
      },
    );
  });
}

export function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new DemoError('failed', 'interrupted');
}
