import type { KubeObject, ObjectKey, Resource } from '@hawser/client';
import type { SampleApi } from '@hawser/installation';
import { annotations, finalizers, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import type { BoundApi, System } from './system.js';

/** Two clusters with a konnector between them. */
export type Sides = Pick<System, 'consumer' | 'provider'>;

/** An object of a bound API, as seen by users and the service's operator. */
export interface ServiceObject extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export function resourceOf({ group, plural }: SampleApi): Resource {
  return { group, version: 'v1', resource: plural };
}

export function objectOf(
  api: SampleApi,
  key: ObjectKey,
  spec: Readonly<Record<string, unknown>> = { size: 'small' },
): ServiceObject {
  return {
    apiVersion: `${api.group}/v1`,
    kind: api.kind,
    metadata: { name: key.name, ...(key.namespace === undefined ? {} : { namespace: key.namespace }) },
    spec,
  };
}

/** Key of the copy according to the contract (`spec/konnector.md §8`). */
export function copyKey(bound: BoundApi, { namespace, name }: ObjectKey): ObjectKey {
  if (namespace !== undefined)
    return { namespace: bound.isolation === 'None' ? namespace : `${bound.clusterNamespace}-${namespace}`, name };
  switch (bound.isolation) {
    case 'None':
      return { name };
    case 'Prefixed':
      return { name: `${bound.clusterNamespace}-${name}` };
    case 'Namespaced':
      return { namespace: bound.clusterNamespace, name };
  }
}

export const LONG = { timeoutMs: 60_000, intervalMs: 100 };

/** Waits for the copy and for the consumer's record of it. */
export async function synced(
  system: Sides,
  bound: BoundApi,
  api: SampleApi,
  key: ObjectKey,
): Promise<{ readonly object: ServiceObject; readonly copy: ServiceObject }> {
  return eventually(async () => {
    const copy = await system.provider.client.get<ServiceObject>(resourceOf(api), copyKey(bound, key));
    const object = await system.consumer.client.get<ServiceObject>(resourceOf(api), key);
    if (object.metadata.annotations?.[annotations.providerUID] !== copy.metadata.uid)
      throw new Error(`${key.name}: the consumer does not know its copy yet`);
    return { object, copy };
  }, LONG);
}

/** Writes status to the copy, as the service's operator does. */
export async function report(
  system: Sides,
  bound: BoundApi,
  api: SampleApi,
  key: ObjectKey,
  status: Readonly<Record<string, unknown>>,
): Promise<void> {
  await system.provider.client.patch(
    resourceOf(api),
    copyKey(bound, key),
    { type: 'merge', patch: { status } },
    { subresource: 'status' },
  );
}

export async function gone(find: () => Promise<KubeObject | undefined>): Promise<void> {
  await eventually(async () => {
    const object = await find();
    if (object !== undefined)
      throw new Error(`${object.kind} ${object.metadata.name} is still there: ${JSON.stringify(object.metadata)}`);
  }, LONG);
}

export async function createNamespace(system: Pick<System, 'consumer'>, name: string): Promise<void> {
  await system.consumer.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

export function hasSyncerFinalizer(object: KubeObject): boolean {
  return object.metadata.finalizers?.includes(finalizers.syncer) ?? false;
}

export async function binding(system: System, name: string): Promise<KubeObject> {
  return system.consumer.client.get(resources.apiServiceBindings, { name });
}
