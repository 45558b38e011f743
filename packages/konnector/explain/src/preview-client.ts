import type { Client, DeleteResult, KubeObject, ObjectKey, Patch, Resource, UnstructuredObject, WriteOptions } from '@hawser/client';
import { applyMergePatch } from '@hawser/json';

/** A write that would be sent. */
export interface PlannedWrite {
  readonly side: 'consumer' | 'provider';
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  readonly resource: Resource;
  readonly key: ObjectKey;
  readonly subresource?: string | undefined;
  /** The object as it is; absent if it does not exist, or was not read. */
  readonly before?: UnstructuredObject | undefined;
  /** The object as it would be: in the server's answer to a dry run, else as far as can be told without it. */
  readonly after?: UnstructuredObject | undefined;
  /** A pause or a policy holds it back. */
  readonly withheld?: true;
}

export interface PreviewOptions {
  readonly side: PlannedWrite['side'];
  /** The object as it was read. */
  readonly known: (resource: Resource, key: ObjectKey) => UnstructuredObject | undefined;
  readonly planned: (write: PlannedWrite) => void;
  /** Ask the API server what it would make of each write, by a dry run. */
  readonly dryRun: boolean;
}

/**
 * A client that reads and does not write: each write goes to `planned`, and is answered as the server would, with or without asking it. Whoever
 * works with it does what it always does. A refusal of a dry run is thrown as the refusal of the write would be.
 */
export function previewClient(client: Client, { side, known, planned, dryRun }: PreviewOptions): Client {
  const dry = (options: WriteOptions | undefined): WriteOptions => ({ ...options, dryRun: true });
  /** Only an answer in full shows what comes of a write. */
  const full = (options: WriteOptions | undefined): WriteOptions => ({ ...dry(options), representation: 'full' });
  const answer = <T extends KubeObject>(object: unknown): T => object as T;
  /** What was written before: a dry run knows nothing of an earlier one, so that from the second write on its answer is not how the object would be. */
  const written = new Map<string, 'created' | 'changed' | 'deleted'>();
  const idOf = ({ group, resource }: Resource, { namespace = '', name }: ObjectKey): string => `${group}/${resource}/${namespace}/${name}`;
  const changed = async (resource: Resource, key: ObjectKey, local: UnstructuredObject | undefined, ask: () => Promise<UnstructuredObject>): Promise<UnstructuredObject | undefined> => {
    const id = idOf(resource, key);
    const earlier = written.get(id);
    const asked = dryRun && earlier !== 'created' ? await ask() : undefined;
    written.set(id, earlier ?? 'changed');
    return earlier === undefined ? (asked ?? local) : (local ?? asked);
  };
  return {
    ...reading(client),
    async create<T extends KubeObject = UnstructuredObject>(resource: Resource, object: KubeObject, options?: WriteOptions) {
      if (options?.dryRun === true) return client.create<T>(resource, object, options);
      // What a dry run has deleted is still there, and would be in the way.
      const after = dryRun && written.get(idOf(resource, keyOf(object))) !== 'deleted' ? await client.create(resource, object, full(options)) : { ...object, metadata: { ...object.metadata, uid: 'new', resourceVersion: '' } };
      written.set(idOf(resource, keyOf(object)), 'created');
      planned({ side, verb: 'create', resource, key: keyOf(object), after });
      return answer<T>(after);
    },
    async update<T extends KubeObject = UnstructuredObject>(resource: Resource, object: KubeObject, options?: WriteOptions) {
      if (options?.dryRun === true) return client.update<T>(resource, object, options);
      const key = keyOf(object);
      const before = known(resource, key);
      const { subresource } = options ?? {};
      const sent = object as UnstructuredObject;
      const local = subresource === 'status' && before !== undefined ? { ...before, status: sent['status'] } : sent;
      const after = await changed(resource, key, local, () => client.update(resource, object, full(options)));
      planned({ side, verb: 'update', resource, key, subresource, before, after });
      return answer<T>(after);
    },
    async patch<T extends KubeObject = UnstructuredObject>(resource: Resource, key: ObjectKey, patch: Patch, options?: WriteOptions) {
      if (options?.dryRun === true) return client.patch<T>(resource, key, patch, options);
      const before = known(resource, key);
      const after = await changed(resource, key, patched(before, patch), () => client.patch(resource, key, patch, full(options)));
      planned({ side, verb: 'patch', resource, key, subresource: options?.subresource, before, after });
      return answer<T>(after ?? { apiVersion: '', kind: '', metadata: key });
    },
    async delete(resource, key, options): Promise<DeleteResult> {
      if (options?.dryRun === true) return client.delete(resource, key, options);
      if (dryRun) await client.delete(resource, key, { ...options, dryRun: true });
      written.set(idOf(resource, key), 'deleted');
      planned({ side, verb: 'delete', resource, key, before: known(resource, key) });
      return { kind: 'gone' };
    },
  };
}

/** A client that changes nothing: it reads, and lets dry runs through. Its time limit is shorter than that of a controller: a person waits. */
export function reading(client: Client, timeoutMs = 10_000): Client {
  const refused = (): Promise<never> => Promise.reject(new Error('a preview does not write'));
  const limited = <T extends object>(options: T | undefined): T & { readonly timeoutMs: number } => ({ timeoutMs, ...options } as T & { readonly timeoutMs: number });
  return {
    name: client.name,
    get: (resource, key, options) => client.get(resource, key, limited(options)),
    list: (resource, options) => client.list(resource, limited(options)),
    watch: (resource, options) => client.watch(resource, options),
    raw: (method, path, body, options) => (method === 'GET' ? client.raw(method, path, body, limited(options)) : refused()),
    create: (resource, object, options) => (options?.dryRun === true ? client.create(resource, object, limited(options)) : refused()),
    update: (resource, object, options) => (options?.dryRun === true ? client.update(resource, object, limited(options)) : refused()),
    patch: (resource, key, patch, options) => (options?.dryRun === true ? client.patch(resource, key, patch, limited(options)) : refused()),
    delete: (resource, key, options) => (options?.dryRun === true ? client.delete(resource, key, limited(options)) : refused()),
    withWriteGuard(signal) { return reading(client.withWriteGuard(signal), timeoutMs); },
    at(path, name) { return reading(client.at(path, name), timeoutMs); },
    close: () => client.close(),
  };
}

function patched(before: UnstructuredObject | undefined, patch: Patch): UnstructuredObject | undefined {
  if (before === undefined) return undefined;
  switch (patch.type) {
    case 'merge':
      return applyMergePatch(before, patch.patch) as unknown as UnstructuredObject;
    case 'json':
      return (patch.operations as readonly Operation[]).reduce(operated, before);
    case 'apply':
      return undefined;
  }
}

interface Operation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

/** One operation of a JSON patch on members of objects; there are no others here. */
function operated(object: UnstructuredObject, { op, path, value }: Operation): UnstructuredObject {
  const keys = path.slice(1).split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const into = (node: unknown, [head = '', ...rest]: readonly string[]): Record<string, unknown> => {
    const entries = Object.entries((node ?? {}) as Record<string, unknown>).filter(([key]) => key !== head);
    const child = (node as Record<string, unknown> | undefined)?.[head];
    if (rest.length > 0) return Object.fromEntries([...entries, [head, into(child, rest)]]);
    return Object.fromEntries(op === 'remove' ? entries : [...entries, [head, value]]);
  };
  return into(object, keys) as unknown as UnstructuredObject;
}

function keyOf({ metadata: { name, namespace } }: KubeObject): ObjectKey {
  return namespace === undefined ? { name } : { name, namespace };
}
