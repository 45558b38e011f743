import { AsyncLocalStorage } from 'node:async_hooks';

import {
  type Client,
  type DeleteResult,
  type Hosts,
  type KubeObject,
  type ListOptions,
  type ObjectKey,
  type Patch,
  type Resource,
  type UnstructuredObject,
  type WriteOptions,
  getIfExists,
  isApiError,
  keyOf,
  objectKey,
} from '@hawser/client';
import { annotations, isLogicalClusterName, workspaceOfURL } from '@hawser/kcp-api';
import { type PlannedWrite, patched, reading } from '@hawser/preview';

import { isAnother, refusal } from './answers.js';
import { type Place, placeId, placeOfPath, service } from './place.js';

/** What a write is for: one object of a PublishedResource, as the queue of its sync calls it. */
export interface Purpose {
  readonly publishedResource: string;
  /** `cluster|namespace/name`, or `cluster|name`. */
  readonly object: string;
}

/** A write that the agent would send. */
export interface RehearsedWrite extends PlannedWrite<Place> {
  /** Absent: for the agent as a whole, such as its APIExport. */
  readonly purpose?: Purpose | undefined;
}

export interface RehearsalOptions {
  /** Of the kcp kubeconfig: where requests without a path go. */
  readonly kcpServer: string;
  /** Ask the API servers what they would make of each write, by a dry run. */
  readonly dryRun: boolean;
  /** Told of every request that begins (1) and ends (-1), watches apart. */
  readonly onRequest: (by: 1 | -1) => void;
}

/**
 * Clients for an agent that is to do everything that it always does, and change nothing: they read, note each write in place of sending it, answer it as
 * the server would, and show what was written to whoever reads it afterwards.
 */
export interface Rehearsal {
  service(client: Client): Client;
  hosts(hosts: Hosts): Hosts;
  /** In their order. Events are not among them. */
  readonly writes: readonly RehearsedWrite[];
  /** What is written during `work` is for this. */
  during<T>(purpose: Purpose, work: () => Promise<T>): Promise<T>;
}

/** Newer than any version that a server gives, so that a cache that has seen a write stays with it. */
const VERSION_BASE = 8_000_000_000_000_000_000n;
const NAMESPACES: Resource = { group: '', version: 'v1', resource: 'namespaces' };

type Known =
  | {
      readonly kind: 'present';
      readonly object: UnstructuredObject;
      /** It exists only here. */ readonly made: boolean;
    }
  | { readonly kind: 'gone' };

