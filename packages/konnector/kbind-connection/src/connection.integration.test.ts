import { type Client, getIfExists, type KubeObject, type Resource } from '@hawser/client';
import { type Connection, type ConnectionStatus, labels, resources } from '@hawser/core-kbind';
import { crdOf } from '@hawser/installation';
import { resources as kubeResources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, type RunningController, runController, settled } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type ConnectionController, createConnectionController } from './index.js';
import { type KbindClusters, openKbindClusters, openProvider } from './testing/kbind-clusters.js';

const NAMESPACES: Resource = { group: '', version: 'v1', resource: 'namespaces' };
const LEASES: Resource = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

describeWithControlPlane('Connections', () => {
  let clusters: KbindClusters;
  let planes: KbindClusters['planes'];
  let consumer: Client;
  let provider: Client;
  let controller: ConnectionController;
  let running: RunningController;
  let number = 0;
  let name: string;

  beforeAll(async () => {
    clusters = await openKbindClusters();
    ({ planes, consumer, provider } = clusters);
    await offer('widgets');
  });
  afterAll(() => clusters.close());
  beforeEach(async () => {
    name = `demo-${++number}`;
    await start();
  });
  afterEach(() => running.stop());

  async function start(): Promise<void> {
    controller = createConnectionController({ open: openProvider });
    running = await runController(controller, { consumer });
  }

  async function offer(plural: string): Promise<void> {
    const crd = crdOf({ group: 'example.org', plural, kind: `K${plural}`, scope: 'Namespaced' }, { properties: {} });
    await provider.create(kubeResources.customResourceDefinitions, {
      ...crd,
      metadata: { ...crd.metadata, labels: { [labels.exported]: 'true' } },
    });
  }

  const secretKey = (): { namespace: string; name: string } => ({ namespace: 'kbind', name });

  const putSecret = (kubeconfig: string): Promise<void> => clusters.putSecret(name, kubeconfig);
  const connect = (as = name): Promise<void> => clusters.connect(as, name);

  const read = (as = name): Promise<Connection | undefined> =>
    getIfExists<Connection>(consumer, resources.connections, { name: as });

  async function conditionTexts(): Promise<Readonly<Record<string, string>>> {
    const { conditions = [] }: ConnectionStatus = (await read())?.status ?? {};
    return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
  }

  const becomes = (conditions: Readonly<Record<string, string>>): Promise<void> =>
    eventually(async () => {
      expect(await conditionTexts()).toMatchObject(conditions);
    });

  const works = { SecretValid: 'True AsExpected', Connected: 'True AsExpected', Ready: 'True AsExpected' };

  it('pin both clusters, list what is offered, hold the Secret and renew a Lease', async () => {
    await putSecret(planes.provider.kubeconfig);
    await connect();
    await becomes({ ...works, PermissionDenied: 'False AsExpected' });
    const uidOf = async (client: Client): Promise<string | undefined> =>
      (await client.get(NAMESPACES, { name: 'kube-system' })).metadata.uid;
    const [local, remote] = [await uidOf(consumer), await uidOf(provider)];
    const connection = await read();
    expect(connection).toMatchObject({
      metadata: { finalizers: ['core.kbind.io/cleanup'] },
      status: {
        localClusterUID: local,
        remoteClusterUID: remote,
        activeSchemaSource: 'CRD',
        exportedAPIs: [{ name: 'widgets.example.org', scope: 'Namespaced', versions: ['v1'] }],
      },
    });
    expect((await consumer.get(kubeResources.secrets, secretKey())).metadata.finalizers).toEqual([
      'core.kbind.io/cleanup',
    ]);
    expect(controller.links.get(name)).toMatchObject({ localUID: local, remoteUID: remote });
    await eventually(async () => {
      expect(await provider.get(LEASES, { namespace: 'kbind', name: `consumer-${local ?? ''}` })).toMatchObject({
        metadata: {
          labels: { 'core.kbind.io/managed': 'true' },
          annotations: { 'core.kbind.io/consumer-cluster-uid': local, 'core.kbind.io/connection': name },
        },
        spec: { holderIdentity: local, leaseDurationSeconds: 60 },
      });
    });

    await offer('gadgets');
    await eventually(async () => {
      expect((await read())?.status?.exportedAPIs?.map((api) => api.name)).toEqual([
        'gadgets.example.org',
        'widgets.example.org',
      ]);
    });

    await running.stop();
    const mark = await planes.consumer.auditLog().mark();
    await start();
    await eventually(() => {
      expect(controller.links.get(name)).toBeDefined();
    });
    const writes = await settled(() => planes.consumer.auditLog().writes({ since: mark }));
    expect(writes).toEqual([]);
  });

  it('wait for their Secret, and go on with what they had while its kubeconfig is refused', async () => {
    await connect();
    await becomes({ SecretValid: 'False SecretNotFound', Ready: 'False SecretNotFound' });
    const state = (): unknown => controller.states.find((one) => one.name === name);
    await eventually(() => {
      expect(state()).toMatchObject({
        isReady: false,
        problem: expect.stringContaining('SecretNotFound'),
        bindings: 0,
      });
    });
    await putSecret(planes.provider.kubeconfig);
    await becomes(works);
    await eventually(() => {
      expect(state()).toMatchObject({ isReady: true, problem: '' });
    });
    const link = controller.links.get(name);

    const program = planes.provider.kubeconfig.replace(/user:\s*\n[\s\S]*$/u, 'user: {exec: {command: id}}\n');
    await putSecret(program);
    await becomes({ SecretValid: 'False KubeconfigRefused', Ready: 'False KubeconfigRefused' });
    expect(JSON.stringify((await read())?.status?.conditions)).not.toContain('command: id');
    expect(controller.links.get(name)).toBe(link);
    await eventually(() => {
      expect(running.events.map(({ event }) => event.reason)).toContain('KubeconfigRefused');
    });
    await offer('newcomers');
    await eventually(async () => {
      expect((await read())?.status?.exportedAPIs?.map((one) => one.name)).toContain('newcomers.example.org');
    });

    await putSecret(planes.provider.kubeconfig);
    await becomes(works);
    expect(controller.links.get(name)).toBe(link);
  });

  it('go on with another kubeconfig for the same provider, and with none for another', async () => {
    await putSecret(planes.provider.kubeconfig);
    await connect();
    await becomes(works);
    const before = controller.links.get(name);
    await putSecret(await planes.provider.userKubeconfig('rotated', ['system:masters']));
    await eventually(() => {
      const after = controller.links.get(name);
      expect(after).toBeDefined();
      expect(after).not.toBe(before);
    });
    await becomes(works);

    await putSecret(planes.consumer.kubeconfig);
    await becomes({ Connected: 'False ClusterIdentityChanged', Ready: 'False ClusterIdentityChanged' });
    expect(controller.links.get(name)).toBeUndefined();

    await putSecret(planes.provider.kubeconfig);
    await becomes(works);
    expect(controller.links.get(name)).toBeDefined();
  });

  it('say what a kubeconfig lacks rights for', async () => {
    await putSecret(await planes.provider.userKubeconfig('nobody', []));
    await connect();
    await becomes({ PermissionDenied: 'True Forbidden', Ready: 'False Forbidden' });
    expect(controller.links.get(name)).toBeUndefined();
  });

  it('stay until nobody binds by them, and let go of the Secret with the last', async () => {
    await putSecret(planes.provider.kubeconfig);
    await connect();
    await connect(`${name}-b`);
    await becomes(works);
    const binding = { name };
    await consumer.create(resources.clusterBindings, {
      apiVersion: 'core.kbind.io/v1alpha1',
      kind: 'ClusterBinding',
      metadata: binding,
      spec: { connectionRef: { name }, apis: [{ name: 'widgets.example.org' }] },
    } as KubeObject);
    await consumer.delete(resources.connections, { name });
    await becomes({ ...works, Ready: 'False DrainingBindings' });
    expect(controller.links.get(name)).toBeDefined();
    await offer('latecomers');
    await eventually(async () => {
      expect((await read())?.status?.exportedAPIs?.map((api) => api.name)).toContain('latecomers.example.org');
    });
    await consumer.delete(kubeResources.secrets, secretKey());
    await consumer.delete(resources.clusterBindings, binding);
    await eventually(async () => {
      expect(await read()).toBeUndefined();
    });
    expect((await consumer.get(kubeResources.secrets, secretKey())).metadata.deletionTimestamp).toBeDefined();
    await consumer.delete(resources.connections, { name: `${name}-b` });
    await eventually(async () => {
      expect(await getIfExists(consumer, kubeResources.secrets, secretKey())).toBeUndefined();
      expect(await read(`${name}-b`)).toBeUndefined();
    });
  });

  it('end the heartbeat with the last of a provider', async () => {
    for (const { metadata } of (await consumer.list(resources.connections)).items)
      await consumer.delete(resources.connections, metadata);
    await putSecret(planes.provider.kubeconfig);
    await connect();
    await connect(`${name}-b`);
    const lease = async (): Promise<KubeObject | undefined> => {
      const { uid = '' } = (await consumer.get(NAMESPACES, { name: 'kube-system' })).metadata;
      return getIfExists<KubeObject>(provider, LEASES, { namespace: 'kbind', name: `consumer-${uid}` });
    };
    await eventually(async () => {
      expect(controller.links.get(name)).toBeDefined();
      expect(controller.links.get(`${name}-b`)).toBeDefined();
      expect(await lease()).toBeDefined();
    });
    await consumer.delete(resources.connections, { name });
    await eventually(async () => {
      expect(await read()).toBeUndefined();
    });
    expect(await lease()).toBeDefined();
    await consumer.delete(resources.connections, { name: `${name}-b` });
    await eventually(async () => {
      expect(await read(`${name}-b`)).toBeUndefined();
    });
    expect(await lease()).toBeUndefined();
  });
});
