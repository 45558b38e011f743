import type { Client, KubeObject, Resource } from '@hawser/client';
import { resources as kubernetes } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { resources } from '../resources.js';
import { createAppClusterClient, withOwnKubeconfig } from './app-cluster-client.js';

const root = 'klutch-bind-apps-shop';
const databases: Resource = { group: 'example.com', version: 'v1', resource: 'databases' };

/** Answers with what was asked for, and notes it. */
function cluster(name: string, asked: string[]): Client {
  const object = (
    resource: Resource,
    key: { readonly namespace?: string | undefined; readonly name: string },
  ): KubeObject =>
    ({
      apiVersion: 'v1',
      kind: resource.resource,
      metadata: { ...key },
      data: { kubeconfig: 'stored', other: 'stored' },
    }) as KubeObject;
  const note = (
    verb: string,
    { resource }: Resource,
    { namespace, name: of = '' }: { readonly namespace?: string | undefined; readonly name?: string },
  ): void => {
    asked.push(`${name}: ${verb} ${resource} ${namespace ?? '-'}/${of}`);
  };
  // Methods that are inherited, as those of a real one.
  return Object.create({
    name,
    get: (resource: Resource, key: { name: string; namespace?: string }) => {
      note('get', resource, key);
      return Promise.resolve(object(resource, key));
    },
    list: (resource: Resource, { namespace }: { namespace?: string } = {}) => {
      note('list', resource, { ...(namespace === undefined ? {} : { namespace }) });
      return Promise.resolve({ items: [object(resource, { namespace, name: 'one' })], resourceVersion: '1' });
    },
    watch: (resource: Resource, { namespace }: { namespace?: string } = {}) => {
      note('watch', resource, { ...(namespace === undefined ? {} : { namespace }) });
      return Promise.resolve(
        (async function* events() {
          yield await Promise.resolve({ type: 'ADDED', object: object(resource, { namespace, name: 'one' }) });
        })(),
      );
    },
    patch: (resource: Resource, key: { name: string; namespace?: string }) => {
      note('patch', resource, key);
      return Promise.resolve(object(resource, key));
    },
    create: (resource: Resource, made: KubeObject) => {
      note('create', resource, made.metadata);
      return Promise.resolve(made);
    },
    delete: (resource: Resource, key: { name: string; namespace?: string }) => {
      note('delete', resource, key);
      return Promise.resolve({ kind: 'gone' });
    },
  }) as Client;
}

describe('an app cluster that is served from its control plane', () => {
  const asked: string[] = [];
  const client = createAppClusterClient({
    app: cluster('app', asked),
    controlPlane: cluster('control plane', asked),
    rootNamespace: root,
  });
  const done = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    asked.length = 0;
    await work();
    return [...asked];
  };

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'a binding',
      () => client.get(resources.apiServiceBindings, { name: 'x' }),
      `control plane: get apiservicebindings ${root}/x`,
    ],
    [
      'all bindings',
      () => client.list(resources.apiServiceBindings),
      `control plane: list apiservicebindings ${root}/`,
    ],
    [
      'what becomes of bindings',
      () => client.watch(resources.apiServiceBindings),
      `control plane: watch apiservicebindings ${root}/`,
    ],
    [
      'what is said of a binding',
      () => client.patch(resources.apiServiceBindings, { name: 'x' }, { type: 'merge', patch: {} }),
      `control plane: patch apiservicebindings ${root}/x`,
    ],
    [
      'a Secret of the root namespace',
      () => client.get(kubernetes.secrets, { namespace: root, name: 'kubeconfig' }),
      `control plane: get secrets ${root}/kubeconfig`,
    ],
    [
      'a record',
      () =>
        client.create(kubernetes.configMaps, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { namespace: root, name: 'x' },
        }),
      `control plane: create configmaps ${root}/x`,
    ],
    [
      'a Secret of another namespace',
      () => client.get(kubernetes.secrets, { namespace: 'team', name: 'x' }),
      'app: get secrets team/x',
    ],
    ['Secrets everywhere', () => client.list(kubernetes.secrets), 'app: list secrets -/'],
    ['an object', () => client.delete(databases, { namespace: 'team', name: 'x' }), 'app: delete databases team/x'],
    [
      'a CRD',
      () =>
        client.create(kubernetes.customResourceDefinitions, {
          apiVersion: 'v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: 'x' },
        }),
      'app: create customresourcedefinitions -/x',
    ],
  ])('%s', async (_, work, where) => {
    expect(await done(work)).toEqual([where]);
  });

  it('has cluster-scoped bindings', async () => {
    expect((await client.get(resources.apiServiceBindings, { name: 'x' })).metadata).toEqual({ name: 'x' });
    expect((await client.list(resources.apiServiceBindings)).items.map(({ metadata }) => metadata.namespace)).toEqual([
      undefined,
    ]);
    for await (const event of await client.watch(resources.apiServiceBindings))
      expect(event.type === 'BOOKMARK' ? undefined : event.object.metadata.namespace).toBeUndefined();
  });
});

it('a konnector finds its own way to the control plane in Secrets of the root namespace, and nowhere else', async () => {
  const asked: string[] = [];
  const client = withOwnKubeconfig(cluster('control plane', asked), root, 'own');
  await client.patch(databases, { name: 'x' }, { type: 'merge', patch: {} });
  expect(asked).toEqual(['control plane: patch databases -/x']);
  const own = { kubeconfig: Buffer.from('own').toString('base64'), other: Buffer.from('own').toString('base64') };
  expect(await client.get(kubernetes.secrets, { namespace: root, name: 'kubeconfig' })).toMatchObject({ data: own });
  expect((await client.list(kubernetes.secrets, { namespace: root })).items).toMatchObject([{ data: own }]);
  for await (const event of await client.watch(kubernetes.secrets, { namespace: root }))
    expect(event).toMatchObject({ object: { data: own } });
  for (const [kind, namespace] of [
    [kubernetes.secrets, 'team'],
    [kubernetes.configMaps, root],
  ] as const)
    expect(await client.get(kind, { namespace, name: 'kubeconfig' })).toMatchObject({ data: { kubeconfig: 'stored' } });
});
