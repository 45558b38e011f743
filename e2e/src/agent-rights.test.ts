import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '@hawser/client';
import { parse } from '@hawser/json';
import { eventually } from '@hawser/testenv';
import { databaseRights, databasesOf, key, local, namespaces, remote, secrets } from './agent-databases.js';
import { describeAgentSystem } from './agent-suite.js';
import { type ConsumerWorkspace, EXPORT, RELEASE, agentNamespace, agentUser } from './agent-system.js';
import { type Ended, runCommand } from './command.js';
import { LONG } from './copies.js';
import { standsBy, working } from './program.js';
import { executables } from './roles.js';
import { root } from './root.js';

const NAME = 'agent-rights';
const LEASE_DURATION_MS = 15_000;
const rbac = (resource: string): { readonly group: string; readonly version: string; readonly resource: string } => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource,
});

interface Role extends KubeObject {
  readonly rules: readonly unknown[];
}

describeAgentSystem(
  'an agent with exactly the rights that hawser rbac prints',
  {
    name: NAME,
    rights: {
      publishedResources: databaseRights,
      relatedFromService: [{ group: '', resources: ['secrets'] }],
      namespaces: { remove: true },
    },
  },
  (system, it) => {
    const databases = databasesOf(system);
    const folder = join(root, 'tmp', 'e2e', NAME);
    let a: ConsumerWorkspace;

    /** `own`: with the agent's credentials on both sides; else with the administrator's. */
    const hawser = (own: boolean, ...args: readonly string[]): Promise<Ended> => {
      const kubeconfig = own ? join(folder, 'service.kubeconfig') : system().service.kubeconfigFile;
      const kcp = own ? system().kcpKubeconfig : join(folder, 'kcp-administrator.kubeconfig');
      const about = [
        `--kubeconfig=${kubeconfig}`,
        `--kcp-kubeconfig=${kcp}`,
        `--apiexportendpointslice-ref=${EXPORT}`,
        `--agent-namespace=${agentNamespace}`,
        `--agent-name=${RELEASE}`,
      ];
      return runCommand(executables.hawser, [...args, '--roles=syncagent', ...about]);
    };

    beforeAll(async () => {
      writeFileSync(join(folder, 'kcp-administrator.kubeconfig'), system().kcp.kubeconfig(system().providerPath), {
        mode: 0o600,
      });
      await databases.install();
      // Who removes namespaces has to see that they are empty.
      await system().service.apply({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'look-into-namespaces', labels: { 'rbac.hawser.dev/aggregate-to-syncagent': 'true' } },
        rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['list'] }],
      });
    });

    it('an agent that is killed is followed within the life of its Lease, with the rights of the chart', async () => {
      const leader = await system().startAgent({ args: ['--enable-leader-election'] });
      const standby = await system().startAgent({ args: ['--enable-leader-election'], wait: false });
      await standsBy(standby);
      await databases.publish({
        related: [
          {
            identifier: 'credentials',
            origin: 'service',
            kind: 'Secret',
            cleanup: true,
            object: { template: { template: '{{ .Object.metadata.name }}-credentials' } },
          },
        ],
      });
      a = await system().consumer('a');
      await databases.served(a);
      await databases.create(a, 'one');
      await databases.placed(a, 'one');
      await leader.stop('SIGKILL');
      const from = performance.now();
      await working(standby, 'syncagent works');
      // The Lease, one retry, and the start of the work on a busy machine.
      expect(performance.now() - from).toBeLessThan(LEASE_DURATION_MS + 12_000);
      await databases.create(a, 'two');
      await databases.placed(a, 'two');
      // One that ends in order lets go of the Lease.
      await standby.stop();
      const lease = await system().service.client.get(
        { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' },
        { namespace: agentNamespace, name: `syncagent.${RELEASE}` },
      );
      expect(lease['spec']).toMatchObject({ holderIdentity: '' });
    });

    it('the chart gives all that is printed', async () => {
      const printed = await hawser(
        false,
        'rbac',
        `--service-account=${agentNamespace}/${RELEASE}-syncagent`,
        '--remove-namespaces',
      );
      expect(printed.err).toBe('');
      expect(printed.out).toContain(`# ServiceAccount ${agentNamespace}/${RELEASE}-syncagent has all of it.`);
      const withoutRights = await hawser(false, 'rbac', '--service-account=default/nobody');
      expect(withoutRights).toMatchObject({
        code: 1,
        out: expect.stringContaining(
          '#   in the whole cluster: get, list, watch, create, patch, delete databases.example.com',
        ),
      });
    });

    it('what is printed is enough, on both sides', async () => {
      const { out } = await hawser(false, 'rbac', '--remove-namespaces');
      const roles = parseAllDocuments(out).map((document) => document.toJS() as Role);
      const inKcp = roles.findLast(({ metadata }) => metadata.name === `hawser-syncagent-${RELEASE}`);
      expect(roles.map(({ metadata: { namespace, name } }) => `${namespace ?? ''}/${name}`)).toEqual([
        `/hawser-syncagent-${RELEASE}`,
        `${agentNamespace}/hawser-syncagent-${RELEASE}`,
        `default/hawser-syncagent-${RELEASE}-events`,
        '/hawser-published-databases',
        `/hawser-syncagent-${RELEASE}`,
      ]);
      // In place of all that the chart has given.
      const { service, provider } = system();
      const ofChart = `app.kubernetes.io/instance=${RELEASE}`;
      await service.kubectl(['delete', 'clusterrolebindings,clusterroles', '-l', ofChart]);
      await service.kubectl(['delete', 'clusterrole', 'look-into-namespaces']);
      for (const namespace of [agentNamespace, 'default'])
        await service.kubectl(['delete', 'rolebindings,roles', '-n', namespace, '-l', ofChart]);
      const [, account = ''] = /:([^:]+)$/u.exec(agentUser) ?? [];
      for (const role of roles.slice(0, -1)) {
        const {
          kind,
          metadata: { name, namespace },
        } = role;
        await service.apply(role, {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: `${kind}Binding`,
          metadata: { name, namespace },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
          subjects: [{ kind: 'ServiceAccount', name: account, namespace: agentNamespace }],
        });
      }
      await provider.patch(rbac('clusterroles'), { name: 'agent' }, { type: 'merge', patch: { rules: inKcp?.rules } });

      const agent = await system().startAgent({ args: ['--enable-leader-election'] });
      await databases.create(a, 'three');
      await databases.placed(a, 'three');
      await service.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'three-credentials', namespace: `ws-${a.cluster}` },
        stringData: { password: 'example' },
      });
      await eventually(() => a.client.get(secrets, { namespace: 'default', name: 'three-credentials' }), LONG);
      await service.client.patch(
        local,
        { namespace: `ws-${a.cluster}`, name: 'three' },
        { type: 'merge', patch: { status: { phase: 'Ready' } } },
        { subresource: 'status' },
      );
      await eventually(async () => {
        expect((await databases.read(a, 'three'))['status']).toMatchObject({ phase: 'Ready' });
      }, LONG);

      // The agent's own rights are enough to look, too; and what it has done leaves nothing to do.
      await eventually(async () => {
        expect(await hawser(true, 'plan')).toMatchObject({
          code: 0,
          out: expect.stringMatching(/\nNothing to write\.\n$/u),
        });
      }, LONG);
      expect(await hawser(true, 'why', 'database', 'three', '-w', a.path, '--dry-run=none')).toMatchObject({
        code: 0,
        out: expect.stringContaining('is in step.\n  published by databases, copy '),
      });

      // Whoever owns the Secret removes it: what is in a namespace when the last copy leaves keeps it.
      await service.client.delete(secrets, { namespace: `ws-${a.cluster}`, name: 'three-credentials' });
      await eventually(async () => {
        await expect(
          service.client.get(secrets, { namespace: `ws-${a.cluster}`, name: 'three-credentials' }),
        ).rejects.toMatchObject({ code: 'NotFound' });
      }, LONG);
      for (const name of ['one', 'two', 'three']) await a.client.delete(remote, key(name));
      for (const name of ['one', 'two', 'three']) await databases.gone(a, name);
      await eventually(async () => {
        await expect(service.client.get(namespaces, { name: `ws-${a.cluster}` })).rejects.toMatchObject({
          code: 'NotFound',
        });
      }, LONG);
      expect(agent.log()).not.toMatch(/Forbidden/u);
    });

    it('to look at what an agent is doing writes nothing', async () => {
      const before = await system().service.controlPlane?.auditLog().mark();
      await databases.create(a, 'four');
      const plan = await hawser(false, 'plan', '-o', 'json');
      expect(parse(plan.out)).toMatchObject({ writes: expect.any(Array), held: [] });
      await hawser(false, 'why', '--all');
      await databases.placed(a, 'four');
      const requests =
        (await system()
          .service.controlPlane?.auditLog()
          .entries({ ...(before === undefined ? {} : { since: before }), userAgent: 'hawser-explain' })) ?? [];
      expect(requests.length).toBeGreaterThan(10);
      expect(requests.filter(({ write }) => write)).toEqual([]);
    });
  },
);
