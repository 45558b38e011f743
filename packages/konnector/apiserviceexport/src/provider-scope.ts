import { type Client, type Resource, isApiError } from '@hawser/client';

/** Scope of a resource on the provider's API server. `unknown`: the server does not serve it, or gave no answer. */
export type ProviderScope = 'Namespaced' | 'Cluster' | 'unknown';

interface APIResourceList {
  readonly resources?: readonly { readonly name: string; readonly namespaced: boolean }[];
}

/** Reads the scope from discovery, usually open to all users. Unknown if the server refuses or is out of reach. */
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

/** Cache of scopes until forgotten. Keeps only definite answers. */
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
