import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { createSchemaStamper } from '@hawser/exportrequest';
import { annotations, type CustomResourceDefinition, kubeBindDialect, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type EmbeddedProvider, openEmbeddedProvider } from '../../servicenamespace/src/testing/embedded-provider.js';
import { createPropagationController } from './propagation-controller.js';

const apiVersion = 'kube-bind.io/v1alpha2';
const namespace = 'kube-bind-acme';
const group = 'undone.example.com';
const plurals = Array.from({ length: 9 }, (_, n) => `things${n}`);

let provider: EmbeddedProvider;
beforeEach(async () => {
  provider = await openEmbeddedProvider();
});
afterEach(() => provider.close());

it('backs off where a policy undoes the schemas of an export of many resources', async () => {
  await provider.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const schemas = new Map<string, KubeObject>();
  for (const plural of plurals) {
    const crd = (await provider.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}`, labels: { 'kube-bind.io/exported': 'true' } },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural, singular: plural, kind: plural, listKind: `${plural}List` },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    })) as CustomResourceDefinition;
    const source = createSchemaStamper().stamp(crd, { informerScope: 'Cluster', isolation: 'Prefixed' });
    if (source.kind !== 'offered') throw new Error(source.message);
    const boundSchema = await provider.create(resources.boundSchemas, {
      apiVersion,
      kind: 'BoundSchema',
      metadata: { name: crd.metadata.name, namespace, annotations: { [annotations.sourceSpecHash]: 'before' } },
      spec: source.spec,
    });
    schemas.set(crd.metadata.name, boundSchema);
  }
  await provider.client.create(resources.apiServiceExports, {
    apiVersion,
    kind: 'APIServiceExport',
    metadata: { name: 'db', namespace },
    spec: {
      resources: plurals.map((resource) => ({ group, resource, versions: ['v1'] })),
      informerScope: 'Cluster',
      isolation: 'Prefixed',
    },
  } as UnstructuredObject);
  const writes: number[] = [];
  await provider.run([createPropagationController({ dialect: kubeBindDialect })], (_, { verb, resource, name }) => {
    if (verb !== 'patch' || resource !== 'boundschemas') return undefined;
    writes.push(performance.now());
    const body = JSON.stringify(schemas.get(name));
    return { instead: { status: 200, headers: { 'content-type': 'application/json' }, body } };
  });
  await eventually(() => {
    expect(writes.length).toBeGreaterThan(10);
  });
  // Four tries have failed, with a back-off that grows from 50 ms.
  expect((writes[10] ?? 0) - (writes[0] ?? 0)).toBeGreaterThan(150);
});
