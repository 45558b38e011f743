import {
  type ApiServer,
  DirectDispatcher,
  type RequestInfo,
  type StoreSnapshot,
  administrator,
  createApiServer,
} from '@hawser/apiserver';
import { type Client, type KubeObject, createClient, getIfExists } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { Controller } from '@hawser/controller';
import { type SharedInformers, createSharedInformers } from '@hawser/informer';
import {
  type APIServiceBinding,
  type CustomResourceDefinition,
  consumerCRDs,
  finalizers,
  hawserAnnotations,
  installCRDs,
  kubeBindDialect,
  resources,
} from '@hawser/kube-bind';
import { noEvents, noMetrics, silentLogger } from '@hawser/telemetry';
import { eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createFinalizerRelease } from './finalizer-release.js';
import { createUnbinding } from './unbinding.js';

const crd = { name: 'databases.example.com' };
const databases = { group: 'example.com', version: 'v1', resource: 'databases' };
const one = { namespace: 'default', name: 'one' };
const binding = { name: 'databases' };

let server: ApiServer;
let people: Client;
let informers: SharedInformers;
let controller: Controller<'consumer'>;
let closers: (() => Promise<void>)[];
/** Requests of the controller, without those of its caches. */
let requests: string[];
let refuses: (request: RequestInfo) => boolean;
let isBlind: boolean;

const options: Parameters<typeof createApiServer>[0] = {
  faults: (request, info) => {
    if (request.headers['user-agent'] !== 'controller') return undefined;
    requests.push(`${info.verb} ${info.resource}`);
    return refuses(info) ? { instead: failure } : undefined;
  },
};
const failure = {
  status: 500,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ apiVersion: 'v1', kind: 'Status', status: 'Failure', reason: 'InternalError', code: 500 }),
};

function open(userAgent: string, current = (): ApiServer | undefined => server): Client {
  const client = createClient({
    name: 'consumer',
    connection: { server: 'https://consumer.invalid', credentials: { kind: 'none' } },
    dispatcher: () => new DirectDispatcher({ server: current, user: administrator }),
    userAgent,
  });
  closers.push(() => client.close());
  return client;
}

async function start(made: Controller<'consumer'>): Promise<void> {
  controller = made;
  const telemetry = { clock: systemClock, random: Math.random, logger: silentLogger, metrics: noMetrics };
  informers = createSharedInformers({ client: open('caches', () => (isBlind ? undefined : server)), ...telemetry });
  const consumer = { name: 'consumer', client: open('controller'), informers, events: noEvents };
  await controller.start({ clusters: { consumer }, ...telemetry, signal: new AbortController().signal });
}

/** The server has the state of the backup again, with higher revisions, and no cache follows it until `see`. */
function restore(backup: StoreSnapshot): void {
  isBlind = true;
  const { store } = server;
  server.stop('abrupt');
  store.restore({ ...backup, revision: store.revision + 1_000 });
  server = createApiServer({ ...options, store });
}

beforeEach(async () => {
  closers = [];
  requests = [];
  refuses = () => false;
  isBlind = false;
  server = createApiServer(options);
  people = open('people');
  await installCRDs(people, consumerCRDs, { clock: systemClock });
});
afterEach(async () => {
  isBlind = false;
  await controller.stop();
  await informers.close();
  for (const close of closers) await close();
  server.stop();
});

const createBinding = (annotations: Readonly<Record<string, string>>): Promise<KubeObject> =>
  people.create(resources.apiServiceBindings, {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceBinding',
    metadata: { ...binding, annotations },
    spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'kubeconfig', key: 'kubeconfig' } },
  } as KubeObject);

async function bind(annotations: Readonly<Record<string, string>>, held: readonly string[] = []): Promise<void> {
  const { metadata, apiVersion, kind } = await createBinding(annotations);
  await people.create(resources.customResourceDefinitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      ...crd,
      ownerReferences: [{ apiVersion, kind, ...binding, uid: metadata.uid ?? '', controller: true }],
    },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'databases', singular: 'database', kind: 'Database', listKind: 'DatabaseList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  } as KubeObject);
  const metadataOfOne = { ...one, finalizers: held };
  await eventually(() =>
    people.create(databases, { apiVersion: 'example.com/v1', kind: 'Database', metadata: metadataOfOne }),
  );
}

