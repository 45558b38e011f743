import { type Client, type KubeObject, type Resource, isNotFound, listPages, resourceName } from '@hawser/client';
import { fixedNames } from '@hawser/kube-bind';

/** Whether a namespace holds anything that its deletion would take with it. */
export type Vacancy =
  | { readonly kind: 'vacant' }
  /** `databases.example.com orders`: the first that was found. */
  | { readonly kind: 'occupied'; readonly by: string };

interface APIResource {
  readonly name: string;
  readonly namespaced?: boolean;
  readonly verbs?: readonly string[];
}

/**
 * Looks, live, at every resource of the API server that can stand in a namespace: not only at exported ones, because an export may be gone while
 * its objects are not, and because deleting a namespace also takes volumes and whatever else the provider's operators put there.
 * Never asks for more than metadata.
 * @throws {ApiError} if anything could not be listed: then nothing is proven.
 */
export async function proveVacancy(client: Client, namespace: string, signal: AbortSignal): Promise<Vacancy> {
  for (const resource of await namespacedResources(client, signal)) {
    const by = await firstObject(client, resource, namespace, signal);
    if (by !== undefined) return { kind: 'occupied', by };
  }
  return { kind: 'vacant' };
}

/** Each resource once, in whichever version it is served. One that has no `delete` survives no namespace anyway: its objects are not stored. */
async function namespacedResources(client: Client, signal: AbortSignal): Promise<readonly Resource[]> {
  const found = new Map<string, Resource>();
  for (const { group, version, path } of await groupVersions(client, signal)) {
    const list = await discover<{ readonly resources?: readonly APIResource[] }>(client, path, signal);
    for (const { name, namespaced, verbs } of list?.resources ?? []) {
      if (namespaced !== true || name.includes('/') || verbs?.includes('list') !== true || !verbs.includes('delete')) continue;
      const key = `${name}.${group}`;
      if (!found.has(key)) found.set(key, { group, version, resource: name });
    }
  }
  return [...found.values()];
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly path: string;
}

async function groupVersions(client: Client, signal: AbortSignal): Promise<readonly GroupVersion[]> {
  const { groups = [] } = await client.raw('GET', '/apis', undefined, { signal }) as {
    readonly groups?: readonly { readonly name: string; readonly versions: readonly { readonly version: string }[] }[];
  };
  const named = groups.flatMap(({ name, versions }) => versions.map(({ version }) => ({ group: name, version, path: `/apis/${name}/${version}` })));
  return [{ group: '', version: 'v1', path: '/api/v1' }, ...named];
}

/** Undefined for a version that went away since it was listed. */
async function discover<T>(client: Client, path: string, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await client.raw('GET', path, undefined, { signal }) as T;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function firstObject(client: Client, resource: Resource, namespace: string, signal: AbortSignal): Promise<string | undefined> {
  for await (const page of listPages<KubeObject>(client, resource, { namespace, representation: 'metadata', limit: 50, signal })) {
    const first = page.find((object) => !isFurniture(resource, object));
    if (first !== undefined) return `${resourceName(resource)} ${first.metadata.name}`;
  }
  return undefined;
}

/** What Kubernetes and the provider put into every service namespace themselves. */
function isFurniture({ group, resource }: Resource, { metadata: { name } }: KubeObject): boolean {
  switch (`${resource}.${group}`) {
    case 'events.':
    case 'events.events.k8s.io':
      return true;
    case 'configmaps.':
      return name === 'kube-root-ca.crt';
    case 'serviceaccounts.':
      return name === 'default';
    case 'roles.rbac.authorization.k8s.io':
    case 'rolebindings.rbac.authorization.k8s.io':
      return name === fixedNames.binder || name.startsWith(`${fixedNames.binder}-`) || name.startsWith(`${fixedNames.binder}:`);
    default:
      return false;
  }
}
