import { expect } from '@jest/globals';
import type { SampleApi } from '@hawser/installation';
import { annotations, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import {
  LONG,
  type ServiceObject,
  type Sides,
  copyKey,
  gone,
  hasSyncerFinalizer,
  objectOf,
  report,
  resourceOf,
  synced,
} from './copies.js';
import type { BoundApi } from './system.js';

/**
 * Checks the sync of one object: creation, change, status and deletion, each at the place that `spec/konnector.md §9.3`
 * requires.
 * @param konnector another make adds its finalizer to the object a moment after it has created the copy.
 */
export async function keepsInStep(
  system: Sides,
  bound: BoundApi,
  api: SampleApi,
  namespace?: string,
  konnector: 'ours' | 'another' = 'ours',
): Promise<void> {
  const key = { name: 'one', ...(namespace === undefined ? {} : { namespace }) };
  const resource = resourceOf(api);
  await system.consumer.apply(objectOf(api, key, { size: 'small', replicas: 1 }));
  const { object, copy } = await synced(system, bound, api, key);
  expect(copy.spec).toEqual({ size: 'small', replicas: 1 });
  expect(copy.metadata.annotations).toMatchObject({
    [annotations.clusterNamespace]: bound.clusterNamespace,
    [annotations.consumerNamespace]: namespace ?? '',
    [annotations.consumerUID]: object.metadata.uid,
  });
  expect(copy.metadata.finalizers).toBeUndefined();
  expect(object.metadata.annotations).toMatchObject({ [annotations.providerNamespace]: copy.metadata.namespace ?? '' });
  if (konnector === 'ours') expect(hasSyncerFinalizer(object)).toBe(true);
  else
    await eventually(async () => {
      expect(hasSyncerFinalizer(await system.consumer.client.get(resource, key))).toBe(true);
    }, LONG);
  const home = await system.provider.client.get(resources.namespaces, { name: bound.clusterNamespace });
  const owner = { apiVersion: 'v1', kind: 'Namespace', name: bound.clusterNamespace, uid: home.metadata.uid };
  expect(copy.metadata.ownerReferences ?? []).toEqual(copy.metadata.namespace === undefined ? [owner] : []);

  await system.consumer.apply(objectOf(api, key, { size: 'large', replicas: 2 }));
  await eventually(async () => {
    expect((await system.provider.client.get<ServiceObject>(resource, copyKey(bound, key))).spec).toEqual({
      size: 'large',
      replicas: 2,
    });
  }, LONG);
  await report(system, bound, api, key, { phase: 'Ready', endpoint: 'db.example.com:5432' });
  await eventually(async () => {
    expect((await system.consumer.client.get<ServiceObject>(resource, key)).status).toEqual({
      phase: 'Ready',
      endpoint: 'db.example.com:5432',
    });
  }, LONG);

  await system.consumer.kubectl([
    'delete',
    `${api.plural}.${api.group}`,
    key.name,
    ...(namespace === undefined ? [] : ['-n', namespace]),
    '--timeout=60s',
  ]);
  await gone(() => system.consumer.find(resource, key));
  expect(await system.provider.find(resource, copyKey(bound, key))).toBeUndefined();
}