const read = (): Promise<APIServiceBinding | undefined> =>
  getIfExists<APIServiceBinding>(people, resources.apiServiceBindings, binding);
const definition = (): Promise<CustomResourceDefinition | undefined> =>
  getIfExists<CustomResourceDefinition>(people, resources.customResourceDefinitions, crd);
async function isHeld(): Promise<void> {
  await eventually(async () => {
    expect((await read())?.metadata.finalizers).toEqual([finalizers.unbind]);
  });
}
/** Three more requests, of that kind. */
async function looksOn(request?: string): Promise<void> {
  requests.length = 0;
  await eventually(() => {
    expect(requests.filter((made) => request === undefined || made === request).length).toBeGreaterThanOrEqual(3);
  });
}

it('deletes no object of a binding that a backup has restored', async () => {
  await bind({ [hawserAnnotations.unbindPolicy]: 'Delete' });
  await start(createUnbinding({ dialect: kubeBindDialect, recordNamespace: 'default' }));
  await isHeld();
  const backup = server.store.snapshot();
  refuses = ({ verb }) => verb === 'delete';
  await people.delete(resources.apiServiceBindings, binding);
  await looksOn('delete databases');

  restore(backup);
  refuses = () => false;
  await looksOn();
  expect((await people.get(databases, one)).metadata.deletionTimestamp).toBeUndefined();
  expect((await definition())?.metadata.deletionTimestamp).toBeUndefined();
});

it('holds a binding whose CRD a backup has restored', async () => {
  await bind({ [hawserAnnotations.unbindPolicy]: 'Delete' }, ['example.com/kept']);
  await start(createUnbinding({ dialect: kubeBindDialect, recordNamespace: 'default' }));
  await isHeld();
  refuses = ({ verb }) => verb === 'delete';
  await people.delete(resources.apiServiceBindings, binding);
  await looksOn('delete databases');
  const backup = server.store.snapshot();
  refuses = ({ verb, resource, subresource }) =>
    verb === 'patch' && resource === 'apiservicebindings' && subresource === '';
  await people.patch(databases, one, { type: 'merge', patch: { metadata: { finalizers: null } } });
  await eventually(async () => {
    expect(await definition()).toBeUndefined();
  });
  await looksOn('patch apiservicebindings');

  restore(backup);
  refuses = () => false;
  requests.length = 0;
  await eventually(async () => {
    expect(requests.length >= 3 || (await read()) === undefined).toBe(true);
  });
  expect((await read())?.metadata.finalizers).toEqual([finalizers.unbind]);
  expect((await definition())?.metadata.deletionTimestamp).toBeUndefined();

  isBlind = false;
  await people.patch(databases, one, { type: 'merge', patch: { metadata: { finalizers: null } } });
  await eventually(async () => {
    expect(await read()).toBeUndefined();
  });
  expect(await definition()).toBeUndefined();
});

it('lets go of no object whose CRD belongs to another binding in a restored backup', async () => {
  await bind({}, [finalizers.syncer]);
  const backup = server.store.snapshot();
  await people.delete(resources.apiServiceBindings, binding, { propagationPolicy: 'Orphan' });
  await eventually(async () => {
    expect(await read()).toBeUndefined();
  });
  const { apiVersion, kind, metadata } = await createBinding({});
  await people.patch(resources.customResourceDefinitions, crd, {
    type: 'merge',
    patch: { metadata: { ownerReferences: [{ apiVersion, kind, ...binding, uid: metadata.uid, controller: true }] } },
  });
  await start(createFinalizerRelease(kubeBindDialect));
  refuses = ({ verb }) => verb === 'patch';
  await people.delete(resources.apiServiceBindings, binding);
  await looksOn('patch databases');

  restore(backup);
  refuses = () => false;
  await looksOn();
  expect((await people.get(databases, one)).metadata.finalizers).toEqual([finalizers.syncer]);
});