export function createRehearsal({ kcpServer, dryRun, onRequest }: RehearsalOptions): Rehearsal {
  const writes: RehearsedWrite[] = [];
  const purposes = new AsyncLocalStorage<Purpose>();
  const world = new Map<string, Known>();
  /** The last write of each object that is under way: one sees what the one before has made. */
  const queues = new Map<string, Promise<unknown>>();
  let versions = 0n;

  const idOf = (place: Place, { group, resource }: Resource, key: ObjectKey): string =>
    `${placeId(place)}|${group}/${resource}|${objectKey(key)}`;
  const nextVersion = (): string => String(VERSION_BASE + ++versions);

  function rehearse(real: Client, place: Place): Client {
    const live = reading(real, 30_000);
    const counted = async <T>(work: () => Promise<T>): Promise<T> => {
      onRequest(1);
      try {
        return await work();
      } finally {
        onRequest(-1);
      }
    };
    const inTurn = <T>(resource: Resource, key: ObjectKey, work: () => Promise<T>): Promise<T> =>
      counted(() => {
        const id = idOf(place, resource, key);
        const turn = (queues.get(id) ?? Promise.resolve()).then(work, work);
        queues.set(id, turn);
        return turn;
      });
    const note = (write: Omit<RehearsedWrite, 'side' | 'purpose'>): void => {
      writes.push({ side: place, purpose: purposes.getStore(), ...write });
    };
    const remember = (resource: Resource, key: ObjectKey, known: Known): void => {
      world.set(idOf(place, resource, key), known);
    };
    /** As it is now, with what was written so far. @throws ApiError NotFound */
    const current = async (
      resource: Resource,
      key: ObjectKey,
      verb: string,
      signal: AbortSignal | undefined,
    ): Promise<UnstructuredObject> => {
      const known = world.get(idOf(place, resource, key));
      if (known?.kind === 'gone') throw refusal('NotFound', real.name, verb, resource, key);
      return known?.object ?? live.get(resource, key, { signal });
    };
    const exists = async (
      resource: Resource,
      key: ObjectKey,
      unknown: boolean,
      signal: AbortSignal | undefined,
    ): Promise<boolean> => {
      const known = world.get(idOf(place, resource, key));
      if (known !== undefined) return known.kind === 'present';
      try {
        return (await getIfExists(live, resource, key, { representation: 'metadata', signal })) !== undefined;
      } catch (error) {
        if (isApiError(error, 'Forbidden')) return unknown;
        throw error;
      }
    };
    const changed = (resource: Resource, key: ObjectKey, object: UnstructuredObject): UnstructuredObject => {
      const { deletionTimestamp, finalizers = [] } = object.metadata;
      const made = (world.get(idOf(place, resource, key)) as { readonly made?: boolean } | undefined)?.made === true;
      remember(
        resource,
        key,
        deletionTimestamp !== undefined && finalizers.length === 0
          ? { kind: 'gone' }
          : { kind: 'present', object, made },
      );
      return object;
    };
    /** What the server says to the first write of an object; from the second on it knows nothing of those before. */
    const asked = async (
      resource: Resource,
      key: ObjectKey,
      local: UnstructuredObject,
      ask: () => Promise<UnstructuredObject>,
    ): Promise<UnstructuredObject> => (dryRun && !world.has(idOf(place, resource, key)) ? ask() : local);
    const dry = (options: WriteOptions | undefined): WriteOptions => ({
      ...options,
      dryRun: true,
      representation: 'full',
    });
    /** kcp says of each object where it is. */
    const placed = (object: UnstructuredObject): UnstructuredObject =>
      place.kind === 'kcp' && isLogicalClusterName(place.workspace)
        ? {
            ...object,
            metadata: {
              ...object.metadata,
              annotations: { ...object.metadata.annotations, [annotations.cluster]: place.workspace },
            },
          }
        : object;

    return {
      name: real.name,
      get: <T extends KubeObject = UnstructuredObject>(
        resource: Resource,
        key: ObjectKey,
        options?: Parameters<Client['get']>[2],
      ) =>
        counted(async () => {
          const known = world.get(idOf(place, resource, key));
          if (known?.kind === 'gone') throw refusal('NotFound', real.name, 'get', resource, key);
          return known === undefined ? live.get<T>(resource, key, options) : (known.object as unknown as T);
        }),
      list: <T extends KubeObject = UnstructuredObject>(resource: Resource, options?: ListOptions) =>
        counted(async () => {
          const page = await live.list<T>(resource, options);
          const items = page.items.flatMap((item): T[] => {
            const known = world.get(idOf(place, resource, keyOf(item)));
            return known === undefined ? [item] : known.kind === 'gone' ? [] : [known.object as unknown as T];
          });
          return { ...page, items };
        }),
      watch: (resource, options) => live.watch(resource, options),
      raw: (method, path, body, options) => counted(() => live.raw(method, path, body, options)),
      create: <T extends KubeObject = UnstructuredObject>(
        resource: Resource,
        object: KubeObject,
        options?: WriteOptions,
      ) =>
        inTurn(resource, keyOf(object), async () => {
          if (isEvent(resource)) return object as T;
          const { signal } = options ?? {};
          const key = keyOf(object);
          const { namespace } = key;
          if (namespace !== undefined && !(await exists(NAMESPACES, { name: namespace }, true, signal)))
            throw refusal('NotFound', real.name, 'create', NAMESPACES, { name: namespace });
          if (await exists(resource, key, false, signal))
            throw refusal('AlreadyExists', real.name, 'create', resource, key);
          const sent = object as UnstructuredObject;
          // The namespace of a dry run has to be there.
          const inNew = namespace !== undefined && world.has(idOf(place, NAMESPACES, { name: namespace }));
          const after = inNew
            ? sent
            : await asked(resource, key, sent, () => live.create(resource, object, dry(options)));
          note({ verb: 'create', resource, key, after });
          const answer = placed({
            ...after,
            metadata: { ...after.metadata, uid: `new-${writes.length}`, resourceVersion: nextVersion() },
          });
          remember(resource, key, { kind: 'present', object: answer, made: true });
          return answer as unknown as T;
        }),
      update: <T extends KubeObject = UnstructuredObject>(
        resource: Resource,
        object: KubeObject,
        options?: WriteOptions,
      ) =>
        inTurn(resource, keyOf(object), async () => {
          const key = keyOf(object);
          if (isEvent(resource)) return object as T;
          const before = await current(resource, key, 'update', options?.signal);
          if (isAnother(object, before)) throw refusal('Conflict', real.name, 'update', resource, key);
          const sent = object as UnstructuredObject;
          const local =
            options?.subresource === 'status'
              ? { ...before, status: sent['status'] }
              : { ...sent, metadata: { ...before.metadata, ...sent.metadata } };
          const after = await asked(resource, key, local, () => live.update(resource, object, dry(options)));
          note({ verb: 'update', resource, key, subresource: options?.subresource, before, after });
          return changed(resource, key, {
            ...after,
            metadata: { ...after.metadata, resourceVersion: nextVersion() },
          }) as unknown as T;
        }),
      patch: <T extends KubeObject = UnstructuredObject>(
        resource: Resource,
        key: ObjectKey,
        patch: Patch,
        options?: WriteOptions,
      ) =>
        inTurn(resource, key, async () => {
          if (isEvent(resource)) return { apiVersion: '', kind: '', metadata: key } as T;
          const before = await current(resource, key, 'patch', options?.signal);
          if (patch.type === 'merge' && isAnother(patch.patch as Parameters<typeof isAnother>[0], before))
            throw refusal('Conflict', real.name, 'patch', resource, key);
          const whole = patched(before, patch) ?? before;
          const local = {
            ...(options?.subresource === 'status' ? { ...before, status: whole['status'] } : whole),
            apiVersion: before.apiVersion,
            kind: before.kind,
          };
          const after = await asked(resource, key, local, () => live.patch(resource, key, patch, dry(options)));
          // A trial write of the agent's own.
          if (options?.dryRun === true) return after as unknown as T;
          note({ verb: 'patch', resource, key, subresource: options?.subresource, before, after });
          return changed(resource, key, {
            ...after,
            metadata: { ...after.metadata, resourceVersion: nextVersion() },
          }) as unknown as T;
        }),
      delete: (resource, key, options) =>
        inTurn(resource, key, async (): Promise<DeleteResult> => {
          const before = await current(resource, key, 'delete', options?.signal);
          if (isAnother({ metadata: options?.preconditions }, before))
            throw refusal('Conflict', real.name, 'delete', resource, key);
          if (dryRun && !world.has(idOf(place, resource, key)))
            await live.delete(resource, key, { ...options, dryRun: true });
          note({ verb: 'delete', resource, key, before });
          if ((before.metadata.finalizers ?? []).length > 0) {
            const going = {
              ...before,
              metadata: {
                ...before.metadata,
                deletionTimestamp: before.metadata.deletionTimestamp ?? new Date(0).toISOString(),
                resourceVersion: nextVersion(),
              },
            };
            return { kind: 'terminating', object: changed(resource, key, going) };
          }
          remember(resource, key, { kind: 'gone' });
          return { kind: 'gone' };
        }),
      withWriteGuard: (signal) => rehearse(real.withWriteGuard(signal), place),
      at: (path, name) => rehearse(real.at(path, name), placeOfPath(path)),
      close: () => real.close(),
    };
  }

  return {
    service: (client) => rehearse(client, service),
    hosts: (hosts) => ({
      home: rehearse(hosts.home, { kind: 'kcp', workspace: workspaceOfURL(kcpServer) }),
      at: (url, name) => rehearse(hosts.at(url, name), placeOfPath(new URL(url).pathname)),
      close: () => hosts.close(),
    }),
    writes,
    during: (purpose, work) => purposes.run(purpose, work),
  };
}

function isEvent({ resource }: Resource): boolean {
  return resource === 'events';
}
