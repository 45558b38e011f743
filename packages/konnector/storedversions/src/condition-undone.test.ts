import type { UnstructuredObject } from '@hawser/client';
import { type APIServiceBinding, apiVersion, kubeBindDialect, resources } from '@hawser/kube-bind';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type StrippedSides, openStrippedSides } from '../../konnector-connection/src/testing/stripped-sides.js';
import { createStoredVersions } from './index.js';

const crds = resources.customResourceDefinitions;
const name = 'databases.example.com';

let sides: StrippedSides;
beforeEach(async () => {
  sides = await openStrippedSides();
});
afterEach(() => sides.close());

it('writes condition StoredVersionsMigrated that an admission takes away ever less often, and tells', async () => {
  const { consumer } = sides;
  await sides.bind('databases');
  const { metadata } = await consumer.get<APIServiceBinding>(resources.apiServiceBindings, { name: 'databases' });
  const version = (named: string, stored: boolean): object => ({
    name: named,
    // No version is served: objects can be neither read nor written, which the condition says.
    served: false,
    storage: stored,
    schema: { openAPIV3Schema: { type: 'object' } },
  });
  await consumer.create(crds, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name,
      ownerReferences: [
        { apiVersion, kind: 'APIServiceBinding', name: 'databases', uid: metadata.uid, controller: true },
      ],
    },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'databases', singular: 'database', kind: 'Database', listKind: 'DatabaseList' },
      versions: [version('v1', false), version('v2', true)],
    },
  } as unknown as UnstructuredObject);
  await consumer.patch(
    crds,
    { name },
    { type: 'merge', patch: { status: { storedVersions: ['v1', 'v2'] } } },
    { subresource: 'status' },
  );
  const running = await sides.run(createStoredVersions({ dialect: kubeBindDialect }));
  let touched = 0;
  const touch = (): Promise<unknown> =>
    consumer.patch(
      crds,
      { name },
      { type: 'merge', patch: { metadata: { annotations: { touched: String(touched++) } } } },
    );
  await sides.during(15, touch);
  const writes = await sides.during(20, touch);
  expect(writes.length).toBeGreaterThanOrEqual(3);
  expect(writes.length).toBeLessThanOrEqual(8);
  expect(running.events.map(({ event }) => event.reason)).toContain('WritesUndone');
});
