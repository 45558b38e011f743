import type { JsonObject } from '@hawser/json';
import { resources } from '@hawser/kube-bind';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type StrippedSides, openStrippedSides } from '../../konnector-connection/src/testing/stripped-sides.js';
import { createServiceBinding } from './servicebinding.js';

let sides: StrippedSides;
beforeEach(async () => {
  sides = await openStrippedSides();
});
afterEach(() => sides.close());

const group = 'example.com';
const crd = 'databases.example.com';
const schema = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'BoundSchema',
  spec: {
    group,
    names: { plural: 'databases', singular: 'database', kind: 'Database', listKind: 'DatabaseList' },
    scope: 'Namespaced',
    informerScope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const anExport = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceExport',
  spec: {
    resources: [{ group, resource: 'databases', versions: ['v1'] }],
    informerScope: 'Namespaced',
    isolation: 'Prefixed',
  },
};

it('tells of a schema that the API server answers without', async () => {
  const { connection, provider } = sides;
  const namespace = connection.clusterNamespace;
  await provider.create(resources.boundSchemas, { ...schema, metadata: { name: crd, namespace } });
  await provider.create(resources.apiServiceExports, { ...anExport, metadata: { name: 'databases', namespace } });
  sides.strip('customresourcedefinitions', (object) => ({
    ...object,
    spec: {
      ...(object['spec'] as JsonObject),
      versions: [{ ...schema.spec.versions[0], deprecated: true }],
    },
  }));
  await sides.bind('databases');
  const running = await sides.run(createServiceBinding({ connection }));
  await sides.during(1, () => Promise.resolve());
  const undone = running.events.flatMap(({ event }) => (event.reason === 'WritesUndone' ? [event.message] : []));
  expect(undone).toContainEqual(expect.stringContaining(`the schema of CustomResourceDefinition ${crd}`));
});

it.each([
  ['without an export', false],
  ['with its CRD', true],
])('writes conditions of a binding %s that an admission takes away ever less often', async (_, isExported) => {
  const { connection, consumer, provider } = sides;
  const namespace = connection.clusterNamespace;
  if (isExported) {
    await provider.create(resources.boundSchemas, {
      ...schema,
      metadata: { name: crd, namespace },
    });
    await provider.create(resources.apiServiceExports, {
      ...anExport,
      metadata: { name: 'databases', namespace },
    });
  }
  await sides.bind('databases');
  const running = await sides.run(createServiceBinding({ connection }));
  let touched = 0;
  const touch = (): Promise<unknown> =>
    consumer.patch(
      resources.apiServiceBindings,
      { name: 'databases' },
      { type: 'merge', patch: { metadata: { annotations: { touched: String(touched++) } } } },
    );
  await sides.during(15, touch);
  const writes = await sides.during(20, touch);
  expect(writes.length).toBeGreaterThanOrEqual(3);
  expect(writes.length).toBeLessThanOrEqual(8);
  expect(running.events).toContainEqual(
    expect.objectContaining({
      regarding: expect.objectContaining({ kind: 'APIServiceBinding', name: 'databases' }),
      event: expect.objectContaining({ type: 'Warning', reason: 'WritesUndone' }),
    }),
  );
  const installed = await consumer.list(resources.customResourceDefinitions);
  expect(installed.items.some(({ metadata }) => metadata.name === crd)).toBe(isExported);
});
