import { type ClusterBinding, conditionTypes, getCondition, kubeBindDialect, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type EmbeddedProvider, openEmbeddedProvider } from '../../servicenamespace/src/testing/embedded-provider.js';
import { createWithdrawnObjectsController } from './withdrawn-objects-controller.js';

const apiVersion = 'kube-bind.io/v1alpha2';
const group = 'example.com';
const consumer = 'kube-bind-acme';
const team = `${consumer}-team`;

let provider: EmbeddedProvider;

beforeEach(async () => {
  provider = await openEmbeddedProvider();
  await provider.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: consumer } });
  await provider.create(resources.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: team, annotations: { 'kube-bind.io/api-service-namespace': `${consumer}/team` } },
  });
  await provider.create(resources.clusterBindings, {
    apiVersion,
    kind: 'ClusterBinding',
    metadata: { name: 'cluster', namespace: consumer },
    spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Acme' },
  });
  await bindWithCopy('broken');
  await bindWithCopy('sound');
});
afterEach(() => provider.close());

/** An export with policy `Delete`, of a resource of which there is one copy. */
async function bindWithCopy(plural: string): Promise<void> {
  await provider.create(resources.customResourceDefinitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: { 'kube-bind.io/exported': 'true' } },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: plural, kind: plural, listKind: `${plural}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
  await eventually(() =>
    provider.create(
      { group, version: 'v1', resource: plural },
      {
        apiVersion: `${group}/v1`,
        kind: plural,
        metadata: {
          name: 'a',
          namespace: team,
          annotations: {
            'kube-bind.io/cluster-namespace': consumer,
            'kube-bind.io/consumer-namespace': 'team',
            'kube-bind.io/consumer-uid': 'u',
            'hawser.dev/consumer-identity': 'cluster-1',
          },
        },
      },
    ),
  );
  await provider.create(resources.apiServiceExports, {
    apiVersion,
    kind: 'APIServiceExport',
    metadata: {
      name: plural,
      namespace: consumer,
      annotations: { 'hawser.dev/withdrawn-objects': 'Delete' },
      finalizers: ['hawser.dev/withdrawn-objects'],
    },
    spec: {
      resources: [{ group, resource: plural, versions: ['v1'] }],
      informerScope: 'Cluster',
      isolation: 'Prefixed',
    },
  });
}

/** As an API server whose conversion webhook for the resource is down. */
const broken = {
  status: 500,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    reason: 'InternalError',
    code: 500,
    message: 'conversion webhook for example.com/v1 failed',
  }),
};

it.each(['delete', 'list'])(
  'ends an export although the server answers each %s of the copies of another one with 500',
  async (verb) => {
    // The broken one comes first.
    for (const name of ['broken', 'sound'])
      await provider.client.delete(resources.apiServiceExports, { namespace: consumer, name });
    let refused = 0;
    let isBroken = true;
    await provider.run(
      [createWithdrawnObjectsController({ dialect: kubeBindDialect, graceMs: 0, goneCheckMs: 50, recheckMs: 100 })],
      (_, asked) => {
        if (!isBroken || asked.verb !== verb || asked.resource !== 'broken') return undefined;
        refused++;
        return { instead: broken };
      },
    );
    await eventually(async () => {
      expect(await provider.read(resources.apiServiceExports, { namespace: consumer, name: 'sound' })).toBeUndefined();
      expect(await provider.read({ group, version: 'v1', resource: 'sound' }, { namespace: team, name: 'a' })).toBe(
        undefined,
      );
    });
    const left = await provider.read(resources.apiServiceExports, { namespace: consumer, name: 'broken' });
    expect(left?.metadata.finalizers).toEqual(['hawser.dev/withdrawn-objects']);
    // The key backs off all the same.
    expect(refused).toBeLessThan(20);
    if (verb === 'delete')
      await eventually(async () => {
        const binding = await provider.read<ClusterBinding>(resources.clusterBindings, {
          namespace: consumer,
          name: 'cluster',
        });
        expect(getCondition(binding?.status?.conditions, conditionTypes.objectsLeft)?.message).toContain('broken');
      });
    isBroken = false;
    await eventually(async () => {
      expect(await provider.read(resources.apiServiceExports, { namespace: consumer, name: 'broken' })).toBeUndefined();
    });
  },
);
