import { klutchDialect } from '@hawser/klutch';
import { type CustomResourceDefinition, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { expect, it } from '@jest/globals';
import { openKonnectorPair, version } from '../../konnector-connection/src/testing/konnector-pair.js';
import { createServiceBinding } from '../../servicebinding/src/index.js';
import { createStoredVersions } from './index.js';

const named = (name: string, storage: boolean) => ({
  ...version({ spec: { type: 'object', properties: { size: { type: 'integer' } } } }),
  name,
  storage,
});

describeWithControlPlane('stored versions, in Klutch', () => {
  it('stores objects anew when the storage version of an export moves', async () => {
    const pair = await openKonnectorPair({ dialect: klutchDialect });
    const name = pair.nameFor('databases');
    const controllers = [
      createServiceBinding({ connection: pair.connection, schemaPolicy: 'Always', migratesStoredVersions: true }),
      createStoredVersions({ dialect: klutchDialect, settleMs: 50, pageSize: 1, atOnce: 2 }),
    ];
    try {
      await pair.createSchema('databases', { scope: 'Cluster', versions: [named('v1', true)] });
      const context = pair.context();
      await Promise.all(controllers.map((controller) => controller.start(context)));
      await pair.bind(name);
      await pair.becomes(name, 'Ready', { status: 'True' });
      for (const one of ['one', 'two'])
        await eventually(
          () =>
            pair.consumer.create({ group: pair.group, version: 'v1', resource: 'databases' }, {
              apiVersion: `${pair.group}/v1`,
              kind: 'Database',
              metadata: { name: one },
              spec: { size: 1 },
            } as never),
          { timeoutMs: 30_000 },
        );
      await pair.provider.patch(
        klutchDialect.resources.apiServiceExports,
        { namespace: pair.clusterNamespace, name },
        { type: 'merge', patch: { spec: { versions: [named('v1', false), named('v2', true)] } } },
      );
      await eventually(
        async () => {
          expect(
            (await pair.consumer.get<CustomResourceDefinition>(resources.customResourceDefinitions, { name })).status
              ?.storedVersions,
          ).toEqual(['v2']);
        },
        { timeoutMs: 60_000 },
      );
    } finally {
      await Promise.all(controllers.map((controller) => controller.stop()));
      await pair.close();
    }
  });
});
