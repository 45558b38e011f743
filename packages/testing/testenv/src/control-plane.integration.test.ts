import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type ControlPlane,
  type SharedControlPlane,
  describeWithControlPlane,
  eventually,
  sharedControlPlane,
  startControlPlane,
  uniqueNamespace,
} from './index.js';

/** A machine that is busy with other suites needs several times as long as a quiet one. */
const slow = 180_000;

describeWithControlPlane('the shared control plane', () => {
  let cluster: SharedControlPlane;
  let namespace: string;
  let folder: string;

  beforeAll(async () => {
    cluster = await sharedControlPlane('consumer');
    namespace = uniqueNamespace();
    folder = await mkdtemp(join(tmpdir(), 'hawser-kubeconfigs-'));
    await cluster.kubectl(['create', 'namespace', namespace]);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('is the same one whoever asks', async () => {
    expect((await sharedControlPlane('consumer')).connection.server).toBe(cluster.connection.server);
  });

  it('listens on loopback only', () => {
    expect(cluster.connection.server).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/u);
  });

  /** Exit of `kubectl auth can-i` with that kubeconfig. */
  async function may(kubeconfig: string, verb: string, resource: string): Promise<boolean> {
    const kubeconfigFile = join(folder, `${verb}-${crypto.randomUUID()}`);
    await writeFile(kubeconfigFile, kubeconfig);
    return await cluster.kubectl(['auth', 'can-i', verb, resource, '-n', namespace], { kubeconfigFile }).then(
      (answer) => answer === 'yes\n',
      () => false,
    );
  }

  it('gives ServiceAccounts and users the rights that RBAC grants, and no others', async () => {
    const account = await cluster.serviceAccountAccess(namespace, 'reader', { contextNamespace: 'elsewhere' });
    const [member, stranger] = [
      await cluster.userKubeconfig('jane', ['db:readers']),
      await cluster.userKubeconfig('joe', ['others']),
    ];
    expect(account.connection.namespace).toBe('elsewhere');
    expect(account.kubeconfig).toContain('namespace: elsewhere');
    const ask = () =>
      Promise.all([account.kubeconfig, member, stranger].map((kubeconfig) => may(kubeconfig, 'list', 'secrets')));
    expect(await ask()).toEqual([false, false, false]);
    await cluster.kubectl(['-n', namespace, 'create', 'role', 'reader', '--verb=list', '--resource=secrets']);
    await cluster.kubectl([
      '-n',
      namespace,
      'create',
      'rolebinding',
      'reader',
      '--role=reader',
      `--serviceaccount=${namespace}:reader`,
      '--group=db:readers',
    ]);
    await eventually(async () => {
      expect(await ask()).toEqual([true, true, false]);
    });
    expect(await may(account.kubeconfig, 'delete', 'secrets')).toBe(false);
  });

  it('lists the writes of a user, and leaves out reads, dry runs and reviews', async () => {
    const audit = cluster.auditLog();
    const since = await audit.mark();
    await cluster.kubectl(['-n', namespace, 'create', 'configmap', 'one', '--from-literal=a=b', '--dry-run=server']);
    await cluster.kubectl(['-n', namespace, 'create', 'configmap', 'two']);
    await cluster.kubectl(['-n', namespace, 'get', 'configmap', 'two']);
    await cluster.kubectl(['auth', 'can-i', 'create', 'pods']);
    const writes = await audit.writes({ since, user: 'admin', namespace });
    expect(writes.map(({ verb, resource, name, code }) => ({ verb, resource, name, code }))).toEqual([
      { verb: 'create', resource: 'configmaps', name: 'two', code: 201 },
    ]);
    const all = await audit.entries({ since, namespace, resource: 'configmaps' });
    expect(all.map(({ verb, dryRun }) => [verb, dryRun])).toEqual([
      ['create', true],
      ['create', false],
      ['get', false],
    ]);
  });
});

describeWithControlPlane(
  "a control plane of one's own",
  () => {
    let cluster: ControlPlane;
    beforeAll(async () => {
      cluster = await startControlPlane({ controllerManager: true });
    }, slow);
    afterAll(async () => {
      await cluster.stop();
    });

    it(
      'keeps its data and its port over a restart of the API server',
      async () => {
        await cluster.kubectl(['create', 'namespace', 'kept']);
        let answeredWhileDown = true;
        await cluster.restartApiServer({
          signal: 'SIGKILL',
          whileDown: async () => {
            answeredWhileDown = await cluster.request({ method: 'GET', path: '/readyz' }).then(
              () => true,
              () => false,
            );
          },
        });
        expect(answeredWhileDown).toBe(false);
        expect(await cluster.kubectl(['get', 'namespace', 'kept', '-o', 'name'])).toBe('namespace/kept\n');
      },
      slow,
    );

    it(
      'finishes what an API server alone only begins, having a controller manager',
      async () => {
        const apply = (object: object) => cluster.kubectl(['create', '-f', '-'], { input: JSON.stringify(object) });
        const read = async (path: string) => {
          const answer = await cluster.request({ method: 'GET', path });
          return answer.status === 200
            ? (JSON.parse(answer.text) as { metadata: { uid: string }; data?: { token?: string }; rules?: unknown[] })
            : answer.status;
        };
        const configMaps = '/api/v1/namespaces/default/configmaps';
        await cluster.kubectl(['create', 'namespace', 'going']);
        await cluster.kubectl(['-n', 'going', 'create', 'configmap', 'inside']);
        await cluster.kubectl(['create', 'configmap', 'owner']);
        const owner = (await read(`${configMaps}/owner`)) as { metadata: { uid: string } };
        await apply({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: {
            name: 'owned',
            ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }],
          },
        });
        await apply({
          apiVersion: 'v1',
          kind: 'Secret',
          type: 'kubernetes.io/service-account-token',
          metadata: { name: 'token', annotations: { 'kubernetes.io/service-account.name': 'default' } },
        });
        await apply({
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: 'sum' },
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'yes' } }] },
        });
        await apply({
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: 'part', labels: { part: 'yes' } },
          rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
        });

        await cluster.kubectl(['delete', 'configmap', 'owner']);
        await cluster.kubectl(['delete', 'namespace', 'going', '--wait=false']);
        await eventually(
          async () => {
            expect(await read('/api/v1/namespaces/default/secrets/token')).toMatchObject({
              data: { token: expect.any(String) },
            });
            expect(await read('/apis/rbac.authorization.k8s.io/v1/clusterroles/sum')).toMatchObject({
              rules: [{ resources: ['pods'] }],
            });
            expect(await read(`${configMaps}/owned`)).toBe(404);
            expect(await read('/api/v1/namespaces/going')).toBe(404);
          },
          { timeoutMs: 120_000, intervalMs: 200 },
        );
      },
      slow,
    );

    describe('after stop', () => {
      it('has left nothing behind', async () => {
        const { kubeconfigFile } = cluster;
        expect(existsSync(kubeconfigFile)).toBe(true);
        await cluster.stop();
        expect(existsSync(kubeconfigFile)).toBe(false);
        await expect(cluster.request({ method: 'GET', path: '/readyz' })).rejects.toThrow('ECONNREFUSED');
      });
    });
  },
  { controllerManager: true },
);
