import {
  type Client,
  firstObjectIn,
  getIfExists,
  isApiError,
  type KubeObject,
  listAll,
  listPages,
  type ObjectKey,
  resourceName,
} from '@hawser/client';
import {
  annotations,
  type APIServiceBinding,
  type APIServiceExport,
  type AppClusterBinding,
  fixedNames,
  resources,
  serviceNamespaceName,
} from '@hawser/klutch';
import { clusterWideOf, rootOf } from './decide.js';
import { type ChildKind, children } from './decision.js';
import { deletionPolicyOf } from './deletion-policy.js';
import { isChildOf, ownNames } from './marks.js';
import type { ObservedDeletion, ServiceNamespace } from './observed.js';

/**
 * Reads live what exists of an AppClusterBinding, and, if its policy needs it, of its instances. @throws {ApiError} if
 * a question got no answer.
 */
export async function observeDeletion(
  client: Client,
  binding: AppClusterBinding,
  signal: AbortSignal,
): Promise<ObservedDeletion> {
  const name = rootOf(binding);
  const metadataOf = (child: ChildKind, key: ObjectKey): Promise<KubeObject | undefined> =>
    getIfExists<KubeObject>(client, children[child].resource, key, { representation: 'metadata', signal });
  const own = async (child: ChildKind, key: ObjectKey): Promise<KubeObject | undefined> => {
    const found = await metadataOf(child, key);
    return found !== undefined && isChildOf(found, binding) ? found : undefined;
  };
  const root = await own('rootNamespace', { name });
  const clusterWide = { name: clusterWideOf(binding) };
  const cluster = {
    clusterRoleBinding: await own('clusterRoleBinding', clusterWide),
    clusterRole: await own('clusterRole', clusterWide),
  };
  if (root === undefined) return { binding, root, ...cluster, ...nothing };
  const inRoot = (child: ChildKind, of: string): Promise<KubeObject | undefined> =>
    metadataOf(child, { namespace: name, name: of });
  const bindings = await listAll<APIServiceBinding>(client, resources.apiServiceBindings, { namespace: name, signal });
  const found = await serviceNamespaces(client, name, signal);
  const looked =
    deletionPolicyOf(binding).policy === 'Block'
      ? await lookForInstances(client, name, found, signal)
      : { serviceNamespaces: found, clusterScoped: [], unknown: undefined };
  return {
    binding,
    root,
    ...cluster,
    bindings: bindings.filter((one) => isChildOf(one, binding)),
    records: await listAll<KubeObject>(client, resources.apiServiceNamespaces, { namespace: name, signal }),
    deployment: await own('deployment', { namespace: name, name: ownNames.deployment }),
    roleBinding: await inRoot('roleBinding', fixedNames.controlPlaneRole),
    mirror: await inRoot('mirror', fixedNames.kubeconfigSecret),
    account: await inRoot('account', fixedNames.binder),
    note: await inRoot('note', ownNames.note),
    ...looked,
  };
}

const nothing = {
  bindings: [],
  deployment: undefined,
  roleBinding: undefined,
  mirror: undefined,
  account: undefined,
  note: undefined,
  serviceNamespaces: [],
  records: [],
  clusterScoped: [],
  unknown: undefined,
} as const;

/**
 * Finds the app cluster's namespaces by their own marks. The status of an APIServiceNamespace may name any namespace,
 * and an APIServiceNamespace may be gone while its namespace, with instances, is not.
 */
async function serviceNamespaces(
  client: Client,
  root: string,
  signal: AbortSignal,
): Promise<readonly ServiceNamespace[]> {
  const found: ServiceNamespace[] = [];
  for await (const page of listPages<KubeObject>(client, children.serviceNamespace.resource, {
    representation: 'metadata',
    signal,
  })) {
    for (const namespace of page) {
      const [owner, consumerNamespace = ''] = (
        namespace.metadata.annotations?.[annotations.apiServiceNamespace] ?? ''
      ).split('/', 2);
      if (owner === root && namespace.metadata.name === serviceNamespaceName(root, consumerNamespace))
        found.push({ namespace, holds: undefined });
    }
  }
  return found;
}

type Looked = Pick<ObservedDeletion, 'serviceNamespaces' | 'clusterScoped' | 'unknown'>;

async function lookForInstances(
  client: Client,
  root: string,
  found: readonly ServiceNamespace[],
  signal: AbortSignal,
): Promise<Looked> {
  const looked: ServiceNamespace[] = [];
  try {
    for (const one of found) {
      looked.push({ ...one, holds: await firstObjectIn(client, one.namespace.metadata.name, isFurniture, signal) });
    }
    return {
      serviceNamespaces: looked,
      clusterScoped: await clusterScopedInstances(client, root, signal),
      unknown: undefined,
    };
  } catch (error) {
    if (!isApiError(error)) throw error;
    return { serviceNamespaces: [...looked, ...found.slice(looked.length)], clusterScoped: [], unknown: error.message };
  }
}

/** These go with the root namespace, which owns them (spec/klutch.md §6.8). */
async function clusterScopedInstances(client: Client, root: string, signal: AbortSignal): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { spec } of await listAll<APIServiceExport>(client, resources.apiServiceExports, {
    namespace: root,
    signal,
  })) {
    const version = spec.versions.find(({ served }) => served)?.name;
    if (spec.scope !== 'Cluster' || version === undefined) continue;
    const resource = { group: spec.group, version, resource: spec.names.plural };
    for await (const page of listPages<KubeObject>(client, resource, { representation: 'metadata', signal })) {
      names.push(
        ...page
          .filter(({ metadata }) => metadata.annotations?.[annotations.clusterNamespace] === root)
          .map(({ metadata }) => `${resourceName(resource)} ${metadata.name}`),
      );
    }
  }
  return names;
}

/** Whether the provider itself puts the object into service namespaces. */
function isFurniture(resource: string, { metadata: { name } }: KubeObject): boolean {
  switch (resource) {
    case 'rolebindings.rbac.authorization.k8s.io':
    case 'roles.rbac.authorization.k8s.io':
      return (
        name === fixedNames.binder ||
        name.startsWith(`${fixedNames.binder}-`) ||
        name.startsWith(`${fixedNames.binder}:`)
      );
    case 'resourcequotas':
    case 'limitranges':
      return name === 'hawser';
    default:
      return false;
  }
}
