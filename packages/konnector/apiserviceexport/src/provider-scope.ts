import { type Client, type Resource, isApiError } from '@hawser/client';

/** How the provider's API server serves a resource. `unknown`: it does not serve it, or does not say. */
export type ProviderScope = 'Namespaced' | 'Cluster' | 'unknown';

interface APIResourceList {
  readonly resources?: readonly { readonly name: string; readonly namespaced: boolean }[];
}

/** Asks discovery, which every authenticated user may read in an ordinary cluster. A server that refuses or cannot be reached makes the answer unknown. */
export async function readProviderScope(
  client: Client,
  { group, version, resource: plural }: Resource,
  signal: AbortSignal,
): Promise<ProviderScope> {
  try {
    const { resources = [] } = (await client.raw('GET', `/apis/${group}/${version}`, undefined, {
      signal,
    })) as APIResourceList;
    const resource = resources.find(({ name }) => name === plural);
    if (resource === undefined) return 'unknown';
    return resource.namespaced ? 'Namespaced' : 'Cluster';
  } catch (error) {
    if (isApiError(error) && error.code !== 'Aborted') return 'unknown';
    throw error;
  }
}

/** What has been asked, until it is forgotten. Only definite answers are kept. */
export class ProviderScopes {
  readonly #client: Client;
  readonly #known = new Map<string, ProviderScope>();

  constructor(client: Client) {
    this.#client = client;
  }

  async of(name: string, resource: Resource, signal: AbortSignal): Promise<ProviderScope> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const scope = await readProviderScope(this.#client, resource, signal);
    if (scope !== 'unknown') this.#known.set(name, scope);
    return scope;
  }

  forget(name: string): void {
    this.#known.delete(name);
  }
}
