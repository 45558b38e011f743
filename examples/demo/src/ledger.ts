import type { Client, KubeObject, Resource, WriteOptions } from '@hawser/client';

/** An object that the demo created. */
export interface Created {
  readonly resource: Resource;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid: string;
}

/** Objects that the demo created on a cluster, in order. It removes nothing else. */
export type Ledger = readonly Created[];

/** The same client, with its creations recorded. */
export function recordCreations(client: Client): { readonly client: Client; readonly ledger: Ledger } {
  const ledger: Created[] = [];
  const create = async <T extends KubeObject>(
    resource: Resource,
    object: KubeObject,
    options?: WriteOptions,
  ): Promise<T> => {
    const created = await client.create<T>(resource, object, options);
    const { name, namespace, uid } = created.metadata;
    ledger.push({ resource, name, uid: uid ?? '', ...(namespace === undefined ? {} : { namespace }) });
    return created;
  };
  const recording = new Proxy(client, {
    get(target, property) {
      if (property === 'create') return create;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { client: recording, ledger };
}
