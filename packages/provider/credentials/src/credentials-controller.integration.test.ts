import type { KubeObject } from '@hawser/client';
import {
  type ClusterBinding,
  kubeBindDialect,
  type Secret,
  formatTime,
  getCondition,
  resources,
} from '@hawser/kube-bind';
import { type ConnectionConfig, parseSecretKubeconfig } from '@hawser/kubeconfig';
import { describeWithControlPlane, eventually, uniqueNamespace } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../servicenamespace/src/testing/provider-cluster.js';
import { type CredentialsOptions, createCredentialsController } from './credentials-controller.js';
import { rights } from './testing/rights.js';
import { whoIs } from './testing/who-is.js';

describeWithControlPlane(
  'createCredentialsController',
  () => {
    let cluster: ProviderCluster;
    let running: Running;
    let namespace: string;

    beforeAll(async () => {
      cluster = await openProviderCluster(rights, { controllerManager: true });
    });
    afterAll(() => cluster.close());
    afterEach(() => running.stop());

    const start = async (options: Partial<CredentialsOptions> = {}): Promise<void> => {
      const { server, caData } = cluster.plane.connection;
      running = await cluster.run(
        createCredentialsController({ dialect: kubeBindDialect, endpoint: () => ({ server, caData }), ...options }),
      );
    };
    const onboard = async (
      annotations: Record<string, string> = {},
      identity: Record<string, string> = { 'backend.kube-bind.io/identity': 'acme' },
    ): Promise<void> => {
      namespace = uniqueNamespace('kube-bind');
      await cluster.client.create(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace, annotations: identity },
      });
      const spec = { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Lab' };
      await cluster.client.create(resources.clusterBindings, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'ClusterBinding',
        metadata: { name: 'cluster', namespace, annotations },
        spec,
      } as KubeObject);
    };
    const annotate = async (annotations: Record<string, string | null>): Promise<void> => {
      await cluster.client.patch(
        resources.clusterBindings,
        { namespace, name: 'cluster' },
        { type: 'merge', patch: { metadata: { annotations } } },
      );
    };
    const heartbeat = async (at = Date.now()): Promise<void> => {
      await cluster.client.patch(
        resources.clusterBindings,
        { namespace, name: 'cluster' },
        { type: 'merge', patch: { status: { lastHeartbeatTime: formatTime(at), heartbeatInterval: '5m0s' } } },
        { subresource: 'status' },
      );
    };
    const secret = (name: string): Promise<Secret | undefined> =>
      cluster.read<Secret>(resources.secrets, { namespace, name });
    const expiring = async (): Promise<string | undefined> =>
      getCondition(
        (await cluster.read<ClusterBinding>(resources.clusterBindings, { namespace, name: 'cluster' }))?.status
          ?.conditions,
        'CredentialExpiring',
      )?.reason;
    const handedOut = async (): Promise<ConnectionConfig | undefined> => {
      const text = (await secret('kubeconfig'))?.data?.['kubeconfig'];
      const read = parseSecretKubeconfig(Buffer.from(text ?? '', 'base64'));
      return read.ok ? read.connection : undefined;
    };
    const tokenOf = (connection: ConnectionConfig | undefined): string =>
      connection?.credentials.kind === 'token' ? connection.credentials.token : '';
    const isWorking = async (before = ''): Promise<ConnectionConfig> => {
      let connection: ConnectionConfig | undefined;
      await eventually(async () => {
        connection = await handedOut();
        expect(tokenOf(connection)).not.toBe(before);
        expect(await whoIs(connection!)).toBe(`system:serviceaccount:${namespace}:kube-binder`);
      });
      return connection!;
    };
    const isDead = async (connection: ConnectionConfig): Promise<unknown> =>
      eventually(
        async () => {
          expect(await whoIs(connection)).toBe('Unauthorized');
        },
        { timeoutMs: 60_000 },
      );
    const writes = async (): Promise<readonly string[]> =>
      (await cluster.settledWrites())
        .filter((write) => write.namespace === namespace && write.code < 300)
        .map(({ verb, resource, name, subresource }) =>
          [verb, resource, subresource, name].filter((part) => part !== undefined).join(' '),
        );

    const fill = async (bytes: number): Promise<void> => {
      await cluster.client.patch(
        resources.clusterBindings,
        { namespace, name: 'cluster' },
        { type: 'merge', patch: { status: { konnectorVersion: 'v'.repeat(bytes), conditions: null } } },
        { subresource: 'status' },
      );
    };
    /** As full as the API server takes a ClusterBinding, it sends etcd 2 MiB here, and without conditions. */
    const leaveNoRoom = async (): Promise<void> => {
      let full = 1_500_000;
      for (let step = 400_000; step >= 1; step = Math.floor(step / 2)) {
        const fits = await fill(full + step).then(
          () => true,
          () => false,
        );
        if (fits) full += step;
      }
    };

    it('gives a consumer what the Go backend gives it, and writes nothing more, at a restart neither', async () => {
      await onboard();
      await start();
      const connection = await isWorking();
      expect(connection.namespace).toBe(namespace);
      expect((await secret('kube-binder'))?.type).toBe('kubernetes.io/service-account-token');
      expect((await secret('kubeconfig'))?.metadata.annotations).toBeUndefined();
      const made = ['create serviceaccounts kube-binder', 'create secrets kube-binder', 'create secrets kubeconfig'];
      expect(await writes()).toEqual(made);
      await running.stop();
      await start({ endpoint: () => ({ server: 'https://elsewhere.example' }) });
      expect(await writes()).toEqual(made);
      expect(
        running.events.filter(({ regarding }) => regarding.namespace === namespace).map(({ event }) => event.reason),
      ).toEqual(['KubeconfigOutdated']);
    });

    it('makes again what is deleted', async () => {
      await onboard();
      await start();
      const { token } = (await isWorking()).credentials as { readonly token: string };
      await cluster.client.delete(resources.secrets, { namespace, name: 'kube-binder' });
      const { token: second } = (await isWorking(token)).credentials as { readonly token: string };
      await cluster.client.delete(resources.secrets, { namespace, name: 'kubeconfig' });
      expect(tokenOf(await isWorking())).toBe(second);
      await cluster.client.delete(resources.serviceAccounts, { namespace, name: 'kube-binder' });
      await isWorking(second);
    });

    it('makes no more than five token Secrets in a row where a job deletes them', async () => {
      await start();
      await onboard();
      const deleted = new Set<string | undefined>();
      for (let made = 0; made < 5; made += 1)
        await eventually(async () => {
          const found = await secret('kube-binder');
          expect(found).toBeDefined();
          expect(deleted).not.toContain(found?.metadata.uid);
          await cluster.client.delete(resources.secrets, { namespace, name: 'kube-binder' });
          deleted.add(found?.metadata.uid);
        });
      expect((await writes()).filter((write) => write === 'create secrets kube-binder')).toHaveLength(5);
      expect(await secret('kube-binder')).toBeUndefined();
    });

    it('does not count a token Secret that the API server refused to make', async () => {
      await onboard();
      const quotas = { group: '', version: 'v1', resource: 'resourcequotas' };
      const key = { namespace, name: 'no-secrets' };
      const hard = { secrets: '0' };
      await cluster.client.create(quotas, {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: key,
        spec: { hard },
      } as KubeObject);
      // As the controller of quotas would, which does not run here.
      await cluster.client.patch(
        quotas,
        key,
        { type: 'merge', patch: { status: { hard, used: { secrets: '0' } } } },
        { subresource: 'status' },
      );
      await start();
      await eventually(
        async () => {
          const refused = (await cluster.writes()).filter(
            (write) => write.namespace === namespace && write.resource === 'secrets' && write.code === 403,
          );
          expect(refused.length).toBeGreaterThan(5);
        },
        { timeoutMs: 60_000 },
      );
      await cluster.client.delete(quotas, key);
      await isWorking();
    });

    it('replaces a token on request: the old one works until the consumer has the new one', async () => {
      await onboard();
      await start({ overlapMs: 2_000 });
      const old = await isWorking();
      await annotate({ 'hawser.dev/replace-credential': 'monday' });
      const fresh = await isWorking(tokenOf(old));
      expect(await whoIs(old)).toContain('kube-binder');
      await eventually(async () => {
        expect(await expiring()).toBe('ConsumerNotSeen');
      });
      expect(await whoIs(old)).toContain('kube-binder');
      await heartbeat();
      await isDead(old);
      expect(await whoIs(fresh)).toContain('kube-binder');
      await eventually(async () => {
        expect(await expiring()).toBeUndefined();
      });
      const before = await writes();
      await annotate({ 'hawser.dev/replace-credential': null });
      expect(await writes()).toEqual(before);
    });

    it('ends all access on revocation, and gives other access when that is taken back', async () => {
      await onboard();
      await start();
      const old = await isWorking();
      await annotate({ 'hawser.dev/revoke-credential': 'lost' });
      await isDead(old);
      await eventually(async () => {
        expect(await expiring()).toBe('CredentialRevoked');
      });
      expect(await secret('kube-binder')).toBeUndefined();
      expect(
        running.events.filter(({ regarding }) => regarding.namespace === namespace).map(({ event }) => event.reason),
      ).toEqual(['CredentialRevoked']);
      await annotate({ 'hawser.dev/revoke-credential': null });
      await isWorking(tokenOf(old));
      expect(await whoIs(old)).toBe('Unauthorized');
      await eventually(async () => {
        expect(await expiring()).toBeUndefined();
      });
    });

    it('ends what was replaced, though whoever has it leaves no room for a condition', async () => {
      await onboard({ 'hawser.dev/credential': 'Rotating' });
      await start({ overlapMs: 2_000 });
      const old = await isWorking();
      await heartbeat();
      await leaveNoRoom();
      await cluster.client.patch(
        resources.namespaces,
        { name: namespace },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/replace-credential': 'stolen' } } } },
      );
      const fresh = await isWorking(tokenOf(old));
      await eventually(
        async () => {
          await heartbeat();
          expect(await whoIs(old)).toBe('Unauthorized');
        },
        { timeoutMs: 60_000, intervalMs: 500 },
      );
      expect(await whoIs(fresh)).toContain('kube-binder');
      expect(await expiring()).toBeUndefined();
    });

    it('ends all access by the cluster namespace, when the consumer has left no room on its ClusterBinding', async () => {
      await onboard();
      await start();
      const old = await isWorking();
      await leaveNoRoom();
      await expect(annotate({ 'hawser.dev/revoke-credential': 'stolen' })).rejects.toThrow();
      await cluster.client.patch(
        resources.namespaces,
        { name: namespace },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/revoke-credential': 'stolen' } } } },
      );
      await isDead(old);
      expect(await secret('kube-binder')).toBeUndefined();
      await eventually(() => {
        expect(
          running.events.filter(({ regarding }) => regarding.namespace === namespace).map(({ event }) => event.reason),
        ).toContain('CredentialRevoked');
      });
      await fill(10);
      await cluster.client.patch(
        resources.namespaces,
        { name: namespace },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/revoke-credential': null } } } },
      );
      await isWorking(tokenOf(old));
    });

    it('gives a marked consumer a token that expires, and another one at half its life', async () => {
      await onboard();
      await start({ tokenLifeMs: 3_600_000, overlapMs: 500 });
      const old = await isWorking();
      await annotate({ 'hawser.dev/credential': 'Rotating' });
      const first = await isWorking(tokenOf(old));
      const notes = (await secret('kubeconfig'))?.metadata.annotations ?? {};
      const life =
        Date.parse(notes['hawser.dev/credential-expires'] ?? '') -
        Date.parse(notes['hawser.dev/credential-issued'] ?? '');
      expect(life).toBeGreaterThan(3_500_000);
      expect(life).toBeLessThan(3_700_000);
      await heartbeat(Date.now() + 2_000);
      await isDead(old);
      await eventually(async () => {
        expect(await expiring()).toBe('CredentialRefreshed');
      });

      // As if half an hour had gone by.
      await cluster.client.patch(
        resources.secrets,
        { namespace, name: 'kubeconfig' },
        {
          type: 'merge',
          patch: {
            metadata: {
              annotations: {
                'hawser.dev/credential-issued': formatTime(Date.now() - 1_800_000),
                'hawser.dev/credential-expires': formatTime(Date.now() + 1_700_000),
              },
            },
          },
        },
      );
      const second = await isWorking(tokenOf(first));
      // What was before is left to expire.
      expect(await whoIs(first)).toContain('kube-binder');
      // Somebody deletes the ServiceAccount, and every token with it; what they hang on besides stays.
      await cluster.client.delete(resources.serviceAccounts, { namespace, name: 'kube-binder' });
      const third = await isWorking(tokenOf(second));
      await annotate({ 'hawser.dev/revoke-credential': '' });
      await Promise.all([isDead(first), isDead(second), isDead(third)]);
    });

    it("keeps away from what is not a consumer's", async () => {
      await onboard({}, {});
      await start();
      expect(await writes()).toEqual([]);

      namespace = uniqueNamespace('kube-bind');
      await cluster.client.create(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace, annotations: { 'backend.kube-bind.io/identity': 'other' } },
      });
      await cluster.client.create(resources.secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'kubeconfig', namespace },
        data: { password: 'aHVudGVyMg==' },
      } as KubeObject);
      const spec = { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Lab' };
      await cluster.client.create(resources.clusterBindings, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'ClusterBinding',
        metadata: { name: 'cluster', namespace },
        spec,
      } as KubeObject);
      await eventually(() => {
        expect(
          running.events.filter(({ regarding }) => regarding.namespace === namespace).map(({ event }) => event.reason),
        ).toEqual(['CredentialConflict']);
      });
      expect((await secret('kubeconfig'))?.data).toEqual({ password: 'aHVudGVyMg==' });
    });

    it('reads and writes no Secret of another name, which it has no right to, unless a ClusterBinding names one', async () => {
      await start();
      namespace = uniqueNamespace('kube-bind');
      await cluster.client.create(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace, annotations: { 'backend.kube-bind.io/identity': 'named' } },
      });
      const spec = { kubeconfigSecretRef: { name: 'elsewhere', key: 'config' }, providerPrettyName: 'Lab' };
      await cluster.client.create(resources.clusterBindings, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'ClusterBinding',
        metadata: { name: 'cluster', namespace },
        spec,
      } as KubeObject);
      await eventually(() => {
        expect(
          running.events.filter(({ regarding }) => regarding.namespace === namespace).map(({ event }) => event.reason),
        ).toContain('CredentialRefused');
      });
      const named = [
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['elsewhere'], verbs: ['get', 'patch'] },
      ];
      await cluster.grant(named);
      await eventually(
        async () => {
          expect(Object.keys((await secret('elsewhere'))?.data ?? {})).toEqual(['config']);
        },
        { timeoutMs: 60_000 },
      );
    });

    it('says no token in any Event', async () => {
      await onboard();
      await start();
      const token = tokenOf(await isWorking());
      await annotate({ 'hawser.dev/revoke-credential': 'lost' });
      await eventually(() => {
        expect(running.events.length).toBeGreaterThan(0);
      });
      expect(JSON.stringify(running.events)).not.toContain(token.slice(0, 20));
    });
  },
  { controllerManager: true },
);
