import { type Client, isNotFound } from '@hawser/client';
import { DiscoveryError } from './discovery-error.js';

/** A kind of a group, in any version. The group of the core API is the empty string. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

interface APIResource {
  readonly name: string;
  readonly singularName?: string | undefined;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
}

/** A kind as the cluster serves it. */
export interface ServedResource extends GroupKind {
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Versions that serve it, each with its subresources of the same kind; in the order of the cluster. */
  readonly versions: ReadonlyMap<string, ReadonlySet<string>>;
  readonly preferredVersion: string;
}

/** The client methods that discovery needs. */
export type Reader = Pick<Client, 'get' | 'raw'>;

export interface FindOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds a kind in the cluster's discovery. Requests only the kind's own group, so broken other groups do not matter.
 * @throws {DiscoveryError} `NotServed`; and what the API server answers otherwise.
 */
export async function findResource(
  client: Reader,
  { group, kind }: GroupKind,
  { signal }: FindOptions,
): Promise<ServedResource> {
  const { names, preferred } = await versionsOf(client, group, signal);
  const lists = await Promise.all(
    names.map(async (version) => [version, await resourcesOf(client, group, version, signal)] as const),
  );
  const versions = new Map<string, Set<string>>();
  const serving: string[] = [];
  let resource: APIResource | undefined;
  for (const [version, list] of lists) {
    for (const entry of list.filter((candidate) => candidate.kind === kind)) {
      const [plural, ...rest] = entry.name.split('/');
      const subresources = versions.get(version) ?? new Set();
      versions.set(version, subresources);
      if (rest.length > 0) subresources.add(rest.join('/'));
      else if (plural !== undefined) {
        resource = entry;
        serving.push(version);
      }
    }
  }
  const [first] = serving;
  if (resource === undefined || first === undefined) {
    throw new DiscoveryError(
      'NotServed',
      `the cluster serves no kind ${kind} in ${group === '' ? 'the core API' : `the group ${group}`}`,
    );
  }
  return {
    group,
    kind,
    plural: resource.name,
    singular: resource.singularName ?? '',
    namespaced: resource.namespaced,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    versions,
    preferredVersion: serving.find((version) => version === preferred) ?? first,
  };
}

async function versionsOf(
  client: Reader,
  group: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly names: readonly string[]; readonly preferred?: string | undefined }> {
  if (group === '') {
    const { versions = [] } = (await client.raw('GET', '/api', undefined, { signal })) as {
      readonly versions?: readonly string[];
    };
    return { names: versions };
  }
  try {
    const { versions = [], preferredVersion } = (await client.raw(
      'GET',
      `/apis/${encodeURIComponent(group)}`,
      undefined,
      { signal },
    )) as {
      readonly versions?: readonly { readonly version: string }[];
      readonly preferredVersion?: { readonly version: string };
    };
    return { names: versions.map(({ version }) => version), preferred: preferredVersion?.version };
  } catch (error) {
    if (isNotFound(error)) throw new DiscoveryError('NotServed', `the cluster serves no group ${group}`);
    throw error;
  }
}

async function resourcesOf(
  client: Reader,
  group: string,
  version: string,
  signal: AbortSignal | undefined,
): Promise<readonly APIResource[]> {
  try {
    const path = group === '' ? `/api/${version}` : `/apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}`;
    const { resources = [] } = (await client.raw('GET', path, undefined, { signal })) as {
      readonly resources?: readonly APIResource[];
    };
    return resources;
  } catch (error) {
    // Deleted between two requests.
    if (isNotFound(error)) return [];
    throw error;
  }
}
