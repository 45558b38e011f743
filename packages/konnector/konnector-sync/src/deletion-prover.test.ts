import { type ApiServer, DirectDispatcher, administrator, createApiServer } from '@hawser/apiserver';
import { type Client, type UnstructuredObject, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { crdOf } from '@hawser/installation';
import { consumerCRDs, installCRDs, resources } from '@hawser/kube-bind';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type DeletionProver, createDeletionProver } from './deletion-prover.js';

const { apiServiceBindings: bindings, customResourceDefinitions: crds } = resources;
const crdName = 'databases.example.com';

let server: ApiServer;
let client: Client;
let reads: string[];
let uid: string;
let prover: DeletionProver;

const open = (handler: Pick<ApiServer, 'handle'>): Client =>
  createClient({
    name: 'consumer',
    connection: { server: 'http://api.test', credentials: { kind: 'none' } },
    clock: systemClock,
    random: Math.random,
    dispatcher: () => new DirectDispatcher({ server: () => handler, user: administrator }),
  });
const bind = async (metadata: object = {}): Promise<string> => {
  const made = await client.create(bindings, {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceBinding',
    metadata: { name: 'databases', ...metadata },
    spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'kubeconfig', key: 'kubeconfig' } },
  } as UnstructuredObject);
  return made.metadata.uid ?? '';
};
const crd = (owner: string, finalizers: readonly string[] = []): UnstructuredObject => {
  const definition = crdOf(
    { group: 'example.com', plural: 'databases', kind: 'Database', scope: 'Namespaced' },
    { properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
  );
  return {
    ...definition,
    metadata: {
      ...definition.metadata,
      finalizers,
      ownerReferences: [
        {
          apiVersion: 'kube-bind.io/v1alpha2',
          kind: 'APIServiceBinding',
          name: 'databases',
          uid: owner,
          controller: true,
        },
      ],
    },
  };
};

beforeEach(async () => {
  reads = [];
  server = createApiServer({ controllerManager: false });
  client = open(server);
  await installCRDs(client, consumerCRDs, { clock: systemClock });
  uid = await bind({ finalizers: ['hawser.dev/unbind'] });
  const counted = open({
    handle: (request, sink) => {
      reads.push(request.path);
      return server.handle(request, sink);
    },
  });
  prover = createDeletionProver({
    consumer: counted,
    bindings,
    customResourceDefinitions: crds,
    binding: { name: 'databases', uid },
    crdName,
  });
});
afterEach(() => {
  server.stop();
});

describe('a deletion', () => {
  it("is the user's while binding and CRD stand, and belong together", async () => {
    await client.create(crds, crd(uid));
    expect(await prover.prove()).toEqual({ kind: 'byUser' });
  });

  it('proves nothing without the CRD', async () => {
    expect(await prover.prove()).toEqual({ kind: 'crdTerminating' });
  });

  it('proves nothing while the CRD goes: the API server deletes its objects', async () => {
    await client.create(crds, crd(uid, ['example.com/held']));
    await client.delete(crds, { name: crdName });
    expect(await prover.prove()).toEqual({ kind: 'crdTerminating' });
  });

  it("proves nothing where the CRD is another's", async () => {
    await client.create(crds, crd('another-uid'));
    expect(await prover.prove()).toEqual({ kind: 'crdForeign' });
  });

  it('proves nothing while the binding goes, or when it is gone, or was made anew', async () => {
    await client.create(crds, crd(uid));
    await client.delete(bindings, { name: 'databases' });
    expect(await prover.prove()).toEqual({ kind: 'unbinding' });
    await client.patch(bindings, { name: 'databases' }, { type: 'merge', patch: { metadata: { finalizers: null } } });
    expect(await prover.prove()).toEqual({ kind: 'unbinding' });
    await bind();
    expect(await prover.prove()).toEqual({ kind: 'unbinding' });
  });

  it('of what is broken open lets go of nothing before that is recorded', async () => {
    await client.create(crds, crd(uid));
    await client.patch(
      bindings,
      { name: 'databases' },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/release': 'the provider is gone' } } } },
    );
    await client.delete(bindings, { name: 'databases' });
    expect(await prover.prove()).toEqual({ kind: 'bindingStands' });
    await client.patch(bindings, { name: 'databases' }, { type: 'merge', patch: { metadata: { finalizers: null } } });
    expect(await prover.prove()).toEqual({ kind: 'unbinding' });
  });

  it.each([
    ['Delete', 'byUser'],
    ['Block', 'crdTerminating'],
  ])('of what goes with the CRD under the unbind policy %s is %s', async (policy, kind) => {
    await client.create(crds, crd(uid, ['example.com/held']));
    await client.patch(
      bindings,
      { name: 'databases' },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/unbind-policy': policy } } } },
    );
    await client.delete(bindings, { name: 'databases' });
    await client.delete(crds, { name: crdName });
    expect(await prover.prove()).toEqual({ kind });
  });
});

describe('a thousand deletions', () => {
  it('cost a few reads, and whoever asks later is told how things are then', async () => {
    await client.create(crds, crd(uid));
    const first = prover.prove();
    await client.delete(crds, { name: crdName });
    const later = await Promise.all(Array.from({ length: 1_000 }, () => prover.prove()));
    expect(await first).toBeDefined();
    expect(new Set(later.map(({ kind }) => kind))).toEqual(new Set(['crdTerminating']));
    expect(reads.length).toBeLessThanOrEqual(4);
  });
});

it('hears of a read that fails', async () => {
  const failing = createDeletionProver({
    consumer: open({
      handle: (request, sink) =>
        server.handle(
          { ...request, path: request.path.replace('customresourcedefinitions/', 'customresourcedefinitions/-/') },
          sink,
        ),
    }),
    bindings,
    customResourceDefinitions: crds,
    binding: { name: 'databases', uid },
    crdName,
  });
  await client.create(crds, crd(uid));
  await expect(failing.prove()).rejects.toThrow();
});
