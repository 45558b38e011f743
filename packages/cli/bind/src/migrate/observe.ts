import {
  type Client,
  type KubeObject,
  type Resource,
  getIfExists,
  isForbidden,
  listAll,
  objectKey,
} from '@hawser/client';
import { type Binding, connectionOf } from '@hawser/core-kbind';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type CustomResourceDefinition,
  isOwnedByBinding,
  resources,
  servedResource,
} from '@hawser/kube-bind';

import { type CoreKbindObserved, observeCoreKbind } from '../core-kbind/observe.js';
import { type ClaimsObserved, observeClaims } from './observe-claims.js';
import type { Generation, Pair } from './pair-swap.js';

/** One binding that is to change its generation. */
export interface MigrationWish {
  /** Name of the APIServiceBinding and of the ClusterBinding. */
  readonly name: string;
  readonly to: Generation;
  /** Kubeconfig of the provider, for the Connection. Holds a credential. */
  readonly kubeconfig: string;
  /** Default: as for a new binding of `core.kbind.io`. */
  readonly connection?: string | undefined;
}

export interface MigrationSides {
  readonly consumer: Client;
  /** Client with the kubeconfig of the APIServiceBinding. */
  readonly provider: Client;
  readonly clusterNamespace: string;
  /** Client with the kubeconfig of the wish. */
  readonly connected: Client;
  readonly signal: AbortSignal;
}

/** An API of the binding. */
export interface MigratedAPI {
  /** Name of the CRD. */
  readonly name: string;
  readonly resource: Resource;
  readonly crd: CustomResourceDefinition;
  /** The binding that owns the CRD; undefined: another one, or none. */
  readonly owner: Generation | undefined;
  readonly pairs: readonly Pair[];
}

/** Both sides, read live, as far as they matter to one migration. */
export interface MigrationObserved {
  readonly binding: APIServiceBinding | undefined;
  readonly clusterBinding: Binding | undefined;
  readonly export: APIServiceExport | undefined;
  readonly clusterNamespace: string;
  readonly clusterNamespaceUid: string | undefined;
  /** Namespace of the consumer → namespace of its copies; undefined: none is assigned. */
  readonly namespaces: ReadonlyMap<string, string | undefined>;
  readonly apis: readonly MigratedAPI[];
  /** APIs of the binding without a CRD on the consumer. */
  readonly missing: readonly string[];
  /** The kubeconfig of the wish leads to the provider with the copies. */
  readonly isSameProvider: boolean;
  readonly core: CoreKbindObserved;
  readonly claims: ClaimsObserved;
}

/** Reads both sides. Writes nothing. @throws ApiError if a read fails */
export async function observeMigration(sides: MigrationSides, wish: MigrationWish): Promise<MigrationObserved> {
  const { consumer, provider, clusterNamespace, connected, signal } = sides;
  const { name } = wish;
  const binding = await getIfExists<APIServiceBinding>(consumer, resources.apiServiceBindings, { name }, { signal });
  const names = (binding?.status?.boundSchemas ?? []).map(({ group = '', resource }) => `${resource}.${group}`);
  const coreWish = { ...wish, namespace: undefined, apis: names };
  const core = await observeCoreKbind({ consumer, provider: connected, signal }, coreWish);
  const apis: MigratedAPI[] = [];
  for (const api of names) {
    const crd = core.installed.get(api);
    const resource = crd === undefined ? undefined : servedResource(crd.spec);
    if (crd === undefined || resource === undefined) continue;
    const owner = ownerOf(crd, binding, core.binding);
    apis.push({ name: api, resource, crd, owner, pairs: await readPairs(sides, resource) });
  }
  const home = await getIfExists<KubeObject>(
    provider,
    resources.namespaces,
    { name: clusterNamespace },
    { signal },
  ).catch((error: unknown) => {
    if (isForbidden(error)) return undefined;
    throw error;
  });
  const clusterNamespaceUid = home?.metadata.uid;
  const assigned = await listAll<KubeObject & { readonly status?: { readonly namespace?: string } }>(
    provider,
    resources.apiServiceNamespaces,
    { namespace: clusterNamespace, signal },
  );
  const namespaces = new Map(assigned.map(({ metadata, status }) => [metadata.name, status?.namespace]));
  const { connections, binding: clusterBinding } = core;
  return {
    binding,
    clusterBinding,
    claims: await observeClaims(sides, {
      binding,
      clusterBinding,
      connections,
      clusterNamespaceUid,
      namespaces: [...namespaces.values()].filter((one) => one !== undefined),
    }),
    export: await getIfExists<APIServiceExport>(
      provider,
      resources.apiServiceExports,
      { namespace: clusterNamespace, name },
      { signal },
    ),
    clusterNamespace,
    clusterNamespaceUid,
    namespaces,
    apis,
    missing: names.filter((api) => !apis.some((one) => one.name === api)),
    isSameProvider: await leadsThere(connected, apis, signal),
    core,
  };
}

/** Objects of the consumer, each with the provider's object of the same name. */
export async function readPairs(
  { consumer, provider, signal }: Pick<MigrationSides, 'consumer' | 'provider' | 'signal'>,
  resource: Resource,
): Promise<readonly Pair[]> {
  const objects = await listAll<KubeObject>(consumer, resource, { representation: 'metadata', signal });
  const copies = new Map<string, KubeObject>();
  for (const namespace of new Set(objects.map(({ metadata }) => metadata.namespace)))
    for (const copy of await listAll<KubeObject>(provider, resource, { namespace, representation: 'metadata', signal }))
      copies.set(objectKey(copy), copy);
  return objects.map((object) => ({ object, copy: copies.get(objectKey(object)) }));
}

function ownerOf(
  crd: CustomResourceDefinition,
  binding: APIServiceBinding | undefined,
  clusterBinding: Binding | undefined,
): Generation | undefined {
  if (binding !== undefined && isOwnedByBinding(crd, binding)) return 'v1';
  const connection = connectionOf(crd);
  if (connection === undefined) return undefined;
  return clusterBinding === undefined || clusterBinding.spec.connectionRef.name === connection ? 'v2' : undefined;
}

/**
 * Two kubeconfigs lead to one cluster if both show the same copy: no uid is given twice. Without copies, nothing can be
 * lost.
 */
async function leadsThere(connected: Client, apis: readonly MigratedAPI[], signal: AbortSignal): Promise<boolean> {
  for (const { resource, pairs } of apis) {
    const copy = pairs.find((pair) => pair.copy !== undefined)?.copy;
    if (copy === undefined) continue;
    const { name, namespace, uid } = copy.metadata;
    const key = { name, namespace };
    const found = await getIfExists<KubeObject>(connected, resource, key, { representation: 'metadata', signal });
    return found?.metadata.uid === uid;
  }
  return true;
}
