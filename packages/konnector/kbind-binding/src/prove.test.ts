import { type ApiServer, DirectDispatcher, administrator, createApiServer } from '@hawser/apiserver';
import { type Client, createClient, type KubeObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { annotations, type Binding, finalizers, installCRDs, labels, resources } from '@hawser/core-kbind';
import { customResourceDefinitions } from '@hawser/crd';
import { crdOf } from '@hawser/installation';
import type { DeletionProof } from '@hawser/konnector-sync';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { readProof } from './prove.js';

const api = 'databases.example.com';

let server: ApiServer;
let client: Client;
let binding: Binding;

beforeEach(async () => {
  server = createApiServer({ controllerManager: false });
  client = createClient({
    name: 'consumer',
    connection: { server: 'http://api.test', credentials: { kind: 'none' } },
    dispatcher: () => new DirectDispatcher({ server: () => server, user: administrator }),
  });
  await installCRDs(client, { clock: systemClock });
  const crd = crdOf(
    { group: 'example.com', plural: 'databases', kind: 'Database', scope: 'Namespaced' },
    { properties: {} },
  );
  await client.create(customResourceDefinitions, {
    ...crd,
    metadata: {
      ...crd.metadata,
      labels: { [labels.managed]: 'true' },
      annotations: { [annotations.connection]: 'demo' },
    },
  });
  binding = await client.create<Binding>(resources.clusterBindings, {
    apiVersion: 'core.kbind.io/v1alpha1',
    kind: 'ClusterBinding',
    metadata: { name: 'one', finalizers: [finalizers.cleanup] },
    spec: { connectionRef: { name: 'demo' }, apis: [{ name: api }] },
  } as KubeObject);
});
afterEach(async () => {
  await client.close();
  server.stop();
});

const prove = (isDraining: boolean): Promise<DeletionProof> => readProof(client, binding, api, isDraining);
const unbind = (): Promise<unknown> => client.delete(resources.clusterBindings, { name: 'one' });

it('shows a deletion to be the wish of a user while the binding stands', async () => {
  expect(await prove(false)).toEqual({ kind: 'byUser' });
});

it('lets copies go for a binding that goes', async () => {
  await unbind();
  expect(await prove(true)).toEqual({ kind: 'byUser' });
});

it('lets no copy go for a binding that a backup has restored', async () => {
  const backup = server.store.snapshot();
  await unbind();
  server.store.restore({ ...backup, revision: server.store.revision + 1_000 });
  expect(await prove(true)).toEqual({ kind: 'bindingStands' });
});

it('lets go of the objects of a binding that was made anew', async () => {
  await client.patch(
    resources.clusterBindings,
    { name: 'one' },
    { type: 'merge', patch: { metadata: { finalizers: null } } },
  );
  await unbind();
  const { metadata, ...rest } = binding;
  await client.create(resources.clusterBindings, { ...rest, metadata: { name: metadata.name } });
  expect(await prove(true)).toEqual({ kind: 'unbinding' });
});
