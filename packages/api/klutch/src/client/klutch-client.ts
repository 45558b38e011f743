import {
  ApiError,
  type Client,
  type KubeObject,
  type Patch,
  type ReadOptions,
  type Resource,
  type WatchEvent,
  type WatchStream,
  type WriteOptions,
} from '@hawser/client';
import { isRecord } from '@hawser/crd';
import { apiGroup as kubeBindGroup } from '@hawser/kube-bind';
import { apiVersion } from '../group.js';
import { type View, viewOf } from './views.js';

/**
 * Client of a cluster that speaks Klutch, for controllers that speak kube-bind: maps the kinds of `kube-bind.io` to
 * those of Klutch, and passes everything else through.
 *
 * - Reads an APIServiceExport of Klutch as an export with one resource, and as its BoundSchema; both share one status.
 * - Does not write fields that Klutch lacks; a write of nothing else is skipped.
 * - Objects keep `apiVersion`, `kind` and `metadata`. Errors name what was asked of the server, and `isObjectNotFound`
 * knows them by the requested kind.
 *
 * Klutch has no bundles, collections, clusters or requests for access: these fail as with the client itself.
 */
export function createKlutchClient(client: Client): Client {
  /** Runs a request for a kind of kube-bind as one for its Klutch counterpart. */
  const asking = async <R>(
    resource: Resource,
    view: View | undefined,
    request: (stored: Resource) => Promise<R>,
  ): Promise<R> => {
    if (view === undefined) return request(resource);
    try {
      return await request(view.stored);
    } catch (error) {
      throw translated(error, view.stored, resource);
    }
  };
  const read = <T extends KubeObject>(
    view: View | undefined,
    object: KubeObject,
    { representation }: ReadOptions = {},
  ): T => (view === undefined || representation === 'metadata' ? object : view.read(object)) as T;

  return {
    name: client.name,
    get: (resource, key, options) => {
      const view = viewOf(resource);
      return asking(resource, view, async (stored) => read(view, await client.get(stored, key, options), options));
    },
    list: (resource, options) => {
      const view = viewOf(resource);
      return asking(resource, view, async (stored) => {
        const page = await client.list(stored, options);
        return { ...page, items: page.items.map((item) => read(view, item, options)) };
      });
    },
    watch: <T extends KubeObject>(resource: Resource, options?: Parameters<Client['watch']>[1]) => {
      const view = viewOf(resource);
      return asking(resource, view, async (stored): Promise<WatchStream<T>> => {
        const stream = await client.watch<T>(stored, options);
        return view === undefined ? stream : reading<T>(stream, (object) => read(view, object, options));
      });
    },
    create: (resource, object, options) => {
      const view = viewOf(resource);
      return asking(resource, view, async (stored) =>
        read(view, await client.create(stored, view === undefined ? object : inDialect(object), options), options),
      );
    },
    update: (resource, object, options) => {
      // A view is not the whole object.
      if (viewOf(resource) !== undefined)
        return Promise.reject(new RangeError(`${resource.resource} are patched, not replaced`));
      return client.update(resource, object, options);
    },
    patch: (resource, key, patch, options) => {
      const view = viewOf(resource);
      return asking(resource, view, async (stored) => {
        const rest = view === undefined ? patch : withoutDerived(patch, view, options);
        return read(
          view,
          rest === undefined
            ? await client.get(stored, key, { signal: options?.signal })
            : await client.patch(stored, key, rest, options),
          options,
        );
      });
    },
    delete: (resource, key, options) =>
      asking(resource, viewOf(resource), (stored) => client.delete(stored, key, options)),
    raw: (...request) => client.raw(...request),
    withWriteGuard: (signal) => createKlutchClient(client.withWriteGuard(signal)),
    at: (...args) => createKlutchClient(client.at(...args)),
    recovery: client.recovery,
    close: () => client.close(),
  };
}

async function* reading<T extends KubeObject>(
  stream: WatchStream<T>,
  read: (object: KubeObject) => T,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  for await (const event of stream) yield event.type === 'BOOKMARK' ? event : { ...event, object: read(event.object) };
}

function inDialect<T extends KubeObject>(object: T): T {
  return object.apiVersion.split('/', 1)[0] === kubeBindGroup ? { ...object, apiVersion } : object;
}

/** A status patch without derived fields; undefined if nothing is left. */
function withoutDerived(patch: Patch, { derived }: View, { subresource }: WriteOptions = {}): Patch | undefined {
  if (
    derived.length === 0 ||
    subresource !== 'status' ||
    patch.type !== 'merge' ||
    !isRecord(patch.patch) ||
    !isRecord(patch.patch['status'])
  )
    return patch;
  const status = Object.fromEntries(
    Object.entries(patch.patch['status']).filter(([field]) => !derived.includes(field)),
  );
  return Object.keys(status).length === 0 ? undefined : { ...patch, patch: { ...patch.patch, status } };
}

/** A not-found error names the requested kind. */
function translated(error: unknown, stored: Resource, asked: Resource): unknown {
  if (!(error instanceof ApiError)) return error;
  const { code, message, request, httpStatus, retryAfterMs, status } = error;
  if (status?.details?.kind !== stored.resource || status.details.group !== stored.group) return error;
  return new ApiError(code, message, request, {
    httpStatus,
    retryAfterMs,
    status: { ...status, details: { ...status.details, kind: asked.resource, group: asked.group } },
    cause: error,
  });
}
