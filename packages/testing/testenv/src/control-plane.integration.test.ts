import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ControlPlane, type SharedControlPlane, describeWithControlPlane, eventually, sharedControlPlane, startControlPlane, uniqueNamespace } from './index.js';

describeWithControlPlane('the shared control plane', () => {
  let cluster: SharedControlPlane;
  let namespace: string;

  beforeAll(async () => {
    cluster = await sharedControlPlane('consumer');
    namespace = uniqueNamespace();
    await cluster.kubectl(['create', 'namespace', namespace]);
  });

  it('is the same one whoever asks', async () => {
    expect((await sharedControlPlane('consumer')).connection.server).toBe(cluster.connection.server);
  });

  it('listens on loopback only', () => {
    expect(cluster.connection.server).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/u);
  });

  it('gives a ServiceAccount no rights but those that RBAC grants', async () => {
    const access = await cluster.serviceAccountAccess(namespace, 'reader', { contextNamespace: 'elsewhere' });
    expect(access.connection.namespace).toBe('elsewhere');
    expect(access.kubeconfig).toContain('namespace: elsewhere');
  });

  it('lists the writes of a user, and leaves out reads, dry runs and reviews', async () => {
    const audit = cluster.auditLog();
    const since = await audit.mark();
    await cluster.kubectl(['-n', namespace, 'create', 'configmap', 'one', '--from-literal=a=b', '--dry-run=server']);
    await cluster.kubectl(['-n', namespace, 'create', 'configmap', 'two']);
    await cluster.kubectl(['-n', namespace, 'get', 'configmap', 'two']);
    await cluster.kubectl(['auth', 'can-i', 'create', 'pods']);
    const writes = await audit.writes({ since, user: 'admin', namespace });
    expect(writes.map(({ verb, resource, name, code }) => ({ verb, resource, name, code }))).toEqual([{ verb: 'create', resource: 'configmaps', name: 'two', code: 201 }]);
    const all = await audit.entries({ since, namespace, resource: 'configmaps' });
    expect(all.map(({ verb, dryRun }) => [verb, dryRun])).toEqual([['create', true], ['create', false], ['get', false]]);
  });
});

describeWithControlPlane('a control plane of one\'s own', () => {
  let cluster: ControlPlane;
  beforeAll(async () => { cluster = await startControlPlane({ controllerManager: true }); });
  afterAll(async () => { await cluster.stop(); });

  it('keeps its data and its port over a restart of the API server', async () => {
    await cluster.kubectl(['create', 'namespace', 'kept']);
    let answeredWhileDown = true;
    await cluster.restartApiServer({
      signal: 'SIGKILL',
      whileDown: async () => { answeredWhileDown = await cluster.request({ method: 'GET', path: '/readyz' }).then(() => true, () => false); },
    });
    expect(answeredWhileDown).toBe(false);
    expect(await cluster.kubectl(['get', 'namespace', 'kept', '-o', 'name'])).toBe('namespace/kept\n');
  });

  it('finishes the deletion of a namespace and collects garbage, having a controller manager', async () => {
    await cluster.kubectl(['create', 'namespace', 'going']);
    await cluster.kubectl(['-n', 'going', 'create', 'configmap', 'inside']);
    await cluster.kubectl(['delete', 'namespace', 'going', '--wait=false']);
    await eventually(async () => { expect((await cluster.request({ method: 'GET', path: '/api/v1/namespaces/going' })).status).toBe(404); }, { timeoutMs: 40_000, intervalMs: 200 });
  });

  describe('after stop', () => {
    it('has left nothing behind', async () => {
      const { kubeconfigFile } = cluster;
      expect(existsSync(kubeconfigFile)).toBe(true);
      await cluster.stop();
      expect(existsSync(kubeconfigFile)).toBe(false);
      await expect(cluster.request({ method: 'GET', path: '/readyz' })).rejects.toThrow('ECONNREFUSED');
    });
  });
}, { controllerManager: true });
