import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type ClusterBinding, installCRDs, klutchDialect, labels, providerCRDs } from '@hawser/klutch';
import { getCondition, resources, type Secret } from '@hawser/kube-bind';
import { type ConnectionConfig, parseSecretKubeconfig } from '@hawser/kubeconfig';
import { describeWithControlPlane, eventually, uniqueNamespace } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../servicenamespace/src/testing/provider-cluster.js';
import { createCredentialsController } from './credentials-controller.js';
import { writeKubeconfig } from './kubeconfig-text.js';
import { rightsIn } from './testing/rights.js';
import { whoIs } from './testing/who-is.js';

const {
  apiVersion,
  resources: kinds,
  names: { binder },
} = klutchDialect;
const ofKlutch = { 'example-backend.klutch.anynines.com/identity': 'jane#x7k2p' };

describeWithControlPlane('createCredentialsController for Klutch', () => {
  let cluster: ProviderCluster;
  let running: Running | undefined;
  let namespace: string;

  beforeAll(async () => {
    cluster = await openProviderCluster(rightsIn(klutchDialect), { controllerManager: true });
    await installCRDs(cluster.client, providerCRDs, { clock: systemClock });
  });
  afterAll(() => cluster.close());
  afterEach(() => running?.stop());

  const endpoint = () => ({ server: cluster.plane.connection.server, caData: cluster.plane.connection.caData });
  const start = async (): Promise<void> => {
    running = await cluster.run(createCredentialsController({ dialect: klutchDialect, endpoint }));
  };
  const make = (resource: Parameters<typeof cluster.client.create>[0], object: object): Promise<KubeObject> =>
    cluster.client.create(resource, object as UnstructuredObject);
  /** What the operator makes, or the web part of a Klutch backend before anything else. */
  const onboard = async (
    metadata: object = {},
    annotations: Readonly<Record<string, string>> = ofKlutch,
  ): Promise<void> => {
    namespace = uniqueNamespace('cluster');
    await make(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, annotations },
    });
    await bind(metadata);
  };
  const bind = (metadata: object = {}): Promise<KubeObject> =>
    make(kinds.clusterBindings, {
      apiVersion,
      kind: 'ClusterBinding',
      metadata: { name: 'cluster', namespace, ...metadata },
      spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Lab' },
    });
  const annotate = (annotations: Readonly<Record<string, string | null>>): Promise<unknown> =>
    cluster.client.patch(
      kinds.clusterBindings,
      { namespace, name: 'cluster' },
      { type: 'merge', patch: { metadata: { annotations } } },
    );
  const secret = (name: string): Promise<Secret | undefined> =>
    cluster.read<Secret>(resources.secrets, { namespace, name });
  const handedOut = async (): Promise<ConnectionConfig | undefined> => {
    const read = parseSecretKubeconfig(Buffer.from((await secret('kubeconfig'))?.data?.['kubeconfig'] ?? '', 'base64'));
    return read.ok && read.namespace === namespace ? read.connection : undefined;
  };
  const isWorking = (than?: ConnectionConfig): Promise<ConnectionConfig> =>
    eventually(async () => {
      const connection = (await handedOut())!;
      expect(connection.credentials).not.toEqual(than?.credentials);
      expect(await whoIs(connection)).toBe(`system:serviceaccount:${namespace}:klutch-binder`);
      return connection;
    });
  const writes = async (): Promise<readonly string[]> =>
    (await cluster.settledWrites())
      .filter((write) => write.namespace === namespace)
      .map(({ verb, resource, name, subresource }) =>
        [verb, resource, subresource, name].filter((part) => part !== undefined).join(' '),
      );

  it('gives a consumer what a Klutch backend gives it, and writes nothing more, at a restart neither', async () => {
    await start();
    await onboard();
    await isWorking();
    expect(await secret(binder)).toMatchObject({
      type: 'kubernetes.io/service-account-token',
      metadata: { annotations: { 'kubernetes.io/service-account.name': binder } },
    });
    const made = await writes();
    expect(made).toEqual([`create serviceaccounts ${binder}`, `create secrets ${binder}`, 'create secrets kubeconfig']);
    await running?.stop();
    await start();
    expect(await writes()).toEqual(made);
  });

  it('takes over what a Klutch backend has handed out, without a write', async () => {
    await onboard();
    await make(resources.serviceAccounts, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: binder, namespace },
    });
    await make(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/service-account-token',
      metadata: { name: binder, namespace, annotations: { 'kubernetes.io/service-account.name': binder } },
    });
    const token = await eventually(async () =>
      Buffer.from((await secret(binder))!.data!['token']!, 'base64').toString(),
    );
    await make(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'kubeconfig', namespace },
      data: {
        kubeconfig: Buffer.from(writeKubeconfig({ server: 'https://elsewhere.example' }, namespace, token)).toString(
          'base64',
        ),
      },
    });
    await start();
    await eventually(() => {
      expect(running?.events).toContainEqual(
        expect.objectContaining({
          regarding: expect.objectContaining({ apiVersion, namespace }) as unknown,
          event: expect.objectContaining({ reason: 'KubeconfigOutdated' }) as unknown,
        }),
      );
    });
    expect(await writes()).toEqual([]);
  });

  it('replaces a credential, has one expire, and revokes it, as the annotations of the ClusterBinding say', async () => {
    await start();
    await onboard();
    const first = await isWorking();
    await annotate({ 'hawser.dev/replace-credential': 'monday' });
    const second = await isWorking(first);
    expect(await whoIs(first)).toContain(binder);
    expect(await secret(`${binder}-next`)).toBeDefined();
    await annotate({ 'hawser.dev/revoke-credential': 'left' });
    for (const connection of [first, second])
      await eventually(
        async () => {
          expect(await whoIs(connection)).toBe('Unauthorized');
        },
        { timeoutMs: 60_000 },
      );
    await eventually(async () => {
      expect(
        getCondition(
          (await cluster.read<ClusterBinding>(kinds.clusterBindings, { namespace, name: 'cluster' }))?.status
            ?.conditions,
          'CredentialExpiring',
        )?.reason,
      ).toBe('CredentialRevoked');
    });
    expect(await cluster.read(resources.serviceAccounts, { namespace, name: binder })).toBeUndefined();

    await onboard({ annotations: { 'hawser.dev/credential': 'Rotating' } });
    await isWorking();
    expect((await secret('kubeconfig'))?.metadata.annotations).toMatchObject({
      'hawser.dev/credential-slot': binder,
      'hawser.dev/credential-expires': expect.any(String),
    });
  });

  it('makes none for an app cluster that is served from beside the provider, nor in a namespace of another dialect', async () => {
    const appCluster = { kubeconfig: Buffer.from('how the app cluster is reached').toString('base64') };
    await start();
    await onboard({ labels: { [labels.appClusterBindingName]: 'shop', [labels.appClusterBindingNamespace]: 'apps' } });
    await make(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'kubeconfig', namespace },
      data: appCluster,
    });
    const served = namespace;
    await onboard({}, { 'backend.kube-bind.io/identity': 'acme' });
    const other = namespace;
    // Nothing tells that nothing is done; that others get theirs shows that it was looked at.
    await onboard();
    await isWorking();
    expect((await cluster.settledWrites()).filter((write) => [served, other].includes(write.namespace ?? ''))).toEqual(
      [],
    );
    expect((await cluster.read<Secret>(resources.secrets, { namespace: served, name: 'kubeconfig' }))?.data).toEqual(
      appCluster,
    );
  });
});
