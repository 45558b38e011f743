import { getIfExists, type KubeObject, type ObjectMeta, type Resource } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { Controller } from '@hawser/controller';
import { crdOf } from '@hawser/installation';
import { finalizers, installCRDs, kubeBindDialect, providerCRDs, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  type LaggingCluster,
  openLaggingCluster,
  telemetry,
} from '../../../konnector/konnector-connection/src/testing/lagging-cluster.js';
import { createWithdrawnObjectsController } from './withdrawn-objects-controller.js';

const acme = 'kube-bind-acme';
const team = 'kube-bind-acme-team';
const found = { namespace: acme, name: 'databases' };
const databases = { group: 'example.com', version: 'v1', resource: 'databases' };
const copy = { namespace: team, name: 'one' };
const marks = {
  'kube-bind.io/cluster-namespace': acme,
  'kube-bind.io/consumer-namespace': 'team',
  'kube-bind.io/consumer-uid': 'original',
  'hawser.dev/consumer-identity': 'consumer',
};

let provider: LaggingCluster;
let controller: Controller<'provider'>;

const make = (resource: Resource, kind: string, metadata: ObjectMeta, rest: object = {}): Promise<KubeObject> =>
  provider.people.create(resource, {
    apiVersion: resource.group === '' ? 'v1' : `${resource.group}/${resource.version}`,
    kind,
    metadata,
    ...rest,
  });
const find = (resource: Resource, key: { namespace?: string; name: string }): Promise<KubeObject | undefined> =>
  getIfExists<KubeObject>(provider.people, resource, key);

/** An export that has ended, and a copy of its consumer. */
beforeEach(async () => {
  provider = openLaggingCluster('provider');
  await installCRDs(provider.people, providerCRDs, { clock: systemClock });
  const crd = crdOf(
    { group: databases.group, plural: 'databases', kind: 'Database', scope: 'Namespaced' },
    { labels: { 'kube-bind.io/exported': 'true' }, properties: {} },
  );
  await provider.people.create(resources.customResourceDefinitions, crd);
  await make(resources.namespaces, 'Namespace', { name: acme });
  await make(resources.namespaces, 'Namespace', {
    name: team,
    annotations: { 'kube-bind.io/api-service-namespace': `${acme}/team` },
  });
  await make(
    resources.apiServiceExports,
    'APIServiceExport',
    {
      ...found,
      finalizers: [finalizers.withdrawnObjects],
      annotations: { 'hawser.dev/withdrawn-objects': 'Delete' },
    },
    {
      spec: {
        resources: [{ group: databases.group, resource: 'databases', versions: ['v1'] }],
        informerScope: 'Cluster',
        isolation: 'Prefixed',
      },
    },
  );
  await eventually(() => make(databases, 'Database', { ...copy, annotations: marks }));
  await provider.people.delete(resources.apiServiceExports, found);
});
afterEach(async () => {
  await controller.stop();
  await provider.close();
});

/** The controller wants to remove the finalizer. The server fails that until it has the state of the backup again. */
async function restoreMeanwhile(backup: ReturnType<LaggingCluster['backup']>): Promise<void> {
  provider.refuses = ({ verb, resource, subresource }) =>
    verb === 'patch' && resource === 'apiserviceexports' && subresource === '';
  controller = createWithdrawnObjectsController({ dialect: kubeBindDialect, graceMs: 0 });
  await controller.start({
    ...telemetry,
    clusters: { provider: provider.cluster },
    signal: new AbortController().signal,
  });
  await eventually(() => {
    expect(provider.requests).toContain('patch apiserviceexports databases');
  });
  provider.restore(backup);
  provider.refuses = () => false;
  provider.requests.length = 0;
  await eventually(async () => {
    const looks = provider.requests.filter((made) => made === 'list apiserviceexports').length;
    expect(looks >= 2 || (await find(resources.apiServiceExports, found)) === undefined).toBe(true);
  });
}

it('holds an export whose copies a backup has restored', async () => {
  const backup = provider.backup();
  await provider.people.delete(databases, copy);
  await provider.people.delete(resources.namespaces, { name: team });
  await eventually(async () => {
    expect(await find(resources.namespaces, { name: team })).toBeUndefined();
  });
  await restoreMeanwhile(backup);
  expect((await find(resources.apiServiceExports, found))?.metadata.finalizers).toEqual([finalizers.withdrawnObjects]);
});

it('holds an export whose cluster namespace a backup has restored', async () => {
  const backup = provider.backup();
  await provider.people.delete(resources.namespaces, { name: acme });
  await restoreMeanwhile(backup);
  expect((await find(resources.apiServiceExports, found))?.metadata.finalizers).toEqual([finalizers.withdrawnObjects]);
});
