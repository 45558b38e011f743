import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KubeObject, createClient, isApiError } from '@hawser/client';
import { bind, databases, requestExport, sampleCrd } from '@hawser/installation';
import {
  type BindableResourcesRequest,
  type Secret,
  clusterNamespaceName,
  fixedNames,
  formatTime,
  resources,
} from '@hawser/kube-bind';
import { type SecretKubeconfig, parseSecretKubeconfig } from '@hawser/kubeconfig';
import { eventually } from '@hawser/testenv';
import { beforeAll, afterAll, expect } from '@jest/globals';
import { startBackendAlone } from './backend.js';
import { renderChart } from './chart.js';
import { conditionsOf } from './conditions.js';
import { LONG, createNamespace, objectOf, report, resourceOf, synced } from './copies.js';
import type { Program } from './program.js';
import { refusedRequests } from './refused-requests.js';
import { root } from './root.js';
import { describeSystem } from './suite.js';
import { type BoundApi, prefixed, ready } from './system.js';

const identity = 'uid-of-kube-system';
const clusterNamespace = clusterNamespaceName('kube-bind-', identity);
const home = 'onboarding';
const providerUser = 'system:serviceaccount:hawser:hawser-provider';
const templates = [
  'serviceaccount.yaml',
  'clusterrole.yaml',
  'role.yaml',
  'consumer-rights.yaml',
  'consumer-roles.yaml',
  'onboarding-rights.yaml',
  'admissionpolicy.yaml',
];
const bound: BoundApi = { ...prefixed, name: 'databases', clusterNamespace, kubeconfig: '' };

