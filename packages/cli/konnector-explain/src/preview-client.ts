import {
  type Client,
  type DeleteResult,
  type KubeObject,
  type ObjectKey,
  type Patch,
  type Resource,
  type UnstructuredObject,
  type WriteOptions,
  keyOf,
} from '@hawser/client';
import { type PlannedWrite as AnyWrite, patched, reading } from '@hawser/preview';

/** A write of a konnector that would be sent. */
export type PlannedWrite = AnyWrite<'consumer' | 'provider'>;

export interface PreviewOptions {
  readonly side: PlannedWrite['side'];
  /** The object as it was read. */
  readonly known: (resource: Resource, key: ObjectKey) => UnstructuredObject | undefined;
  readonly planned: (write: PlannedWrite) => void;
  /** Asks the API server by a dry run what it would make of each write. */
  readonly dryRun: boolean;
}

/**
 * A client that reads and does not write: each write goes to `planned`. It answers as the server would, with or without
 * a dry run. Its users work as always. Throws the refusal of a dry run like the refusal of the write.
 */
export function previewClient(client: Client, { side, known, planned, dryRun }: PreviewOptions): Client {
  const dry = (options: WriteOptions | undefined): WriteOptions => ({ ...options, dryRun: true });
  /** Only an answer in full shows the result of a write. */
  const full = (options: WriteOptions | undefined): WriteOptions => ({ ...dry(options), representation: 'full' });
  const answer = <T extends KubeObject>(object: unknown): T => object as T;
  /**
   * Earlier writes: a dry run does not know them. From the second write on, its answer is therefore not the later
   * object.
   */
  const written = new Map<string, 'created' | 'changed' | 'deleted'>();
  const idOf = ({ group, resource }: Resource, { namespace = '', name }: ObjectKey): string =>
    `${group}/${resource}/${namespace}/${name}`;
  const changed = async (
    resource: Resource,
    key: ObjectKey,
    local: UnstructuredObject | undefined,
    ask: () => Promise<UnstructuredObject>,
  ): Promise<UnstructuredObject | undefined> => {
    const id = idOf(resource, key);
    const earlier = written.get(id);
    const asked = dryRun && earlier !== 'created' ? await ask() : undefined;
    written.set(id, earlier ?? 'changed');
    return earlier === undefined ? (asked ?? local) : (local ?? asked);
  };
  return {
    ...reading(client),
    async create<T extends KubeObject = UnstructuredObject>(
      resource: Resource,
      object: KubeObject,
      options?: WriteOptions,
    ) {
      if (options?.dryRun === true) return client.create<T>(resource, object, options);
      // An object that a dry run deleted still exists, and would be in the way.
      const after =
        dryRun && written.get(idOf(resource, keyOf(object))) !== 'deleted'
          ? await client.create(resource, object, full(options))
          : { ...object, metadata: { ...object.metadata, uid: 'new', resourceVersion: '' } };
      written.set(idOf(resource, keyOf(object)), 'created');
      planned({ side, verb: 'create', resource, key: keyOf(object), after });
      return answer<T>(after);
    },
    async update<T extends KubeObject = UnstructuredObject>(
      resource: Resource,
      object: KubeObject,
      options?: WriteOptions,
    ) {
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
    async patch<T extends KubeObject = UnstructuredObject>(
      resource: Resource,
      key: ObjectKey,
      patch: Patch,
      options?: WriteOptions,
    ) {
      if (options?.dryRun === true) return client.patch<T>(resource, key, patch, options);
      const before = known(resource, key);
      const after = await changed(resource, key, patched(before, patch), () =>
        client.patch(resource, key, patch, full(options)),
      );
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
