import { ApiError, type Client, type OwnerReference } from '@hawser/client';
import type { InformerHandle } from '@hawser/informer';
import { roughEdge } from '@hawser/testenv';
import { describe, expect, it } from '@jest/globals';
import { type ServiceNamespaceObject, createServiceNamespaces } from './service-namespaces.js';

const owner = (name: string): OwnerReference => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceExport',
  name,
  uid: `uid-${name}`,
});

roughEdge('R35', 'an APIServiceNamespace belongs to every export that uses it, not to the first alone', async () => {
  let stored: ServiceNamespaceObject = {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceNamespace',
    metadata: {
      name: 'team-a',
      namespace: 'kube-bind-x',
      uid: 'u',
      resourceVersion: '1',
      ownerReferences: [owner('databases')],
    },
  };
  const client: Partial<Client> = {
    patch: ((_resource: unknown, _key: unknown, { patch }: { readonly patch: ServiceNamespaceObject }) =>
      Promise.resolve({ ...stored, metadata: { ...stored.metadata, ...patch.metadata } })) as Client['patch'],
  };
  const informer: Partial<InformerHandle<ServiceNamespaceObject>> = {
    addIndex: () => undefined,
    get: () => stored,
    observe: (object) => {
      stored = object;
    },
  };
  const resource = { group: 'kube-bind.io', version: 'v1alpha2', resource: 'apiservicenamespaces' };
  const namespaces = createServiceNamespaces({
    client: client as Client,
    resource,
    clusterNamespace: 'kube-bind-x',
    informer: informer as InformerHandle<ServiceNamespaceObject>,
    now: () => 0,
  });
  await namespaces.share('team-a', owner('zones'), new AbortController().signal);
  expect(stored.metadata.ownerReferences).toEqual([owner('databases'), owner('zones')]);
});

describe('an owner of an APIServiceNamespace', () => {
  const signal = new AbortController().signal;
  const resource = { group: 'kube-bind.io', version: 'v1alpha2', resource: 'apiservicenamespaces' };
  const made = (owners: readonly OwnerReference[], annotations = {}): ServiceNamespaceObject => ({
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceNamespace',
    metadata: {
      name: 'team-a',
      namespace: 'kube-bind-x',
      uid: 'u',
      resourceVersion: '1',
      annotations,
      ownerReferences: owners,
    },
  });
  /** A cache and a server with an object; `fails`: of so many writes, with that. */
  const open = (
    cached: ServiceNamespaceObject,
    stored: ServiceNamespaceObject,
    fails: { times: number; code: 'Conflict' | 'Forbidden' },
    time = { now: 0 },
  ) => {
    const state = { cached, stored, writes: 0 };
    const client: Partial<Client> = {
      get: (() => Promise.resolve(state.stored)) as unknown as Client['get'],
      patch: ((_resource: unknown, _key: unknown, { patch }: { readonly patch: ServiceNamespaceObject }) => {
        state.writes++;
        if (fails.times-- > 0)
          return Promise.reject(
            new ApiError(fails.code, fails.code, {
              cluster: 'provider',
              verb: 'patch',
              resource: 'apiservicenamespaces',
            }),
          );
        state.stored = { ...state.stored, metadata: { ...state.stored.metadata, ...patch.metadata } };
        return Promise.resolve(state.stored);
      }) as Client['patch'],
    };
    const informer: Partial<InformerHandle<ServiceNamespaceObject>> = {
      addIndex: () => undefined,
      get: () => state.cached,
      observe: (object) => {
        state.cached = object;
      },
    };
    const namespaces = createServiceNamespaces({
      client: client as Client,
      resource,
      clusterNamespace: 'kube-bind-x',
      informer: informer as InformerHandle<ServiceNamespaceObject>,
      now: () => time.now,
    });
    return { namespaces, state };
  };

  it('is added after a conflict too, beside those that came in between, and once for many objects', async () => {
    const { namespaces, state } = open(made([owner('databases')]), made([owner('databases'), owner('queues')]), {
      times: 1,
      code: 'Conflict',
    });
    await Promise.all([1, 2, 3].map(() => namespaces.share('team-a', owner('zones'), signal)));
    expect(state.stored.metadata.ownerReferences).toEqual(['databases', 'queues', 'zones'].map(owner));
    expect(state.writes).toBe(2);
    expect(namespaces.unshared('team-a', owner('zones'))).toBeUndefined();
  });

  it('stays to be added after a conflict that lasts, which is told', async () => {
    const { namespaces } = open(made([owner('databases')]), made([owner('databases')]), {
      times: 99,
      code: 'Conflict',
    });
    await expect(namespaces.share('team-a', owner('zones'), signal)).rejects.toMatchObject({ code: 'Conflict' });
    expect(namespaces.unshared('team-a', owner('zones'))).toBe('foreign');
  });

  it('is not asked for again for ten minutes where the provider does not let its consumers write it', async () => {
    const time = { now: 0 };
    const { namespaces } = open(
      made([owner('databases')]),
      made([owner('databases')]),
      { times: 1, code: 'Forbidden' },
      time,
    );
    await namespaces.share('team-a', owner('zones'), signal);
    expect(namespaces.unshared('team-a', owner('zones'))).toBeUndefined();
    time.now = 600_000;
    expect(namespaces.unshared('team-a', owner('zones'))).toBe('foreign');
  });

  it('is missing or not, and one that nobody owns stays so', () => {
    const of = (object: ServiceNamespaceObject): unknown =>
      open(object, object, { times: 0, code: 'Conflict' }).namespaces.unshared('team-a', owner('zones'));
    expect(of(made([owner('databases')], { 'hawser.dev/consumer-identity': 'c' }))).toBe('ours');
    expect(of(made([owner('databases')]))).toBe('foreign');
    expect(of(made([owner('zones')]))).toBeUndefined();
    expect(of(made([]))).toBeUndefined();
  });
});
