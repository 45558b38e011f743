import { type ClusterBinding, klutchDialect } from '@hawser/klutch';
import { type Secret, getCondition, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { expect, it } from '@jest/globals';
import { openKonnectorPair } from '../../konnector-connection/src/testing/konnector-pair.js';
import { createClusterBinding } from './index.js';

const { clusterBindings } = klutchDialect.resources;
const SOON = { timeoutMs: 30_000 };

describeWithControlPlane('clusterbinding, in Klutch', () => {
  it('reports to the provider what Klutch has a place for, and keeps the kubeconfig of the consumer in step', async () => {
    const pair = await openKonnectorPair({ dialect: klutchDialect });
    const controller = createClusterBinding({ connection: pair.connection, version: 'v0.8.1' });
    try {
      const at = { namespace: pair.clusterNamespace, name: 'cluster' };
      const secret = (namespace: string, kubeconfig: string): Secret => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace, name: 'kubeconfig' },
        data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
      });
      await pair.provider.create(clusterBindings, {
        apiVersion: klutchDialect.apiVersion,
        kind: 'ClusterBinding',
        metadata: at,
        spec: {
          kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' },
          providerPrettyName: 'A Klutch provider',
        },
      } as never);
      await pair.provider.create(resources.secrets, secret(pair.clusterNamespace, pair.access.kubeconfig));
      await pair.consumer.create(resources.secrets, secret(pair.secretNamespace, pair.access.kubeconfig));
      pair.secrets.push({ namespace: pair.secretNamespace, name: 'kubeconfig', key: 'kubeconfig' });
      const name = pair.nameFor('databases');
      await pair.bind(name);
      await controller.start(pair.context());
      await pair.becomes(name, 'Heartbeating', { status: 'True' });
      await eventually(async () => {
        const { status } = await pair.provider.get<ClusterBinding>(clusterBindings, at);
        expect(status).toMatchObject({
          heartbeatInterval: '5m0s',
          konnectorVersion: 'v0.8.1',
          lastHeartbeatTime: expect.any(String),
        });
        expect(['SecretValid', 'ValidVersion'].map((type) => getCondition(status?.conditions, type)?.status)).toEqual([
          'True',
          'True',
        ]);
        expect(status).not.toHaveProperty('consumerSecretRef');
      }, SOON);

      const next = `${pair.access.kubeconfig}\n# renewed\n`;
      await pair.provider.patch(
        resources.secrets,
        { namespace: pair.clusterNamespace, name: 'kubeconfig' },
        { type: 'merge', patch: { data: secret('', next).data } },
      );
      await eventually(async () => {
        expect(
          (await pair.consumer.get<Secret>(resources.secrets, { namespace: pair.secretNamespace, name: 'kubeconfig' }))
            .data,
        ).toEqual(secret('', next).data);
      }, SOON);
    } finally {
      await controller.stop();
      await pair.close();
    }
  });
});
