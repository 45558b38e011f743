import { type Client, type KubeObject, type Resource, isNotFound, listPages, resourceName } from '@hawser/client';

interface Discovered {
  readonly resources?: readonly { readonly name: string; readonly namespaced?: boolean; readonly verbs?: readonly string[] }[];
}

interface Groups {
  readonly groups?: readonly { readonly name: string; readonly versions: readonly { readonly version: string }[] }[];
}

/**
 * The first object that the deletion of a namespace would take with it; undefined: there is none. Looks, live, at every resource of the API server that can stand
 * in a namespace, never at more than metadata. Rejects with the client's ApiError if anything could not be listed: then nothing is proven.
 */
export async function firstObjectIn(client: Client, namespace: string, signal: AbortSignal): Promise<string | undefined> {
  const looked = new Set<string>();
  for await (const resource of namespacedResources(client, signal)) {
    const name = resourceName(resource);
    if (looked.has(name)) continue;
    looked.add(name);
    for await (const page of listPages<KubeObject>(client, resource, { namespace, representation: 'metadata', limit: 50, signal })) {
      const first = page.find((object) => !isFurniture(name, object));
      if (first !== undefined) return `${name} ${first.metadata.name}`;
    }
  }
  return undefined;
}

async function* namespacedResources(client: Client, signal: AbortSignal): AsyncGenerator<Resource, void, undefined> {
  const { groups = [] } = (await client.raw('GET', '/apis', undefined, { signal })) as Groups;
  const versions = [{ group: '', version: 'v1', path: '/api/v1' }, ...groups.flatMap(({ name, versions: all }) => all.map(({ version }) => ({ group: name, version, path: `/apis/${name}/${version}` })))];
  for (const { group, version, path } of versions) {
    const { resources = [] } = await discover(client, path, signal);
    for (const { name, namespaced, verbs } of resources) {
      if (namespaced === true && !name.includes('/') && verbs?.includes('list') === true && verbs.includes('delete')) yield { group, version, resource: name };
    }
  }
}

/** A version that went away since it was listed has nothing. */
async function discover(client: Client, path: string, signal: AbortSignal): Promise<Discovered> {
  try {
    return (await client.raw('GET', path, undefined, { signal })) as Discovered;
  } catch (error) {
    if (isNotFound(error)) return {};
    throw error;
  }
}

/** What Kubernetes puts into every namespace by itself. */
function isFurniture(resource: string, { metadata: { name } }: KubeObject): boolean {
  switch (resource) {
    case 'events':
    case 'events.events.k8s.io':
      return true;
    case 'configmaps':
      return name === 'kube-root-ca.crt';
    case 'serviceaccounts':
      return name === 'default';
    default:
      return false;
  }
}
