import { DirectDispatcher, administrator, createApiServer } from '@hawser/apiserver';
import { type Resource, createClient } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { type SharedInformers, createSharedInformers } from '@hawser/informer';
import { type APIServiceBinding, type CustomResourceDefinition, resources } from '@hawser/kube-bind';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type LandingNamespaces, boundResource, createLandingNamespaces, landingsOf } from './landing.js';

const server = (): {
  readonly open: ReturnType<typeof createApiServer>;
  readonly client: ReturnType<typeof createClient>;
  readonly informers: SharedInformers;
} => {
  const open = createApiServer({ controllerManager: false });
  const clock = new FakeClock();
  const client = createClient({
    name: 'consumer',
    connection: { server: 'http://api.test', credentials: { kind: 'none' } },
    clock,
    random: () => 0.5,
    dispatcher: () => new DirectDispatcher({ server: () => open, user: administrator }),
  });
  return {
    open,
    client,
    informers: createSharedInformers({ client, clock, random: () => 0.5, logger: silentLogger, metrics: noMetrics }),
  };
};
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
};

describe('namespaces into which claims bring objects', () => {
  let consumer: ReturnType<typeof server>;
  let landings: LandingNamespaces;
  /** What was told to have opened; undefined: more is known of all. */
  let opened: (string | undefined)[];

  const namespace = (
    name: string,
    labels: Record<string, string> = {},
    annotations: Record<string, string> = {},
  ): Promise<unknown> =>
    consumer.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels, annotations },
    });
  const create = (
    resource: Resource,
    at: string,
    name: string,
    annotations: Record<string, string> = {},
  ): Promise<unknown> =>
    consumer.client.create(resource, {
      apiVersion: 'v1',
      kind: resource.resource === 'secrets' ? 'Secret' : 'ConfigMap',
      metadata: { namespace: at, name, annotations },
    });
  const remove = (name: string): Promise<unknown> =>
    consumer.client.delete(resources.configMaps, { namespace: 'team', name });
  const bind = async (...bound: readonly Resource[]): Promise<void> => {
    landings.set(bound);
    await turns();
    opened.length = 0;
  };
  const cached = (): readonly string[] => consumer.informers.active.map(({ spec }) => spec.resource.resource).sort();

  beforeEach(async () => {
    consumer = server();
    await namespace('team');
    opened = [];
    landings = createLandingNamespaces(consumer.informers, 'identity', (name) => {
      opened.push(name);
    });
  });
  afterEach(async () => {
    landings.close();
    await consumer.informers.close();
    await consumer.client.close();
    consumer.open.stop();
  });

  it('are not opened by objects that the konnector brought from the provider, which chose where they stand', async () => {
    const brought = { 'hawser.dev/adopted-from': 'uid-on-the-provider' };
    await namespace('argocd');
    await create(resources.configMaps, 'argocd', 'brought', brought);
    await create(resources.configMaps, 'team', 'brought', brought);
    await create(resources.configMaps, 'team', 'own');
    landings.set([resources.configMaps]);
    await turns();
    expect([landings.of('argocd'), landings.of('team')]).toEqual(['closed', 'open']);
    expect(opened).not.toContain('argocd');

    // The consumer takes it on by taking the mark off.
    await consumer.client.patch(
      resources.configMaps,
      { namespace: 'argocd', name: 'brought' },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/adopted-from': null } } } },
    );
    await remove('own');
    await turns();
    expect([landings.of('argocd'), landings.of('team')]).toEqual(['open', 'closed']);
    expect(opened).toContain('argocd');
    await consumer.client.delete(resources.configMaps, { namespace: 'argocd', name: 'brought' });
    await turns();
    expect(landings.of('argocd')).toBe('closed');
  });

  it('are told as open with their first bound object, and with no other', async () => {
    await bind(resources.configMaps);
    await create(resources.configMaps, 'team', 'one');
    await turns();
    expect(opened).toEqual(['team']);
    await create(resources.configMaps, 'team', 'two');
    await remove('one');
    await turns();
    expect([opened, landings.of('team')]).toEqual([['team'], 'open']);
  });

  it('are not known before namespaces and bound objects are listed, and that they are is told', async () => {
    expect(landings.of('team')).toBe('unknown');
    await turns();
    expect([landings.of('team'), landings.of('nowhere'), opened.includes(undefined)]).toEqual([
      'closed',
      'closed',
      true,
    ]);
    opened.length = 0;
    landings.set([resources.configMaps]);
    expect(landings.of('team')).toBe('unknown');
    await turns();
    expect([landings.of('team'), opened.includes(undefined)]).toEqual(['closed', true]);
  });

  it('stay closed where a bound resource cannot be listed', async () => {
    await bind(resources.configMaps, { group: 'example.com', version: 'v1', resource: 'things' });
    expect(landings.of('team')).toBe('closed');
  });

  it('are those of the resources that are bound now', async () => {
    await create(resources.configMaps, 'team', 'one');
    await namespace('other');
    await create(resources.secrets, 'other', 'one');
    await bind(resources.configMaps, resources.secrets);
    expect([landings.of('team'), landings.of('other'), cached()]).toEqual([
      'open',
      'open',
      ['configmaps', 'namespaces', 'secrets'],
    ]);
    landings.set([resources.configMaps]);
    // What stays bound is not listed again.
    expect([landings.of('team'), landings.of('other'), cached()]).toEqual([
      'open',
      'closed',
      ['configmaps', 'namespaces'],
    ]);
    landings.close();
    expect(cached()).toEqual([]);
    expect(() => landings.of('team')).toThrow('released or stopped');
  });

  const madeFor = { 'hawser.dev/provider-identity': 'identity' };
  it.each<[string, Record<string, string>, Record<string, string>, string]>([
    ['was made for the provider', { 'kube-bind.io/owner': 'provider' }, madeFor, 'open'],
    [
      'was made for another provider',
      { 'kube-bind.io/owner': 'provider' },
      { 'hawser.dev/provider-identity': 'another' },
      'closed',
    ],
    ['bears the label alone', { 'kube-bind.io/owner': 'provider' }, {}, 'closed'],
    ['bears the annotation alone', {}, madeFor, 'closed'],
    ["is the consumer's by its label", { 'kube-bind.io/owner': 'consumer' }, madeFor, 'closed'],
  ])('a namespace that %s', async (_, labels, annotations, expected) => {
    await bind();
    await namespace('new', labels, annotations);
    await consumer.client.patch(
      resources.namespaces,
      { name: 'team' },
      { type: 'merge', patch: { metadata: { labels, annotations } } },
    );
    await turns();
    expect([landings.of('new'), landings.of('team')]).toEqual([expected, expected]);
    expect([...opened].sort()).toEqual(expected === 'open' ? ['new', 'team'] : []);
  });
});

