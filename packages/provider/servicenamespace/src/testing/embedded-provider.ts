import { type ApiServer, DirectDispatcher, type Faults, createApiServer } from '@hawser/apiserver';
import {
  type Client,
  type KubeObject,
  type ObjectKey,
  type Resource,
  type UnstructuredObject,
  createClient,
  getIfExists,
} from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { Controller } from '@hawser/controller';
import { createSharedInformers, type SharedInformers } from '@hawser/informer';
import { installCRDs, providerCRDs } from '@hawser/kube-bind';
import {
  type EventMessage,
  type EventRecorder,
  type ObjectReference,
  noMetrics,
  silentLogger,
} from '@hawser/telemetry';
import { eventually } from '@hawser/testenv';

export interface RunningControllers {
  /** Informers of the controllers: objects acquired here show the controllers' view. */
  readonly informers: SharedInformers;
  stop(): Promise<void>;
}

/** A provider cluster in this process, for events between two requests of a controller. */
export interface EmbeddedProvider {
  readonly server: ApiServer;
  /** Client of an administrator. */
  readonly client: Client;
  /** Events of all controllers together. */
  readonly events: readonly { readonly regarding: ObjectReference; readonly event: EventMessage }[];
  /** Starts controllers with their own caches and their own way to the server; `faults` affect only their requests. */
  run(controllers: readonly Controller<'provider'>[], faults?: Faults): Promise<RunningControllers>;
  create(resource: Resource, object: object): Promise<KubeObject>;
  /**
   * Changes the object by a merge patch. Resolves once the caches of the running controllers have it; they must cache
   * it.
   */
  change(resource: Resource, key: ObjectKey, patch: object): Promise<void>;
  /** Waits until the caches of the running controllers have this version of the object, or a later one. */
  heard(resource: Resource, object: KubeObject): Promise<void>;
  read<T extends KubeObject>(resource: Resource, key: ObjectKey): Promise<T | undefined>;
  close(): Promise<void>;
}

const asks = 'hawser-under-test';

export async function openEmbeddedProvider(): Promise<EmbeddedProvider> {
  const server = createApiServer();
  const open = (name: string): Client =>
    createClient({
      name,
      connection: { server: 'https://api.invalid', credentials: { kind: 'token', token: server.adminToken } },
      clock: systemClock,
      random: Math.random,
      dispatcher: () => new DirectDispatcher({ server }),
      logger: silentLogger,
      metrics: noMetrics,
      userAgent: name,
    });
  const client = open('administrator');
  await installCRDs(client, providerCRDs, { clock: systemClock });
  for (const {
    spec: {
      group,
      names: { plural },
      versions,
    },
  } of providerCRDs) {
    const version = versions.find(({ storage }) => storage)?.name ?? '';
    await eventually(() => client.list({ group, version, resource: plural }));
  }
  const recorded: { regarding: ObjectReference; event: EventMessage }[] = [];
  const running = new Set<RunningControllers>();
  const heard: EmbeddedProvider['heard'] = async (resource, { metadata: { namespace, name, resourceVersion } }) => {
    for (const { informers } of running) {
      const cache = informers.acquire({ resource });
      const shared = informers.active.some(({ spec, shares }) => spec.resource === resource && shares > 1);
      if (!shared) throw new Error(`no controller has a cache of ${resource.resource}`);
      await eventually(() => {
        if (Number(cache.get({ namespace, name })?.metadata.resourceVersion ?? 0) < Number(resourceVersion))
          throw new Error(`the caches do not have ${resource.resource} ${name} as it is now`);
      });
      cache.release();
    }
  };
  return {
    server,
    client,
    events: recorded,
    async run(controllers, faults) {
      server.setFaults((request, info) =>
        request.headers['user-agent'] === asks ? faults?.(request, info) : undefined,
      );
      const own = open(asks);
      const informers = createSharedInformers({
        client: own,
        clock: systemClock,
        random: Math.random,
        logger: silentLogger,
        metrics: noMetrics,
      });
      const events: EventRecorder = {
        record: (regarding, event) => {
          recorded.push({ regarding, event });
        },
        flush: () => Promise.resolve(),
      };
      const ending = new AbortController();
      const ctx = {
        clusters: { provider: { name: 'provider', client: own, informers, events } },
        logger: silentLogger,
        metrics: noMetrics,
        clock: systemClock,
        random: Math.random,
        signal: ending.signal,
      };
      await Promise.all(controllers.map((controller) => controller.start(ctx)));
      const one = {
        informers,
        async stop() {
          running.delete(one);
          await Promise.all(controllers.map((controller) => controller.stop()));
          ending.abort();
          await informers.close();
          await own.close();
        },
      };
      running.add(one);
      return one;
    },
    heard,
    change: async (resource, key, patch) =>
      heard(resource, await client.patch(resource, key, { type: 'merge', patch })),
    create: (resource, object) => client.create(resource, object as UnstructuredObject),
    read: (resource, key) => getIfExists(client, resource, key),
    async close() {
      await Promise.all([...running].map((one) => one.stop()));
      await client.close();
      server.stop();
    },
  };
}
