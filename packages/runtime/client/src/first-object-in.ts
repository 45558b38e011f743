import { isNotFound } from './api-error.js';
import type { Client } from './client.js';
import { listPages } from './list-pages.js';
import { resourceName } from './object-key.js';
import type { KubeObject, Resource } from './object.js';

interface Discovered {
  readonly resources?: readonly {
    readonly name: string;
    readonly namespaced?: boolean;
    readonly verbs?: readonly string[];
  }[];
}

interface Groups {
  readonly groups?: readonly { readonly name: string; readonly versions: readonly { readonly version: string }[] }[];
}

/**
 * Finds the first object that deleting a namespace would delete (`databases.example.com orders`); undefined: none.
 * Lists, live and metadata only, every namespaced resource of the API server in one of its versions. Ignores what
 * Kubernetes puts into every namespace, and every object for which `isFurniture` returns true. Its arguments are the
 * name of the resource (`rolebindings.rbac.authorization.k8s.io`, `secrets`) and the object.
 * @throws {ApiError} if a resource could not be listed: then nothing is proven.
 */
export async function firstObjectIn(
  client: Pick<Client, 'name' | 'raw' | 'list'>,
  namespace: string,
  isFurniture: (resource: string, object: KubeObject) => boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const looked = new Set<string>();
  for await (const resource of namespacedResources(client, signal)) {
    const name = resourceName(resource);
    if (looked.has(name)) continue;
    looked.add(name);
    for await (const page of listPages<KubeObject>(client, resource, {
      namespace,
      representation: 'metadata',
      limit: 50,
      signal,
    })) {
      const first = page.find((object) => !isOfKubernetes(name, object) && !isFurniture(name, object));
      if (first !== undefined) return `${name} ${first.metadata.name}`;
    }
  }
  return undefined;
}

/** Skips resources without the verb `delete`: their objects are not stored. */
async function* namespacedResources(
  client: Pick<Client, 'raw'>,
  signal: AbortSignal,
): AsyncGenerator<Resource, void, undefined> {
  const { groups = [] } = (await client.raw('GET', '/apis', undefined, { signal })) as Groups;
  const versions = [
    { group: '', version: 'v1', path: '/api/v1' },
    ...groups.flatMap(({ name, versions: all }) =>
      all.map(({ version }) => ({ group: name, version, path: `/apis/${name}/${version}` })),
    ),
  ];
  for (const { group, version, path } of versions) {
    const { resources = [] } = await discover(client, path, signal);
    for (const { name, namespaced, verbs } of resources) {
      if (namespaced === true && !name.includes('/') && verbs?.includes('list') === true && verbs.includes('delete'))
        yield { group, version, resource: name };
    }
  }
}

/** Discovers a version. One that vanished since the listing has no resources. */
async function discover(client: Pick<Client, 'raw'>, path: string, signal: AbortSignal): Promise<Discovered> {
  try {
    return (await client.raw('GET', path, undefined, { signal })) as Discovered;
  } catch (error) {
    if (isNotFound(error)) return {};
    throw error;
  }
}

function isOfKubernetes(resource: string, { metadata: { name } }: KubeObject): boolean {
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
