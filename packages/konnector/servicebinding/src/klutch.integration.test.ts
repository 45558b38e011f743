import { klutchDialect } from '@hawser/klutch';
import { type CustomResourceDefinition, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { expect, it } from '@jest/globals';
import { openKonnectorPair, version } from '../../konnector-connection/src/testing/konnector-pair.js';
import { createServiceBinding } from './index.js';

const { apiServiceExports } = klutchDialect.resources;
const SOON = { timeoutMs: 30_000 };

describeWithControlPlane('servicebinding, in Klutch', () => {
  it('installs the CRD that stands in an export, carries a change that is safe, holds one that is not, and writes nothing at a restart', async () => {
    const pair = await openKonnectorPair({ dialect: klutchDialect });
    const start = async (): Promise<ReturnType<typeof createServiceBinding>> => {
      const started = createServiceBinding({ connection: pair.connection });
      await started.start(pair.context());
      return started;
    };
    const name = pair.nameFor('databases');
    const offer = (properties: object): Promise<unknown> =>
      pair.provider.patch(
        apiServiceExports,
        { namespace: pair.clusterNamespace, name },
        { type: 'merge', patch: { spec: { versions: [version({ spec: { type: 'object', properties } })] } } },
      );
    const properties = async (): Promise<unknown> =>
      (
        (await pair.consumer.get<CustomResourceDefinition>(resources.customResourceDefinitions, { name })).spec
          .versions[0]?.schema as { openAPIV3Schema: { properties: { spec: { properties: object } } } }
      ).openAPIV3Schema.properties.spec.properties;
    let controller = await start();
    try {
      const {
        metadata: { uid },
      } = await pair.bind(name);
      await pair.becomes(name, 'Connected', { status: 'False', reason: 'APIServiceExportNotFound' });
      await pair.createSchema('databases');
      await pair.becomes(name, 'SchemaInSync', { status: 'True' });
      expect((await pair.crd('databases'))?.metadata.ownerReferences).toEqual([
        { apiVersion: klutchDialect.apiVersion, kind: 'APIServiceBinding', name, uid, controller: true },
      ]);

      await offer({ size: { type: 'string' }, color: { type: 'string' } });
      await eventually(async () => {
        expect(await properties()).toEqual({ size: { type: 'string' }, color: { type: 'string' } });
      }, SOON);
      await offer({ size: { type: 'integer' }, color: { type: 'string' } });
      await pair.becomes(name, 'SchemaUpdateHeld', { status: 'True', reason: 'BreakingSchemaChange' });
      expect(await properties()).toMatchObject({ size: { type: 'string' } });

      await controller.stop();
      const since = await pair.consumerPlane.auditLog().mark();
      controller = await start();
      await offer({ size: { type: 'string' }, color: { type: 'string' } });
      await pair.becomes(name, 'SchemaInSync', { status: 'True' });
      await eventually(async () => {
        expect((await pair.condition(name, 'SchemaUpdateHeld'))?.status).not.toBe('True');
      }, SOON);
      const writes = (await pair.consumerPlane.auditLog().writes({ since })).filter((write) => write.name === name);
      expect(writes.filter(({ resource }) => resource === 'customresourcedefinitions')).toEqual([]);
    } finally {
      await controller.stop();
      await pair.close();
    }
  });
});
