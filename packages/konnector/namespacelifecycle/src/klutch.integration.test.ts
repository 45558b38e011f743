import { type APIServiceExport, klutchDialect } from '@hawser/klutch';
import { hawserAnnotations, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { expect, it } from '@jest/globals';
import { binderRulesOf, openKonnectorPair, schemaSpec } from '../../konnector-connection/src/testing/konnector-pair.js';
import { createNamespaceLifecycle } from './index.js';

const { apiServiceExports, apiServiceNamespaces } = klutchDialect.resources;
const SOON = { timeoutMs: 30_000 };

describeWithControlPlane('namespacelifecycle, in Klutch', () => {
  it('takes back the request for a namespace that is gone, and not that for one that is there', async () => {
    const pair = await openKonnectorPair({ dialect: klutchDialect });
    const controller = createNamespaceLifecycle({
      connection: pair.connection,
      ownNamespaces: [],
      lookAgainMs: 200,
      reportDelayMs: 50,
    });
    const name = pair.nameFor('databases');
    const [gone, there] = [`gone-${pair.clusterNamespace}`, `there-${pair.clusterNamespace}`];
    const request = (of: string) =>
      pair.find(pair.provider, apiServiceNamespaces, { namespace: pair.clusterNamespace, name: of });
    try {
      const spec = Object.fromEntries(
        Object.entries(schemaSpec(pair.group, 'databases')).filter(([field]) => field !== 'informerScope'),
      );
      await pair.provider.create(resources.customResourceDefinitions, {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name },
        spec,
      } as never);
      await eventually(() => pair.provider.list({ group: pair.group, version: 'v1', resource: 'databases' }), SOON);
      await pair.createSchema('databases');
      await pair.bind(name);
      await pair.grant([...binderRulesOf(klutchDialect), { apiGroups: [pair.group], resources: ['*'], verbs: ['*'] }]);
      const {
        metadata: { uid = '' },
      } = await pair.provider.get<APIServiceExport>(apiServiceExports, { namespace: pair.clusterNamespace, name });
      const uidOf = async (namespace: string) =>
        (await pair.find(pair.consumer, resources.namespaces, { name: namespace }))?.metadata.uid;
      const identity = (await uidOf('kube-system')) ?? (await uidOf('default')) ?? '';
      await pair.consumer.create(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: there },
      });
      for (const one of [gone, there]) {
        await pair.provider.create(apiServiceNamespaces, {
          apiVersion: klutchDialect.apiVersion,
          kind: 'APIServiceNamespace',
          metadata: {
            namespace: pair.clusterNamespace,
            name: one,
            annotations: { [hawserAnnotations.consumerIdentity]: identity },
            ownerReferences: [{ apiVersion: klutchDialect.apiVersion, kind: 'APIServiceExport', name, uid }],
          },
        });
      }
      await controller.start(pair.context());
      await eventually(async () => {
        expect(await request(gone)).toBeUndefined();
      }, SOON);
      expect(await request(there)).toBeDefined();
      expect(await uidOf(gone)).toBeUndefined();
    } finally {
      await controller.stop();
      await pair.close();
    }
  });
});
