import { type Client, getIfExists } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { Controller } from '@hawser/controller';
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
import { eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  type LaggingCluster,
  openLaggingCluster,
  telemetry,
} from '../../konnector-connection/src/testing/lagging-cluster.js';
import { createFinalizerRelease } from './finalizer-release.js';
import { bind, binding, createBinding, crd, databases, one } from './testing/bound-databases.js';
import { createUnbinding } from './unbinding.js';

let consumer: LaggingCluster;
let people: Client;
let controller: Controller<'consumer'>;

async function start(made: Controller<'consumer'>): Promise<void> {
  controller = made;
  const context = { ...telemetry, signal: new AbortController().signal };
  await controller.start({ ...context, clusters: { consumer: consumer.cluster } });
}

beforeEach(async () => {
  consumer = openLaggingCluster('consumer');
  ({ people } = consumer);
  await installCRDs(people, consumerCRDs, { clock: systemClock });
});
afterEach(async () => {
  await controller.stop();
  await consumer.close();
});

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
  consumer.requests.length = 0;
  await eventually(() => {
    expect(
      consumer.requests.filter((made) => request === undefined || made.startsWith(request)).length,
    ).toBeGreaterThanOrEqual(3);
  });
}

it('deletes no object of a binding that a backup has restored', async () => {
  await bind(people, { [hawserAnnotations.unbindPolicy]: 'Delete' });
  await start(createUnbinding({ dialect: kubeBindDialect, recordNamespace: 'default' }));
  await isHeld();
  const backup = consumer.backup();
  consumer.refuses = ({ verb }) => verb === 'delete';
  await people.delete(resources.apiServiceBindings, binding);
  await looksOn('delete databases');

  consumer.restore(backup);
  consumer.refuses = () => false;
  await looksOn();
  expect((await people.get(databases, one)).metadata.deletionTimestamp).toBeUndefined();
  expect((await definition())?.metadata.deletionTimestamp).toBeUndefined();
});

it('holds a binding whose CRD a backup has restored', async () => {
  await bind(people, { [hawserAnnotations.unbindPolicy]: 'Delete' }, ['example.com/kept']);
  await start(createUnbinding({ dialect: kubeBindDialect, recordNamespace: 'default' }));
  await isHeld();
  consumer.refuses = ({ verb }) => verb === 'delete';
  await people.delete(resources.apiServiceBindings, binding);
  await looksOn('delete databases');
  const backup = consumer.backup();
  consumer.refuses = ({ verb, resource, subresource }) =>
    verb === 'patch' && resource === 'apiservicebindings' && subresource === '';
  await people.patch(databases, one, { type: 'merge', patch: { metadata: { finalizers: null } } });
  await eventually(async () => {
    expect(await definition()).toBeUndefined();
  });
  await looksOn('patch apiservicebindings');

  consumer.restore(backup);
  consumer.refuses = () => false;
  consumer.requests.length = 0;
  await eventually(async () => {
    expect(consumer.requests.length >= 3 || (await read()) === undefined).toBe(true);
  });
  expect((await read())?.metadata.finalizers).toEqual([finalizers.unbind]);
  expect((await definition())?.metadata.deletionTimestamp).toBeUndefined();

  consumer.see();
  await people.patch(databases, one, { type: 'merge', patch: { metadata: { finalizers: null } } });
  await eventually(async () => {
    expect(await read()).toBeUndefined();
  });
  expect(await definition()).toBeUndefined();
});

it('lets go of no object whose CRD belongs to another binding in a restored backup', async () => {
  await bind(people, {}, [finalizers.syncer]);
  const backup = consumer.backup();
  await people.delete(resources.apiServiceBindings, binding, { propagationPolicy: 'Orphan' });
  await eventually(async () => {
    expect(await read()).toBeUndefined();
  });
  const { apiVersion, kind, metadata } = await createBinding(people, {});
  await people.patch(resources.customResourceDefinitions, crd, {
    type: 'merge',
    patch: { metadata: { ownerReferences: [{ apiVersion, kind, ...binding, uid: metadata.uid, controller: true }] } },
  });
  await start(createFinalizerRelease(kubeBindDialect));
  consumer.refuses = ({ verb }) => verb === 'patch';
  await people.delete(resources.apiServiceBindings, binding);
  await looksOn('patch databases');

  consumer.restore(backup);
  consumer.refuses = () => false;
  await looksOn();
  expect((await people.get(databases, one)).metadata.finalizers).toEqual([finalizers.syncer]);
});
