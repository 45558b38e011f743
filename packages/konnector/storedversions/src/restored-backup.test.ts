import {
  apiVersion,
  type CustomResourceDefinition,
  consumerCRDs,
  installCRDs,
  kubeBindDialect,
  resources,
} from '@hawser/kube-bind';
import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { eventually } from '@hawser/testenv';
import { expect, it } from '@jest/globals';
import { openLaggingCluster, telemetry } from '../../konnector-connection/src/testing/lagging-cluster.js';
import { createStoredVersions } from './index.js';

const crd = { name: 'databases.example.com' };
const one = { namespace: 'default', name: 'one' };
const databases = { group: 'example.com', version: 'v1', resource: 'databases' };

it('rewrites the objects of a backup that was restored during a pass before it trims the stored versions', async () => {
  const consumer = openLaggingCluster('consumer');
  const { people, requests } = consumer;
  await installCRDs(people, consumerCRDs, telemetry);
  const binding = await people.create(resources.apiServiceBindings, {
    apiVersion,
    kind: 'APIServiceBinding',
    metadata: { name: 'databases' },
    spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'kubeconfig', key: 'kubeconfig' } },
  } as KubeObject);
  const versions = (stored: string): readonly object[] =>
    ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === stored,
      schema: { openAPIV3Schema: { type: 'object' } },
    }));
  const owner = {
    apiVersion,
    kind: 'APIServiceBinding',
    name: 'databases',
    uid: binding.metadata.uid,
    controller: true,
  };
  await people.create(resources.customResourceDefinitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { ...crd, ownerReferences: [owner] },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'databases', singular: 'database', kind: 'Database', listKind: 'DatabaseList' },
      versions: versions('v1'),
    },
  } as unknown as UnstructuredObject);
  await eventually(() =>
    people.create(databases, {
      apiVersion: 'example.com/v1',
      kind: 'Database',
      metadata: one,
    }),
  );
  await people.patch(resources.customResourceDefinitions, crd, {
    type: 'merge',
    patch: { spec: { versions: versions('v2') } },
  });
  // The server learns the new storage version a little later.
  await eventually(() => people.patch(databases, one, { type: 'merge', patch: { metadata: { labels: { a: 'b' } } } }));
  const backup = consumer.backup();
  let isRestored = false;
  consumer.refuses = ({ verb, resource }) => {
    if (isRestored || verb !== 'get' || resource !== 'customresourcedefinitions') return false;
    if (!requests.includes('patch databases one')) return false;
    isRestored = true;
    requests.length = 0;
    consumer.restore(backup);
    return false;
  };
  const controller = createStoredVersions({ settleMs: 0, dialect: kubeBindDialect });
  try {
    await controller.start({
      ...telemetry,
      clusters: { consumer: consumer.cluster },
      signal: new AbortController().signal,
    });
    await eventually(async () => {
      const { status } = await people.get<CustomResourceDefinition>(resources.customResourceDefinitions, crd);
      expect([isRestored, status?.storedVersions]).toEqual([true, ['v2']]);
    });
    const writes = requests.filter((made) => made.startsWith('patch'));
    expect(writes.slice(0, 2)).toEqual(['patch databases one', `patch customresourcedefinitions ${crd.name}`]);
  } finally {
    await controller.stop();
    await consumer.close();
  }
});
