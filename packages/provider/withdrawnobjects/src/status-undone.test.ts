import type { KubeObject, UnstructuredObject } from '@hawser/client';
import {
  type APIServiceExport,
  type ClusterBinding,
  conditionTypes,
  type CustomResourceDefinition,
  getCondition,
  kubeBindDialect,
  resources,
} from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type EmbeddedProvider, openEmbeddedProvider } from '../../servicenamespace/src/testing/embedded-provider.js';
import { createWithdrawnObjectsController } from './withdrawn-objects-controller.js';

const apiVersion = 'kube-bind.io/v1alpha2';
const namespace = 'kube-bind-acme';

let provider: EmbeddedProvider;

beforeEach(async () => {
  provider = await openEmbeddedProvider();
  await provider.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});
afterEach(() => provider.close());

const bind = (name: string, policy: string): Promise<KubeObject> =>
  provider.client.create(resources.apiServiceExports, {
    apiVersion,
    kind: 'APIServiceExport',
    metadata: { name, namespace, annotations: { 'hawser.dev/withdrawn-objects': policy } },
    spec: {
      resources: [{ group: 'example.com', resource: name, versions: ['v1'] }],
      informerScope: 'Cluster',
      isolation: 'Prefixed',
    },
  } as UnstructuredObject);

async function isGuardedAndGoes(): Promise<void> {
  const second = { namespace, name: 'second' };
  await eventually(async () => {
    expect((await provider.read(resources.apiServiceExports, second))?.metadata.finalizers).toEqual([
      'hawser.dev/withdrawn-objects',
    ]);
  });
  await provider.client.delete(resources.apiServiceExports, second);
  await eventually(async () => {
    expect(await provider.read(resources.apiServiceExports, second)).toBeUndefined();
  });
}

/** As a policy that takes the conditions of exports away. */
async function stripConditions(): Promise<void> {
  const [resource, name] = [
    resources.customResourceDefinitions,
    `apiserviceexports.${resources.apiServiceExports.group}`,
  ];
  const crd = await provider.client.get<CustomResourceDefinition>(resource, { name });
  const versions = crd.spec.versions.map((version) => {
    const copy = structuredClone(version) as unknown as {
      schema: { openAPIV3Schema: { properties: { status: { properties: Record<string, unknown> } } } };
    };
    delete copy.schema.openAPIV3Schema.properties.status.properties['conditions'];
    return copy;
  });
  await provider.client.patch(resource, { name }, { type: 'merge', patch: { spec: { versions } } });
}

it('lets an export go although what is to be told of another one does not stay', async () => {
  await stripConditions();
  await bind('first', 'delete');
  await bind('second', 'Delete');
  await provider.run([createWithdrawnObjectsController({ dialect: kubeBindDialect, graceMs: 0 })]);
  await isGuardedAndGoes();
  const reasons = provider.events.map(({ event }) => event.reason);
  // What no condition can say the Event says.
  expect(reasons).toEqual(expect.arrayContaining(['WritesUndone', 'UnknownPolicyValue']));
});

it('lets an export go although the finalizer of another one does not stay', async () => {
  const first = JSON.stringify(await bind('first', 'Delete'));
  await bind('second', 'Delete');
  let writes = 0;
  await provider.run(
    [createWithdrawnObjectsController({ dialect: kubeBindDialect, graceMs: 0 })],
    (_, { verb, resource, name }) => {
      if (verb !== 'patch' || resource !== 'apiserviceexports' || name !== 'first') return undefined;
      writes++;
      return { instead: { status: 200, headers: { 'content-type': 'application/json' }, body: first } };
    },
  );
  await isGuardedAndGoes();
  // Once a look.
  expect(writes).toBeLessThan(10);
  expect(provider.events).toContainEqual(
    expect.objectContaining({
      regarding: expect.objectContaining({ kind: 'APIServiceExport', name: 'first' }),
      event: expect.objectContaining({ type: 'Warning', reason: 'WritesUndone' }),
    }),
  );
});

/** As a webhook or a quota that refuses one object says it. */
const refused = {
  status: 403,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    reason: 'Forbidden',
    code: 403,
    message: 'admission webhook "no.example.com" denied the request',
  }),
};

it('tells of other exports and of what is left although nothing can be told of one', async () => {
  const [group, name] = ['example.com', 'things.example.com'];
  await provider.create(resources.customResourceDefinitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name, labels: { 'kube-bind.io/exported': 'true' } },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
  await provider.create(resources.clusterBindings, {
    apiVersion,
    kind: 'ClusterBinding',
    metadata: { name: 'cluster', namespace },
    spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Acme' },
  });
  await eventually(() =>
    provider.create(
      { group, version: 'v1', resource: 'things' },
      {
        apiVersion: 'example.com/v1',
        kind: 'Thing',
        metadata: {
          name: 'a',
          namespace,
          annotations: kubeBindDialect.marks.ofCopy({
            clusterNamespace: namespace,
            consumerNamespace: '',
            consumerUID: '1',
          }),
        },
      },
    ),
  );
  await bind('first', 'delete');
  await bind('second', 'delete');
  let tries = 0;
  await provider.run(
    [createWithdrawnObjectsController({ dialect: kubeBindDialect, graceMs: 0 })],
    (_, { verb, resource, subresource, name: object }) => {
      if (verb !== 'patch' || resource !== 'apiserviceexports' || subresource !== 'status' || object !== 'first')
        return undefined;
      tries++;
      return { instead: refused };
    },
  );
  await eventually(async () => {
    const second = await provider.read<APIServiceExport>(resources.apiServiceExports, { namespace, name: 'second' });
    expect(getCondition(second?.status?.conditions, conditionTypes.policiesValid)?.status).toBe('False');
    const binding = await provider.read<ClusterBinding>(resources.clusterBindings, { namespace, name: 'cluster' });
    expect(getCondition(binding?.status?.conditions, conditionTypes.objectsLeft)?.message).toContain('things');
  });
  expect(tries).toBeLessThan(15);
});
