import { expect } from '@jest/globals';
import type { UnstructuredObject } from '@hawser/client';
import { databases, sampleCrd } from '@hawser/installation';
import { type APIExport, resources as kcpResources } from '@hawser/kcp-api';
import { type PublishedResourceSpec, getCondition, labels, sha1Hex } from '@hawser/syncagent-api';
import { eventually } from '@hawser/testenv';
import { type AgentSystem, type ConsumerWorkspace, EXPORT, established } from './agent-system.js';
import { LONG, type ServiceObject, resourceOf } from './copies.js';

/** Databases on the service cluster, published into workspaces. */
export const local = resourceOf(databases);
export const remote = { group: 'kcp.example.com', version: 'v1', resource: 'databases' };
export const secrets = { group: '', version: 'v1', resource: 'secrets' };
export const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
/** For `rights` of an {@link AgentSystem}. */
export const databaseRights = [{ group: 'example.com', resources: ['databases'] }] as const;

export const key = (name: string): { readonly namespace: string; readonly name: string } => ({
  namespace: 'default',
  name,
});
export const order = (name: string, spec: object, metadata: object = {}): UnstructuredObject => ({
  apiVersion: 'kcp.example.com/v1',
  kind: 'Database',
  metadata: { name, namespace: 'default', ...metadata },
  spec,
});

/** Operations of suites on databases, in one system. */
export interface Databases {
  /** The CRD, on the service cluster. */
  readonly install: () => Promise<void>;
  /** Publishes them and waits until the export has their schema. */
  readonly publish: (
    spec?: Partial<PublishedResourceSpec>,
    metadata?: {
      readonly name?: string;
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
    },
  ) => Promise<void>;
  /** Waits until they are served; a bound API is not yet served. */
  readonly served: (...workspaces: readonly ConsumerWorkspace[]) => Promise<void>;
  readonly create: (workspace: ConsumerWorkspace, name: string, spec?: object, metadata?: object) => Promise<void>;
  readonly copyOf: (workspace: ConsumerWorkspace, name: string) => Promise<ServiceObject | undefined>;
  /** Waits for the copy. */
  readonly placed: (workspace: ConsumerWorkspace, name: string) => Promise<ServiceObject>;
  readonly read: (workspace: ConsumerWorkspace, name: string) => Promise<ServiceObject>;
  readonly gone: (workspace: ConsumerWorkspace, name: string) => Promise<void>;
  /** Waits until a condition of a PublishedResource has this state. */
  readonly conditionIs: (publishedResource: string, condition: string, reason: string) => Promise<string>;
}

export function databasesOf(system: () => AgentSystem): Databases {
  const copyOf = async ({ cluster }: ConsumerWorkspace, name: string): Promise<ServiceObject | undefined> => {
    const { items } = await system().service.client.list<ServiceObject>(local, {
      labelSelector: `${labels.remoteCluster}=${cluster},${labels.remoteNameHash}=${sha1Hex(name)}`,
    });
    expect(items.length).toBeLessThan(2);
    return items[0];
  };
  return {
    async install() {
      await system().service.apply(sampleCrd(databases));
      await established(system().service, 'databases.example.com');
    },
    async publish(spec = {}, { name = 'databases', ...metadata } = {}) {
      await system().publish({
        metadata: { name, ...metadata },
        spec: {
          resource: { apiGroup: 'example.com', kind: 'Database' },
          projection: { group: 'kcp.example.com' },
          naming: { namespace: 'ws-{{ .ClusterName }}', name: '{{ .Object.metadata.name }}' },
          ...spec,
        },
      });
      await eventually(async () => {
        const { status } = await system().published(name);
        expect(status?.resourceSchemaName).toBeDefined();
        const { spec: exported } = await system().provider.get<APIExport>(kcpResources.apiExports, { name: EXPORT });
        expect(exported?.resources?.map(({ schema }) => schema)).toContain(status?.resourceSchemaName);
      }, LONG);
    },
    async served(...workspaces) {
      for (const { client } of workspaces) await eventually(() => client.list(remote, { limit: 1 }), LONG);
    },
    async create({ client }, name, spec = { size: 'small' }, metadata = {}) {
      await client.create(remote, order(name, spec, metadata));
    },
    copyOf,
    placed: (workspace, name) =>
      eventually(async () => {
        const copy = await copyOf(workspace, name);
        if (copy === undefined) throw new Error(`${workspace.path} ${name} has no copy`);
        return copy;
      }, LONG),
    read: ({ client }, name) => client.get<ServiceObject>(remote, key(name)),
    gone: ({ client }, name) =>
      eventually(async () => {
        await expect(client.get(remote, key(name))).rejects.toMatchObject({ code: 'NotFound' });
      }, LONG),
    conditionIs: (publishedResource, type, reason) =>
      eventually(async () => {
        const { status } = await system().published(publishedResource);
        const condition = getCondition(status?.conditions, type);
        expect(condition?.reason).toBe(reason);
        return condition?.message ?? '';
      }, LONG),
  };
}