describe('a binding', () => {
  const binding = (annotations: Record<string, string> = {}): APIServiceBinding =>
    ({
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceBinding',
      metadata: { name: 'databases.example.com', uid: 'binding-uid', annotations },
      spec: {},
    }) as unknown as APIServiceBinding;
  const crd = (scope: string, owner: string): CustomResourceDefinition => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: 'databases.example.com',
      ownerReferences: [
        {
          apiVersion: 'kube-bind.io/v1alpha2',
          kind: 'APIServiceBinding',
          name: 'databases.example.com',
          uid: owner,
          controller: true,
        },
      ],
    },
    spec: {
      group: 'example.com',
      scope,
      names: { plural: 'databases', kind: 'Database' },
      versions: [{ name: 'v1', served: true, storage: true }],
    },
  });

  it.each<[string, string, string, boolean]>([
    ['opens the namespaces of its objects', 'Namespaced', 'binding-uid', true],
    ['opens none where its objects stand in none', 'Cluster', 'binding-uid', false],
    ['opens none by the CRD of another one', 'Namespaced', 'another-uid', false],
  ])('%s', (_, scope, owner, opens) => {
    expect(boundResource(crd(scope, owner), binding())).toEqual(
      opens ? { group: 'example.com', version: 'v1', resource: 'databases' } : undefined,
    );
  });

  it.each<[string | undefined, readonly string[]]>([
    [undefined, []],
    ['', []],
    ['team', ['team']],
    [' a, b,\n c ,', ['a', 'b', 'c']],
  ])('annotated %j opens besides %j', (value, names) => {
    expect(landingsOf(binding(value === undefined ? {} : { 'hawser.dev/claim-namespaces': value }))).toEqual(names);
  });
});
