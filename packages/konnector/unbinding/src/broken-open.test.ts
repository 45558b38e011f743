import { type Client, type KubeObject, getIfExists } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { Controller } from '@hawser/controller';
import {
  type APIServiceBinding,
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
import { bind, binding, crd, databases, one } from './testing/bound-databases.js';
import { createUnbinding } from './unbinding.js';

let consumer: LaggingCluster;
let people: Client;
let running: Controller<'consumer'>[];

beforeEach(async () => {
  consumer = openLaggingCluster('consumer');
  ({ people } = consumer);
  await installCRDs(people, consumerCRDs, { clock: systemClock });
  await bind(people, { [hawserAnnotations.unbindPolicy]: 'Block' }, [finalizers.syncer]);
  running = [
    createUnbinding({ dialect: kubeBindDialect, recordNamespace: 'default' }),
    createFinalizerRelease(kubeBindDialect),
  ];
  const context = { ...telemetry, signal: new AbortController().signal };
  for (const controller of running) await controller.start({ ...context, clusters: { consumer: consumer.cluster } });
});
afterEach(async () => {
  for (const controller of running) await controller.stop();
  await consumer.close();
});

const read = (): Promise<APIServiceBinding | undefined> =>
  getIfExists<APIServiceBinding>(people, resources.apiServiceBindings, binding);

it('lets go of no object of a binding that is broken open before the record of them is written', async () => {
  await eventually(async () => {
    expect((await read())?.metadata.finalizers).toEqual([finalizers.unbind]);
  });
  await people.delete(resources.apiServiceBindings, binding);
  await people.delete(databases, one);
  consumer.refuses = ({ resource }) => resource === 'configmaps';
  consumer.requests.length = 0;
  await people.patch(resources.apiServiceBindings, binding, {
    type: 'merge',
    patch: { metadata: { annotations: { [hawserAnnotations.release]: 'the provider is gone' } } },
  });
  await eventually(() => {
    expect(consumer.requests.filter((made) => made.startsWith('patch configmaps')).length).toBeGreaterThanOrEqual(2);
  });
  expect((await people.get(databases, one)).metadata.finalizers).toEqual([finalizers.syncer]);

  consumer.refuses = () => false;
  await eventually(async () => {
    expect(await read()).toBeUndefined();
    // The CRD goes once nothing holds its objects.
    expect(await getIfExists(people, resources.customResourceDefinitions, crd)).toBeUndefined();
  });
  const { items } = await people.list<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(
    resources.configMaps,
    { namespace: 'default', labelSelector: 'hawser.dev/record=orphans' },
  );
  expect(items.map(({ data }) => data)).toMatchObject([{ binding: 'databases', count: '1' }]);
});
