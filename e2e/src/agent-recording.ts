import { type Client, type KubeObject, type UnstructuredObject, createClient } from '@hawser/client';
import { loadObjects } from '@hawser/agent-world';
import type { CustomResourceDefinition } from '@hawser/kube-bind';
import { clusterNameOf } from '@hawser/kcp-api';
import type { JsonObject } from '@hawser/json';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { publishedResourceCRD } from '@hawser/syncagent-api';
import { type StoredObject, etcdEntries, eventually, readRecording } from '@hawser/testenv';
import type { AgentGround } from './agent-system.js';
import { type KcpPlane, openKcp } from './kcp-plane.js';
import { type Plane, openPlane } from './plane.js';
import { storedDefinition } from './recording.js';

/**
 * The agent that api-syncagent 0.7.0 ran as for the recording, and its addresses. The recording holds two workspaces,
 * the provider's workspace and the service cluster.
 */
export const recordedAgent = { namespace: 'kube-system', name: 'lab', export: 'kcp.example.com' };
export const recordedWorkspaces = ['a', 'b'] as const;

const FOLDER = 'api-syncagent-0.7.0';

/**
 * The recorded clusters: kcp in this process with the logical clusters of the recording, and a real service cluster.
 */
export async function recordedGround(): Promise<AgentGround> {
  const kcp = await openKcp();
  try {
    await loadKcp(kcp);
    return { kcp, service: await recordedService() };
  } catch (error) {
    await kcp.stop();
    throw error;
  }
}

async function loadKcp(kcp: KcpPlane): Promise<void> {
  const provider = readRecording(`${FOLDER}/kcp-provider.json`);
  const { embedded } = kcp;
  if (embedded === undefined) throw new Error('logical clusters of a real kcp cannot be given names');
  const inWorkspace = async (
    path: string,
    recorded: readonly StoredObject[],
  ): Promise<(objects: readonly StoredObject[]) => void> => {
    const { objects } = await embedded.createWorkspace(path, { cluster: clusterOf(recorded) });
    return (some) => {
      loadObjects(objects, some);
    };
  };
  const providerPath = `${kcp.root}:provider`;
  (await inWorkspace(providerPath, provider))(schemasOf(provider));
  // Written in the Go agent's version, which keeps claims in an annotation.
  await withClient(kcp.connection(providerPath), async (client) => {
    for (const one of provider.filter(({ resource }) => resource.resource === 'apiexports'))
      await client.create(one.resource, withoutIdentity(one));
  });
  for (const name of recordedWorkspaces) {
    const path = `${kcp.root}:${name}`;
    const recorded = readRecording(`${FOLDER}/kcp-${name}.json`);
    const load = await inWorkspace(path, recorded);
    load(
      recorded
        .filter(({ resource, object }) => resource.resource === 'apibindings' && nameOf(object) === 'db')
        .map(fresh),
    );
    await eventually(
      () => {
        const objects = embedded.kcp.find(path)?.objects;
        expectServed(
          ['manageddatabases', 'zones'].every(
            (resource) => objects?.serves({ group: recordedAgent.export, resource }) === true,
          ),
        );
      },
      { timeoutMs: 60_000 },
    );
    load(
      recorded.filter(({ resource }) =>
        ['manageddatabases', 'zones', 'secrets', 'configmaps'].includes(resource.resource),
      ),
    );
  }
}

function recordedService(): Promise<Plane> {
  const schemas = schemasOf(readRecording(`${FOLDER}/kcp-provider.json`));
  const definitions = [publishedResourceCRD, ...schemas.map(localDefinition)].map(storedDefinition);
  return openPlane('provider', {
    controllerManager: false,
    load: etcdEntries([
      ...readRecording(`${FOLDER}/service.json`).filter(({ resource }) => resource.resource !== 'leases'),
      ...definitions,
    ]),
  });
}

function schemasOf(provider: readonly StoredObject[]): readonly StoredObject[] {
  return provider.filter(({ resource }) => resource.resource === 'apiresourceschemas');
}

async function withClient(connection: ConnectionConfig, use: (client: Client) => Promise<void>): Promise<void> {
  const client = createClient({ name: 'kcp', connection, userAgent: 'e2e' });
  try {
    await use(client);
  } finally {
    await client.close();
  }
}

function expectServed(served: boolean): void {
  if (!served) throw new Error('the binding is not served yet');
}

function nameOf(object: JsonObject): string {
  return (object['metadata'] as { readonly name: string }).name;
}

function clusterOf(recorded: readonly StoredObject[]): string {
  const [name] = recorded.flatMap(({ object }) => clusterNameOf(object as unknown as KubeObject) ?? []);
  if (name === undefined) throw new Error('nothing recorded says its logical cluster');
  return name;
}

/** As a client creates it: without the fields that kcp adds. */
function fresh({ resource, object }: StoredObject): StoredObject {
  return {
    resource,
    object: {
      apiVersion: object['apiVersion'],
      kind: object['kind'],
      metadata: { name: nameOf(object) },
      spec: object['spec'],
    },
  };
}

/** The Secret of the identity was not recorded; kcp creates another. */
function withoutIdentity({ object }: StoredObject): UnstructuredObject {
  const { metadata, spec } = object as {
    readonly metadata: { readonly name: string; readonly annotations: JsonObject };
    readonly spec: JsonObject;
  };
  return {
    apiVersion: object['apiVersion'],
    kind: object['kind'],
    metadata: { name: metadata.name, annotations: metadata.annotations },
    spec: { ...spec, identity: undefined },
  } as unknown as UnstructuredObject;
}

/** Rebuilds the CRD behind a schema, which was not recorded. */
function localDefinition({ object }: StoredObject): CustomResourceDefinition {
  const {
    names: { kind: published },
    scope,
    versions,
  } = object['spec'] as unknown as {
    readonly names: { readonly kind: string };
    readonly scope: 'Namespaced' | 'Cluster';
    readonly versions: readonly { readonly name: string; readonly schema: object; readonly subresources: object }[];
  };
  const kind = published.replace('Managed', '');
  const singular = kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.example.com` },
    spec: {
      group: 'example.com',
      scope,
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular },
      versions: versions.map(({ name, schema, subresources }) => ({
        name,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources,
      })),
    },
  } as CustomResourceDefinition;
}
