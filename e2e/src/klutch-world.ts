import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SampleApi, databases, sampleCrd } from '@hawser/installation';
import { klutchDialect } from '@hawser/klutch';
import { type Secret, resources } from '@hawser/kube-bind';
import { type ConnectionConfig, parseSecretKubeconfig } from '@hawser/kubeconfig';
import { type RawResponse, eventually, freePort, rawRequest } from '@hawser/testenv';
import {
  type IdentityProvider,
  clientId,
  clientSecret,
  startIdentityProvider,
} from '../../packages/provider/portal/src/testing/identity-provider.js';
import { renderChart } from './chart.js';
import { LONG } from './copies.js';
import { prepareGateway } from './gateway-program.js';
import { type KlutchConsumer, klutchConsumerObjects } from './klutch-fixtures.js';
import { type Plane, openPlane } from './plane.js';
import { type Program, startProgram, working } from './program.js';
import { executables } from './roles.js';
import { root } from './root.js';
import { startWatchdog, type Watchdog } from './watchdog.js';

/** An app cluster's access to the provider. */
export interface KlutchClient extends KlutchConsumer {
  /** A request with its credential. */
  send(method: string, path: string, body?: object): Promise<RawResponse>;
}

/** A provider for consumers of Klutch: the built program, with exactly the rights of the chart's ServiceAccount. */
export interface KlutchWorld {
  readonly plane: Plane;
  readonly provider: Program;
  readonly folder: string;
  readonly watchdog: Watchdog;
  /** Creates the consumer's namespace and ClusterBinding; the provider role issues credential and rights. */
  onboard(namespace: string): Promise<KlutchClient>;
  /** The portal where people sign in; undefined without one. */
  readonly portal: { readonly url: string; readonly idp: IdentityProvider } | undefined;
  /** {@link rawRequest} as the administrator. */
  look(path: string): Promise<RawResponse>;
  close(): Promise<void>;
}

export const klutchApi = `/apis/${klutchDialect.apiVersion}`;
export const providerUser = 'system:serviceaccount:hawser:hawser-provider';
const templates = [
  'serviceaccount.yaml',
  'clusterrole.yaml',
  'role.yaml',
  'consumer-rights.yaml',
  'consumer-roles.yaml',
  'onboarding-rights.yaml',
  'admissionpolicy.yaml',
  'klutch.yaml',
  'control-plane-mode.yaml',
  'portal.yaml',
  'gateway-rights.yaml',
];

export interface KlutchWorldOptions {
  /** Names its logs: the suite. */
  readonly name: string;
  /** Exported APIs. Default: databases. */
  readonly apis?: readonly SampleApi[] | undefined;
  /** If set, serves AppClusterBindings; their kubeconfigs are in this namespace. */
  readonly appClusters?: string | undefined;
  /** Grace period after which it may delete copies of ended exports. Default: never. */
  readonly withdrawnGraceSeconds?: number | undefined;
  /** With a portal; consumers may request what people bound for them. Default: what is offered. */
  readonly portal?: boolean;
  /** Consumers talk to a gateway, and their exports have informer scope Cluster. */
  readonly gateway?: boolean;
}

