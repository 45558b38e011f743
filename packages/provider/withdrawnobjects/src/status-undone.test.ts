import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { type CustomResourceDefinition, kubeBindDialect, resources } from '@hawser/kube-bind';
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
  expect(provider.events.map(({ event }) => event.reason)).toContain('WritesUndone');
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
});
