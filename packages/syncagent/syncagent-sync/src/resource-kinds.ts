import { type Client, type Resource, resourceName } from '@hawser/client';

/** An API server's kind for the objects of a resource. */
export interface ResourceKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Looks up kinds by discovery, once for each group and version of a server. Does not remember failures. */
export interface ResourceKinds {
  /**
   * `server` identifies the answering server. Rejects with the client's ApiError, or with a plain Error where the
   * resource is not served.
   */
  of(server: string, client: Client, resource: Resource, signal: AbortSignal): Promise<ResourceKind>;
}

interface Discovered {
  readonly resources?: readonly { readonly name: string; readonly kind: string; readonly namespaced?: boolean }[];
}

export function createResourceKinds(): ResourceKinds {
  const asked = new Map<string, Promise<Discovered>>();
  const forget = (key: string): void => {
    asked.delete(key);
  };
  return {
    async of(server, client, resource, signal) {
      const { group, version } = resource;
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const key = `${server} ${apiVersion}`;
      let answer = asked.get(key);
      if (answer === undefined) {
        answer = client.raw('GET', group === '' ? `/api/${version}` : `/apis/${group}/${version}`, undefined, {
          signal,
        }) as Promise<Discovered>;
        asked.set(key, answer);
        answer.catch(() => {
          forget(key);
        });
      }
      const found = (await answer).resources?.find(({ name }) => name === resource.resource);
      if (found === undefined) {
        forget(key);
        throw new Error(`${resourceName(resource)} is not served in version ${version}`);
      }
      return { apiVersion, kind: found.kind, namespaced: found.namespaced === true };
    },
  };
}
