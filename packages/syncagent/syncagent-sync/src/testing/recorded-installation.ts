import { randomBytes } from 'node:crypto';

import { loadObjects, versionsOf } from '@hawser/agent-world';
import { type ApiServer, DirectDispatcher, createApiServer } from '@hawser/apiserver';
import { type Client, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type SharedInformers, createSharedInformers } from '@hawser/informer';
import type { JsonObject } from '@hawser/json';
import { clusterNameOf } from '@hawser/kcp-api';
import type { PublishedResource } from '@hawser/syncagent-api';
import { agentFunctions } from '../naming/index.js';
import { type EventMessage, type ObjectReference, noMetrics, silentLogger } from '@hawser/telemetry';
import { type StoredObject, eventually, openDefinitions, readRecording } from '@hawser/testenv';

import { compileRules } from '../compile-rules.js';
import type { Engagement } from '../engagement.js';
import type { PublishedKinds } from '../published.js';
import type { Sync } from '../sync-options.js';
import { createSync } from '../sync.js';

/**
 * Objects that the Go agent left on the service cluster and in two workspaces, each on an API server in this process.
 */
export interface RecordedInstallation {
  readonly service: ApiServer;
  /** Servers by logical cluster. */
  readonly workspaces: ReadonlyMap<string, ApiServer>;
  /** Starts the sync of a recorded PublishedResource, as the agent that wrote the objects. */
  startSync(publishedResource: string): Promise<Sync>;
  /** Events on the service cluster. */
  readonly events: readonly { readonly regarding: ObjectReference; readonly event: EventMessage }[];
  /** Every object with its version, by server and path. */
  versions(): Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const FOLDER = 'api-syncagent-0.7.0';

export async function openRecordedInstallation(): Promise<RecordedInstallation> {
  const [service, ...kcps] = await Promise.all(
    ['service', 'kcp-a', 'kcp-b'].map((file) => serverOf(readRecording(`${FOLDER}/${file}.json`))),
  );
  if (service === undefined) throw new Error('no recording');
  const workspaces = new Map(kcps.map((server) => [clusterOf(server), server]));
  const clients: Client[] = [];
  const informers: SharedInformers[] = [];
  const syncs: Sync[] = [];
  const events: { readonly regarding: ObjectReference; readonly event: EventMessage }[] = [];
  const ending = new AbortController();
  const open = (name: string, server: ApiServer): Client => {
    const client = createClient({
      name,
      connection: { server: 'https://api.invalid', credentials: { kind: 'token', token: server.adminToken } },
      clock: systemClock,
      random: Math.random,
      dispatcher: () => new DirectDispatcher({ server }),
      logger: silentLogger,
      metrics: noMetrics,
    });
    clients.push(client);
    return client;
  };
  const informersOf = (
    client: Client,
    more: Pick<Parameters<typeof createSharedInformers>[0], 'clusterOf'> = {},
  ): SharedInformers => {
    const shared = createSharedInformers({
      client,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
      ...more,
    });
    informers.push(shared);
    return shared;
  };
  const engagements = [...workspaces].map(([cluster, server]): Engagement => {
    const client = open(cluster, server);
    return {
      url: `https://kcp.invalid/${cluster}`,
      informers: informersOf(client, { clusterOf: clusterNameOf }),
      clientFor: () => client,
      workspaces: {
        hasOverlaps: false,
        has: (name) => name === cluster,
        names: [cluster],
        pathOf: () => undefined,
        onChange: () => ({ close: () => undefined }),
      },
    };
  });
  const serviceClient = open('service', service);
  const serviceInformers = informersOf(serviceClient);
  return {
    service,
    workspaces,
    events,
    async startSync(name) {
      const resource = service.objects
        .list({ group: 'syncagent.kcp.io', resource: 'publishedresources' })
        .find(({ metadata }) => (metadata as JsonObject)['name'] === name) as unknown as PublishedResource;
      const kinds = kindsOf(resource);
      const compilation = compileRules(resource.spec, {
        kinds,
        functions: agentFunctions({ clock: systemClock, random: randomBytes }),
      });
      if (compilation.kind === 'refused') throw new Error(JSON.stringify(compilation.findings));
      const sync = createSync({
        publishedResource: { apiVersion: resource.apiVersion, kind: resource.kind, name, uid: resource.metadata.uid },
        kinds,
        rules: compilation.value,
        agentName: 'lab',
        namespace: 'kube-system',
        adoption: 'adopt',
        engagements,
        events: 'warnings',
      });
      syncs.push(sync);
      await sync.start({
        clusters: {
          service: {
            name: 'service',
            client: serviceClient,
            informers: serviceInformers,
            events: {
              record: (regarding, event) => {
                events.push({ regarding, event });
              },
              flush: () => Promise.resolve(),
            },
          },
        },
        clock: systemClock,
        random: Math.random,
        logger: silentLogger,
        metrics: noMetrics,
        signal: ending.signal,
      });
      return sync;
    },
    versions() {
      const servers: readonly (readonly [string, ApiServer])[] = [['service', service], ...workspaces];
      return Object.fromEntries(
        servers.flatMap(([at, { objects }]) =>
          Object.entries(versionsOf(objects, ['customresourcedefinitions'])).map(([object, version]) => [
            `${at} ${object}`,
            version,
          ]),
        ),
      );
    },
    async close() {
      await Promise.all(syncs.map((sync) => sync.stop()));
      ending.abort();
      await Promise.all(informers.map((shared) => shared.close()));
      await Promise.all(clients.map((client) => client.close()));
      for (const server of [service, ...workspaces.values()]) server.stop();
    },
  };
}

function clusterOf(server: ApiServer): string {
  const [object] = server.objects.list({ group: 'kcp.example.com', resource: 'zones' });
  return clusterNameOf(object as never) ?? '';
}

function kindsOf({
  spec: {
    resource: { kind, apiGroup },
    projection,
  },
}: PublishedResource): PublishedKinds {
  const plural = `${kind.toLowerCase()}s`;
  const scope = kind === 'Zone' ? 'Cluster' : 'Namespaced';
  const side = (group: string, named: string, resource: string): PublishedKinds['kcp'] => ({
    resource: { group, version: 'v1', resource },
    kind: named,
    scope,
    subresources: ['status'],
  });
  return {
    service: side(apiGroup, kind, plural),
    kcp: side(projection?.group ?? apiGroup, projection?.kind ?? kind, projection?.plural ?? plural),
  };
}

/** Loads objects in an order that a server accepts: definitions and namespaces first. */
async function serverOf(objects: readonly StoredObject[]): Promise<ApiServer> {
  const server = createApiServer({ controllerManager: false });
  const zones = objects.some(({ resource }) => resource.resource === 'zones') ? [] : [zoneDefinition];
  const definitions = [...openDefinitions(objects), ...zones];
  loadObjects(server.objects, definitions);
  await eventually(() => {
    if (!definitions.every(({ object }) => isServed(server, object))) throw new Error('not served yet');
  });
  loadObjects(server.objects, objects);
  return server;
}

const zoneDefinition: StoredObject = {
  resource: { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
  object: {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'zones.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Zone', listKind: 'ZoneList', plural: 'zones', singular: 'zone' },
      scope: 'Cluster',
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
  },
};

function isServed(server: ApiServer, definition: JsonObject): boolean {
  const { group, names } = definition['spec'] as {
    readonly group: string;
    readonly names: { readonly plural: string };
  };
  return server.objects.serves({ group, resource: names.plural });
}
