import {
  type Client,
  type Resource,
  type UnstructuredObject,
  type ListOptions,
  isForbidden,
  listPages,
  messageOf,
  resourceName,
} from '@hawser/client';

import type { Bundle } from './bundle.js';
import type { Shape } from './shape.js';
import { withoutSecrets } from './without-secrets.js';

export interface ReaderOptions {
  readonly bundle: Bundle;
  /** Limit for each read. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Namespaces to search for namespaced objects, if the whole cluster may not be listed. */
  readonly namespaces: readonly string[];
}

/** Result of a list, in the form that a bundle may hold. */
export interface Listed {
  readonly items: readonly unknown[];
  /** Description of missing items. */
  readonly incomplete?: string | undefined;
}

export interface ListTerms extends Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector'> {
  /** Keeps only matching objects. */
  readonly where?: ((object: UnstructuredObject) => boolean) | undefined;
  /** Limit of objects. Default 1 000. */
  readonly most?: number | undefined;
  /** Further namespaces to search, if the whole cluster may not be listed. */
  readonly alsoIn?: readonly string[] | undefined;
}

/**
 * Reads one cluster for a bundle. Notes a failed read, and returns undefined for it. Rejects only once the bundle is
 * given up.
 */
export interface Reader {
  /** Name of the cluster in the bundle. */
  readonly cluster: string;
  readonly client: Client;
  readonly options: ReaderOptions;
  /** The objects of a resource through `shape`, page by page: memory holds only what the bundle holds. */
  list(resource: Resource, shape: Shape, terms?: ListTerms): Promise<Listed | undefined>;
  /** The same in the whole cluster; after a refusal, in the known namespaces. */
  listPermitted(resource: Resource, shape: Shape, terms?: ListTerms): Promise<Listed | undefined>;
  /** Reads a path outside resources: `/version`, a log. */
  raw(path: string, what: string): Promise<unknown>;
  /** Notes a failure. Rejects once the bundle is given up. */
  failed(what: string, error: unknown): void;
}

type Attempted =
  | { readonly items: readonly unknown[] | undefined; readonly incomplete?: string | undefined }
  | { readonly refused: Error };

const PAGE = 250;
const MOST = 1_000;
/** Stops at this many objects, however few match; a server could go on for ever. */
const MOST_SEEN = 100_000;

export function createReader(cluster: string, client: Client, options: ReaderOptions): Reader {
  const { bundle, timeoutMs, signal } = options;
  /** `items` undefined: the read failed, as noted. */
  const attempt = async (
    resource: Resource,
    shape: Shape,
    { where, most = MOST, namespace, labelSelector, fieldSelector }: ListTerms,
  ): Promise<Attempted> => {
    const items: unknown[] = [];
    let unusable = 0;
    let seen = 0;
    try {
      const pages = listPages(client, resource, {
        namespace,
        labelSelector,
        fieldSelector,
        limit: PAGE,
        timeoutMs,
        signal,
        onUnusable: () => {
          unusable += 1;
        },
      });
      for await (const page of pages) {
        seen += page.length;
        const wanted = where === undefined ? page : page.filter(where);
        items.push(...wanted.slice(0, most - items.length).map(shape));
        if (items.length >= most) return { items, incomplete: `Only the first ${most} are here; there may be more.` };
        if (seen >= MOST_SEEN) return { items, incomplete: `Only the first ${seen} objects were looked at.` };
      }
    } catch (error) {
      if (isForbidden(error) && items.length === 0) return { refused: error };
      reader.failed(`list ${whatOf(resource, { namespace })}`, error);
      return items.length === 0
        ? { items: undefined }
        : { items, incomplete: `The list broke off: ${withoutSecrets(messageOf(error))}` };
    }
    return { items, incomplete: unusable === 0 ? undefined : `${unusable} have no readable metadata.` };
  };
  const reader: Reader = {
    cluster,
    client,
    options,
    async list(resource, shape, terms = {}) {
      const listed = await attempt(resource, shape, terms);
      if ('refused' in listed) {
        reader.failed(`list ${whatOf(resource, terms)}`, listed.refused);
        return undefined;
      }
      return listed.items === undefined ? undefined : { ...listed, items: listed.items };
    },
    async listPermitted(resource, shape, { alsoIn = [], ...terms } = {}) {
      const namespaces = [...new Set([...options.namespaces, ...alsoIn])];
      if (namespaces.length === 0) return reader.list(resource, shape, terms);
      const everywhere = await attempt(resource, shape, terms);
      if (!('refused' in everywhere))
        return everywhere.items === undefined ? undefined : { ...everywhere, items: everywhere.items };
      const found: unknown[] = [];
      for (const namespace of namespaces)
        found.push(...((await reader.list(resource, shape, { ...terms, namespace }))?.items ?? []));
      return {
        items: found,
        incomplete: `Only of the namespaces ${namespaces.join(', ')}: listing in the whole cluster is refused.`,
      };
    },
    async raw(path, what) {
      try {
        return await client.raw('GET', path, undefined, { timeoutMs, signal });
      } catch (error) {
        reader.failed(what, error);
        return undefined;
      }
    },
    failed(what, error) {
      if (signal.aborted) throw error;
      bundle.unread(cluster, what, error);
    },
  };
  return reader;
}

function whatOf(resource: Resource, { namespace }: Pick<ListTerms, 'namespace'>): string {
  return `${resourceName(resource)}${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
}