describeSystem(
  'a consumer that the provider onboards',
  () => ({ name: 'onboarding', resources: [databases] }),
  (system, it) => {
    let backend: Program;

    beforeAll(async () => {
      const { provider, folder } = system();
      if (provider.controlPlane === undefined) throw new Error('it needs clusters of its own');
      await provider.apply(
        ...['hawser', home].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
      );
      const values = {
        exportedResources: [{ group: databases.group, resource: databases.plural }],
        onboardingNamespaces: [home],
      };
      await provider.apply(
        ...renderChart(join(root, 'charts/provider'), templates, { name: 'provider', namespace: 'hawser', values }),
      );
      const { kubeconfig } = await provider.controlPlane.serviceAccountAccess('hawser', 'hawser-provider');
      const file = join(folder, 'provider.kubeconfig');
      writeFileSync(file, kubeconfig, { mode: 0o600 });
      await provider.apply(sampleCrd(databases));
      await provider.kubectl([
        'wait',
        '--for=condition=Established',
        `crd/${databases.plural}.${databases.group}`,
        '--timeout=60s',
      ]);
      backend = await startBackendAlone(system(), {
        kubeconfig: file,
        args: ['--pretty-name=Lab', `--request-namespaces=${home}`],
      });
      await system().startKonnector();
      await createNamespace(system(), 'team-a');
    }, 240_000);
    afterAll(async () => {
      await backend.stop();
    }, 60_000);

    const ask = async (name: string): Promise<string> => {
      const { provider } = system();
      await provider.apply({
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'BindableResourcesRequest',
        metadata: { name, namespace: home },
        spec: { author: 'jane', clusterIdentity: { identity, prettyName: 'Acme' } },
      });
      const { status } = await eventually(async () => {
        const request = await provider.client.get<BindableResourcesRequest>(resources.bindableResourcesRequests, {
          namespace: home,
          name,
        });
        if (request.status?.phase !== 'Succeeded') throw new Error(JSON.stringify(request.status));
        return request;
      }, LONG);
      expect(status).toMatchObject({
        namespace: clusterNamespace,
        kubeconfigSecretRef: { name: `${name}-binding-response`, key: 'binding-response' },
      });
      const { data } = await provider.client.get<Secret>(resources.secrets, {
        namespace: home,
        name: `${name}-binding-response`,
      });
      const response = JSON.parse(Buffer.from(data?.['binding-response'] ?? '', 'base64').toString()) as {
        readonly kubeconfig: string;
      };
      return Buffer.from(response.kubeconfig, 'base64').toString();
    };
    const tokenIn = (text: string): string => {
      const read = parseSecretKubeconfig(text);
      return read.ok && read.connection.credentials.kind === 'token' ? read.connection.credentials.token : '';
    };
    /** The token that a side has in its Secret. */
    const tokenOf = async (side: 'consumer' | 'provider'): Promise<string> => {
      const key =
        side === 'provider'
          ? { namespace: clusterNamespace, name: 'kubeconfig' }
          : { namespace: fixedNames.konnectorNamespace, name: 'kubeconfig-databases' };
      const { data } = await system()[side].client.get<Secret>(resources.secrets, key);
      return tokenIn(Buffer.from(data?.['kubeconfig'] ?? '', 'base64').toString());
    };
    const mirroredAfter = (before: string): Promise<string> =>
      eventually(async () => {
        const token = await tokenOf('consumer');
        expect(token).not.toBe(before);
        expect(token).toBe(await tokenOf('provider'));
        return token;
      }, LONG);
    const annotate = async (annotations: Readonly<Record<string, string | null>>): Promise<void> => {
      await system().provider.client.patch(
        resources.clusterBindings,
        { namespace: clusterNamespace, name: 'cluster' },
        { type: 'merge', patch: { metadata: { annotations } } },
      );
    };
    const conditions = async (): Promise<ReturnType<typeof conditionsOf>> =>
      conditionsOf(
        await system().provider.client.get(resources.clusterBindings, { namespace: clusterNamespace, name: 'cluster' }),
      );
    const keepsInStep = async (name: string): Promise<void> => {
      const key = { namespace: 'team-a', name };
      await system().consumer.apply(objectOf(databases, key));
      await synced(system(), bound, databases, key);
      await report(system(), bound, databases, key, { phase: 'Ready' });
      await eventually(async () => {
        expect(await system().consumer.client.get(resourceOf(databases), key)).toMatchObject({
          status: { phase: 'Ready' },
        });
      }, LONG);
    };
    const answers = async (kubeconfig: SecretKubeconfig): Promise<string> => {
      if (!kubeconfig.ok) throw new Error('it is not a kubeconfig');
      const client = createClient({ name: 'consumer', connection: kubeconfig.connection });
      try {
        await client.list<KubeObject>(resources.apiServiceExports, { namespace: clusterNamespace });
        return 'OK';
      } catch (error) {
        if (isApiError(error)) return error.code;
        throw error;
      } finally {
        await client.close();
      }
    };
    let kubeconfig: string;

    it('gets a kubeconfig, binds with it, and has its objects in step', async () => {
      kubeconfig = await ask('acme');
      await requestExport(system().provider.client, clusterNamespace, 'databases', [databases]);
      await bind({ consumer: system().consumer.client, name: 'databases', kubeconfig });
      await ready(system(), 'databases');
      await keepsInStep('orders');
      await eventually(async () => {
        expect(await conditions()).toMatchObject({ Healthy: { status: 'True' }, Ready: { status: 'True' } });
      }, LONG);
      expect((await fetch(`${backend.health}/healthz`)).status).toBe(200);
    });

    it('gets a token that expires, and the next one at half its life, while its objects stay in step', async () => {
      const legacy = await tokenOf('consumer');
      await annotate({ 'hawser.dev/credential': 'Rotating' });
      const first = await mirroredAfter(legacy);
      await keepsInStep('first');
      // As if fifteen days had gone by.
      const half = 15 * 86_400_000;
      await system().provider.client.patch(
        resources.secrets,
        { namespace: clusterNamespace, name: 'kubeconfig' },
        {
          type: 'merge',
          patch: {
            metadata: {
              annotations: {
                'hawser.dev/credential-issued': formatTime(Date.now() - half),
                'hawser.dev/credential-expires': formatTime(Date.now() + half),
              },
            },
          },
        },
      );
      await mirroredAfter(first);
      await keepsInStep('second');
      await eventually(async () => {
        expect(await conditions()).toMatchObject({
          CredentialExpiring: { status: 'False', reason: 'CredentialRefreshed' },
          Ready: { status: 'True' },
        });
      }, LONG);
    });

    it('loses its access, and nothing else, when it is revoked, and gets it back with another kubeconfig', async () => {
      const { provider, consumer } = system();
      const before = parseSecretKubeconfig(kubeconfig);
      expect(await answers(before)).toBe('OK');
      await annotate({ 'hawser.dev/revoke-credential': 'a laptop was lost' });
      await eventually(async () => {
        expect(await answers(before)).toBe('Unauthorized');
      }, LONG);
      await eventually(async () => {
        expect(await conditions()).toMatchObject({
          CredentialExpiring: { status: 'True', reason: 'CredentialRevoked' },
        });
      }, LONG);
      for (const name of ['orders', 'first', 'second']) {
        expect(
          (await consumer.find(resourceOf(databases), { namespace: 'team-a', name }))?.metadata.deletionTimestamp,
        ).toBeUndefined();
        expect(
          (await provider.find(resourceOf(databases), { namespace: `${clusterNamespace}-team-a`, name }))?.metadata
            .deletionTimestamp,
        ).toBeUndefined();
      }

      await annotate({ 'hawser.dev/revoke-credential': null });
      const fresh = await ask('again');
      expect(await answers(before)).toBe('Unauthorized');
      await consumer.client.patch(
        resources.secrets,
        { namespace: fixedNames.konnectorNamespace, name: 'kubeconfig-databases' },
        { type: 'merge', patch: { data: { kubeconfig: Buffer.from(fresh).toString('base64') } } },
      );
      await keepsInStep('third');
    }, 240_000);

    it.ownClusters('the rights that the chart gives on the provider were enough, and no log says a token', async () => {
      expect(await refusedRequests(system().provider, providerUser, [])).toEqual([]);
      for (const token of [tokenIn(kubeconfig), await tokenOf('provider')])
        expect(system().logs() + backend.log()).not.toContain(token);
    });
  },
);
