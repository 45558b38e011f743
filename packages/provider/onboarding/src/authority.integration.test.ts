import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubeObject, createClient } from '@hawser/client';
import { type BindableResourcesRequest, formatTime, kubeBindDialect, resources, type Secret } from '@hawser/kube-bind';
import { type ConnectionConfig, parseSecretKubeconfig } from '@hawser/kubeconfig';
import { createCertificateAuthority, describeWithControlPlane, eventually, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createCredentialsController } from '../../credentials/src/credentials-controller.js';
import { rights as credentialRights } from '../../credentials/src/testing/rights.js';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../servicenamespace/src/testing/provider-cluster.js';
import { createConsumerAccessController } from './access-controller.js';
import { createAnswerController } from './answer-controller.js';
import { createOnboardingController } from './onboarding-controller.js';
import { rights } from './testing/rights.js';

describeWithControlPlane(
  'a certificate authority that is replaced',
  () => {
    let cluster: ProviderCluster;
    let running: Running;
    let home: string;
    let namespace: string;
    let caData: string | undefined;

    beforeAll(async () => {
      cluster = await openProviderCluster([...rights, ...credentialRights], { controllerManager: true });
      caData = cluster.plane.connection.caData;
      const rules = [
        { apiGroups: ['kube-bind.io'], resources: ['apiserviceexports'], verbs: ['get', 'list', 'watch'] },
      ];
      await cluster.client.create(resources.clusterRoles, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'kube-binder' },
        rules,
      } as KubeObject);
      home = uniqueNamespace('onboarding');
      await cluster.client.create(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: home },
      });
      await start();
      await cluster.client.create(resources.bindableResourcesRequests, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'BindableResourcesRequest',
        metadata: { name: 'acme', namespace: home },
        spec: { author: 'jane', clusterIdentity: { identity: 'acme' } },
      } as KubeObject);
      await eventually(
        async () => {
          const { status } = await cluster.client.get<BindableResourcesRequest>(resources.bindableResourcesRequests, {
            namespace: home,
            name: 'acme',
          });
          expect(status?.phase).toBe('Succeeded');
          namespace = status?.namespace ?? '';
        },
        { timeoutMs: 60_000 },
      );
    });
    afterAll(() => cluster.close());

    async function start(requestNamespaces?: readonly string[]): Promise<void> {
      running = await cluster.run(
        createOnboardingController({ namespacePrefix: 'kube-bind-', prettyName: 'Lab' }),
        createConsumerAccessController({ dialect: kubeBindDialect }),
        createAnswerController({ requestNamespaces }),
        createCredentialsController({
          dialect: kubeBindDialect,
          endpoint: () => ({ server: cluster.plane.connection.server, caData }),
        }),
      );
    }
    /** As it stands in the kubeconfig Secret, and in the answer. */
    const handedOut = async (): Promise<readonly ConnectionConfig[]> => {
      const own = await cluster.client.get<Secret>(resources.secrets, { namespace, name: 'kubeconfig' });
      const answer = await cluster.client.get<Secret>(resources.secrets, {
        namespace: home,
        name: 'acme-binding-response',
      });
      const { kubeconfig } = JSON.parse(Buffer.from(answer.data?.['binding-response'] ?? '', 'base64').toString()) as {
        readonly kubeconfig: string;
      };
      return [own.data?.['kubeconfig'] ?? '', kubeconfig].map((text) => {
        const read = parseSecretKubeconfig(Buffer.from(text, 'base64'));
        if (!read.ok) throw new Error('there is no kubeconfig');
        return read.connection;
      });
    };
    const works = async (connection: ConnectionConfig): Promise<void> => {
      const client = createClient({ name: 'consumer', connection });
      expect((await client.list(resources.apiServiceExports, { namespace })).items).toEqual([]);
      await client.close();
    };
    const heartbeat = (at: number): Promise<unknown> =>
      cluster.client.patch(
        resources.clusterBindings,
        { namespace, name: 'cluster' },
        { type: 'merge', patch: { status: { lastHeartbeatTime: formatTime(at), heartbeatInterval: '5m0s' } } },
        { subresource: 'status' },
      );
    const secretWrites = async (): Promise<readonly string[]> =>
      (await cluster.settledWrites())
        .filter(({ resource }) => resource === 'secrets')
        .map(({ verb, name }) => `${verb} ${name ?? ''}`);

    it('is added to what consumers have, in their kubeconfigs and in answers that they have not fetched yet, with the same token; when the old one goes, nobody is cut off and nothing is written', async () => {
      const [before] = await handedOut();
      const made = await secretWrites();
      const next = (await createCertificateAuthority(await mkdtemp(join(tmpdir(), 'hawser-ca-')), 'next')).cert;
      const both = `${cluster.plane.connection.caData ?? ''}${next}`;
      caData = both;
      await heartbeat(Date.now());
      await eventually(
        async () => {
          for (const connection of await handedOut()) expect(connection).toEqual({ ...before, caData: both });
        },
        { timeoutMs: 60_000 },
      );
      for (const connection of await handedOut()) await works(connection);
      const renewed = [...made, 'patch kubeconfig', 'patch acme-binding-response'];
      expect(await secretWrites()).toEqual(renewed);

      caData = next;
      await heartbeat(Date.now() + 1_000);
      await eventually(() => {
        expect(running.events.map(({ event }) => event.reason)).toContain('KubeconfigOutdated');
      });
      await running.stop();
      caData = both;
      await start();
      expect(await secretWrites()).toEqual(renewed);

      // One that is swapped, without a time in which there are two, comes besides those that consumers have.
      const third = (await createCertificateAuthority(await mkdtemp(join(tmpdir(), 'hawser-ca-')), 'third')).cert;
      caData = third;
      await heartbeat(Date.now() + 2_000);
      await eventually(
        async () => {
          for (const connection of await handedOut())
            expect(connection).toEqual({ ...before, caData: `${third}${both}` });
        },
        { timeoutMs: 60_000 },
      );
      for (const connection of await handedOut()) await works(connection);
    });

    it('reaches an answer that nobody kept in step meanwhile, and none that somebody else wrote or whose token was replaced', async () => {
      const answerKey = { namespace: home, name: 'acme-binding-response' };
      const kept = await cluster.client.get<Secret>(resources.secrets, answerKey);
      const write = async (text: string): Promise<string> => {
        const data = Buffer.from(text).toString('base64');
        await cluster.client.patch(resources.secrets, answerKey, {
          type: 'merge',
          patch: { data: { 'binding-response': data } },
        });
        return data;
      };
      const answer = JSON.parse(Buffer.from(kept.data?.['binding-response'] ?? '', 'base64').toString()) as {
        readonly kubeconfig: string;
      };
      const text = Buffer.from(answer.kubeconfig, 'base64').toString();
      const withKubeconfig = (kubeconfig: string): string =>
        JSON.stringify({ ...answer, kubeconfig: Buffer.from(kubeconfig).toString('base64') });
      const restarted = async (): Promise<string | undefined> => {
        await running.stop();
        await start();
        await cluster.settledWrites();
        return (await cluster.client.get<Secret>(resources.secrets, answerKey)).data?.['binding-response'];
      };
      for (const others of ['mine', withKubeconfig(text.replace(/token: .+/u, 'token: replaced'))]) {
        const written = await write(others);
        expect((await restarted()) === written).toBe(true);
      }
      await write(withKubeconfig(text.replace(/server: .+/u, 'server: https://old.example')));
      await running.stop();
      await start(['elsewhere']);
      await cluster.settledWrites();
      expect((await handedOut())[1]?.server).toBe('https://old.example');
      await running.stop();
      await start([home]);
      await eventually(
        async () => {
          expect((await handedOut())[1]?.server).toBe(cluster.plane.connection.server);
        },
        { timeoutMs: 30_000 },
      );
    });
  },
  { controllerManager: true },
);