export async function openKlutchWorld({
  name,
  apis = [databases],
  appClusters,
  withdrawnGraceSeconds,
  portal: hasPortal = false,
  gateway: hasGateway = false,
}: KlutchWorldOptions): Promise<KlutchWorld> {
  const folder = join(root, 'tmp/e2e', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const watchdog = startWatchdog();
  const plane = await openPlane('provider');
  const { controlPlane } = plane;
  if (controlPlane === undefined) throw new Error('it needs a cluster of its own');
  await plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hawser' } });
  if (appClusters !== undefined)
    await plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: appClusters } });
  const controlPlaneMode = {
    enabled: appClusters !== undefined,
    konnectorImage: 'konnector:1',
    kubeconfigNamespaces: appClusters === undefined ? [] : [appClusters],
    listEverything: false,
  };
  const exportedResources = apis.map(({ group, plural }) => ({ group, resource: plural }));
  const portal = hasPortal ? await startPortalIssuer() : undefined;
  const values = {
    ...(portal === undefined ? {} : { portal: { enabled: true, publicUrl: 'https://portal.example.com' } }),
    klutch: true,
    replaceBackend: true,
    exportedResources,
    controlPlaneMode,
    gateway: { enabled: hasGateway, tlsSecretName: 'gateway' },
    withdrawnObjects: { policy: 'Keep', mayDelete: withdrawnGraceSeconds !== undefined },
  };
  await plane.apply(
    ...renderChart(join(root, 'charts/provider'), templates, { name: 'provider', namespace: 'hawser', values }),
  );
  const kubeconfig = join(folder, 'provider.kubeconfig');
  writeFileSync(kubeconfig, (await controlPlane.serviceAccountAccess('hawser', 'hawser-provider')).kubeconfig, {
    mode: 0o600,
  });
  const preparedGateway = hasGateway ? await prepareGateway(plane, folder, watchdog) : undefined;
  const config = join(folder, 'config.yaml');
  const withdrawnObjects =
    withdrawnGraceSeconds === undefined ? {} : { withdrawnObjects: { graceSeconds: withdrawnGraceSeconds } };
  writeFileSync(
    config,
    JSON.stringify({
      roles: ['provider'],
      provider: {
        dialects: ['kube-bind', 'klutch'],
        ...(portal === undefined
          ? { requestAdmission: 'Exported' }
          : {
              requestAdmission: 'Template',
              portal: {
                address: new URL(portal.url).host,
                publicUrl: portal.url,
                issuer: { url: portal.idp.url, clientId, clientSecret, callbackUrl: `${portal.url}/callback` },
              },
            }),
        controlPlaneMode: { enabled: controlPlaneMode.enabled, konnectorImage: controlPlaneMode.konnectorImage },
        ...withdrawnObjects,
        ...(preparedGateway === undefined
          ? {}
          : {
              informerScope: 'Cluster',
              gateway: {},
              external: { address: `https://${preparedGateway.address}`, caFile: preparedGateway.caFile },
            }),
      },
    }),
  );
  const args = ['run', `--config=${config}`, `--provider-kubeconfig=${kubeconfig}`];
  const provider = await startProgram({
    name: 'provider',
    command: executables.hawser,
    args,
    env: { POD_NAME: 'provider', POD_NAMESPACE: 'hawser' },
    folder,
    watchdog,
  });
  await working(provider, 'provider works', 120_000);
  const gateway = await preparedGateway?.start(['kube-bind', 'klutch']);
  await plane.apply(...apis.map((api) => sampleCrd(api)));
  for (const { plural, group } of apis)
    await plane.kubectl(['wait', '--for=condition=Established', `crd/${plural}.${group}`, '--timeout=60s']);

  return {
    plane,
    provider,
    folder,
    watchdog,
    portal,
    async onboard(namespace) {
      for (const object of klutchConsumerObjects(namespace)) await plane.apply(object);
      const { kubeconfig, connection } = await eventually(async () => {
        const text = Buffer.from(
          (await plane.client.get<Secret>(resources.secrets, { namespace, name: 'kubeconfig' })).data?.['kubeconfig'] ??
            '',
          'base64',
        ).toString();
        const read = parseSecretKubeconfig(text);
        if (!read.ok) throw new Error(`${namespace} has no kubeconfig yet`);
        return { kubeconfig: text, connection: read.connection };
      }, LONG);
      return {
        clusterNamespace: namespace,
        kubeconfig,
        connection,
        send: (method, path, body) => send(connection, method, path, body),
      };
    },
    look: (path) => send(plane.connection, 'GET', path),
    async close() {
      await Promise.all([provider.stop(), gateway?.program.stop()]);
      await portal?.idp.close();
      await watchdog.close();
      await plane.stop();
    },
  };
}

/** Starts it at the callback address of a Klutch backend. */
async function startPortalIssuer(): Promise<NonNullable<KlutchWorld['portal']>> {
  const url = `http://127.0.0.1:${await freePort()}`;
  return { url, idp: await startIdentityProvider([`${url}/callback`]) };
}

/** Sends a request and returns its answer, error or not; a PATCH is a merge patch. */
export function send(connection: ConnectionConfig, method: string, path: string, body?: object): Promise<RawResponse> {
  return rawRequest(connection, {
    method,
    path,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {}),
  });
}
