import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { type Socket, connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { KubeObject } from '@hawser/client';
import { type SampleApi, bind, requestExport, sampleCrd } from '@hawser/installation';
import { systemClock } from '@hawser/clock';
import {
  type APIServiceExportRequest,
  type InformerScope,
  type Isolation,
  consumerCRDs,
  fixedNames,
  installCRDs,
  resources,
} from '@hawser/kube-bind';
import { type CertificateAuthority, createCertificateAuthority, eventually, freePort } from '@hawser/testenv';
import { renderChart } from './chart.js';
import { LONG, createNamespace, resourceOf } from './copies.js';
import { type KonnectorAccount, createKonnectorAccount } from './konnector-account.js';
import { type Plane, openPlane } from './plane.js';
import { type Program, startProgram, working } from './program.js';
import { executables, rolesAsProcesses } from './roles.js';
import { root } from './root.js';
import { type BoundApi, ready } from './system.js';
import { type Watchdog, startWatchdog } from './watchdog.js';

/**
 * Namespace of consumers, bound under isolation Prefixed and under None: with None both consumers share that name on
 * the provider.
 */
export const NAMESPACE = 'team-a';
export const SHARED = 'team-shared';
export const gatewayUser = 'system:serviceaccount:hawser:hawser-provider-gateway';
const namespace = 'hawser';

/** A consumer whose konnector knows only the gateway's address. */
export interface GatewayTenant {
  readonly plane: Plane;
  readonly clusterNamespace: string;
  readonly kubeconfig: string;
  readonly konnector: Program;
  bind(api: SampleApi, isolation: Isolation, informerScope?: InformerScope): Promise<BoundApi>;
}

/** A provider whose consumers talk to two replicas of the gateway, each a process with exactly the chart's rights. */
export interface GatewaySystem {
  readonly provider: Plane;
  readonly folder: string;
  readonly authority: CertificateAuthority;
  /** `host:port` that konnectors know. */
  readonly address: string;
  /** State of the replicas, and how to stop and start one. */
  readonly replicas: readonly {
    program(): Program;
    stop(signal?: NodeJS.Signals): Promise<void>;
    start(): Promise<void>;
  }[];
  /** Restarts the provider role in that isolation. Default: informer scope Cluster. */
  provideIn(isolation: Isolation, informerScope?: InformerScope): Promise<void>;
  /** Replaces the gateway's certificate. */
  rotate(): Promise<void>;
  /** @param goKonnector path of a konnector that is not ours. */
  tenant(name: string, apis: readonly SampleApi[], goKonnector?: string): Promise<GatewayTenant>;
  logs(): string;
  close(): Promise<void>;
}

export async function startGatewaySystem(apis: readonly SampleApi[], suite = 'gateway'): Promise<GatewaySystem> {
  const folder = join(root, 'tmp/e2e', suite);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'ca'), { recursive: true, mode: 0o700 });
  const watchdog = startWatchdog();
  const provider = await openPlane('provider');
  const { controlPlane } = provider;
  if (controlPlane === undefined) throw new Error('it needs clusters of its own');
  await provider.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await provider.apply(...apis.map(sampleCrd));
  for (const { plural, group } of apis)
    await provider.kubectl(['wait', '--for=condition=Established', `crd/${plural}.${group}`, '--timeout=60s']);
  await grantByChart(provider, apis);

  const authority = await createCertificateAuthority(join(folder, 'ca'), 'gateway authority');
  const tls = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  const issue = async (): Promise<void> => {
    const { cert, key } = await authority.issueServer('gateway', ['localhost'], ['127.0.0.1']);
    writeFileSync(tls.keyFile, key, { mode: 0o600 });
    writeFileSync(tls.certFile, cert);
  };
  await issue();
  const programs: Program[] = [];
  const start = async (name: string, account: string, config: object, word: string): Promise<Program> => {
    const { kubeconfig } = await controlPlane.serviceAccountAccess(namespace, account);
    const file = join(folder, `${name}.kubeconfig`);
    writeFileSync(file, kubeconfig, { mode: 0o600 });
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(config));
    const program = await startProgram({
      name,
      command: executables.hawser,
      args: ['run', `--config=${join(folder, `${name}.json`)}`, `--provider-kubeconfig=${file}`],
      env: { POD_NAME: name, POD_NAMESPACE: namespace },
      folder,
      watchdog,
    });
    programs.push(program);
    await working(program, word, 120_000);
    return program;
  };

  const ports = [await freePort(), await freePort()] as const;
  const balancer = await balance(ports);
  const replicas = ports.map((port, index) => {
    let program: Program | undefined;
    let starts = 0;
    return {
      program: () => {
        if (program === undefined) throw new Error('the gateway was not started');
        return program;
      },
      stop: async (signal: NodeJS.Signals = 'SIGTERM') => {
        await program?.stop(signal, 10_000);
      },
      start: async () => {
        program = await start(
          `gateway-${index}-${starts++}`,
          'hawser-provider-gateway',
          { roles: ['gateway'], provider: { gateway: { address: `127.0.0.1:${port}`, tls } } },
          'gateway works',
        );
      },
    };
  });

  let providing: Program | undefined;
  let turns = 0;
  const planes: Plane[] = [provider];
  return {
    provider,
    folder,
    authority,
    address: balancer.address,
    replicas,
    rotate: issue,
    async provideIn(isolation, informerScope = 'Cluster') {
      await providing?.stop();
      providing = await start(
        `provider-${isolation}-${turns++}`,
        'hawser-provider',
        {
          roles: ['provider'],
          provider: {
            isolation,
            informerScope,
            consumerNamespaces: ['*'],
            requestAdmission: 'Exported',
            requestNamespaces: [],
            gateway: {},
            external: { address: `https://${balancer.address}`, caFile: authority.certFile },
          },
        },
        'provider works',
      );
    },
    async tenant(name, bound, goKonnector) {
      const tenant = await openGatewayTenant(name, bound, { provider, folder, watchdog, goKonnector });
      planes.push(tenant.plane);
      programs.push(tenant.konnector);
      return tenant;
    },
    logs: () =>
      programs.map((program) => `----- ${program.name}\n${program.log().split('\n').slice(-60).join('\n')}`).join('\n'),
    async close() {
      await Promise.all(programs.map((program) => program.stop('SIGTERM', 5_000)));
      balancer.close();
      await watchdog.close();
      await Promise.all(planes.map((plane) => plane.stop()));
    },
  };
}

async function grantByChart(provider: Plane, apis: readonly SampleApi[]): Promise<void> {
  const templates = [
    'serviceaccount.yaml',
    'clusterrole.yaml',
    'role.yaml',
    'consumer-rights.yaml',
    'consumer-roles.yaml',
    'onboarding-rights.yaml',
    'admissionpolicy.yaml',
    'gateway-rights.yaml',
  ];
  const values = {
    exportedResources: apis.map(({ group, plural }) => ({ group, resource: plural })),
    gateway: { enabled: true, tlsSecretName: 'gateway' },
  };
  await provider.apply(
    ...renderChart(join(root, 'charts/provider'), templates, { name: 'provider', namespace, values }),
  );
}

async function openGatewayTenant(
  name: string,
  apis: readonly SampleApi[],
  {
    provider,
    folder,
    watchdog,
    goKonnector,
  }: {
    readonly provider: Plane;
    readonly folder: string;
    readonly watchdog: Watchdog;
    readonly goKonnector: string | undefined;
  },
): Promise<GatewayTenant> {
  const plane = await openPlane('consumer');
  const clusterNamespace = `kube-bind-${name}`;
  for (const each of [NAMESPACE, SHARED]) await createNamespace({ consumer: plane }, each);
  const kubeconfig = await onboard(provider, clusterNamespace);
  const options = { plane, provider, folder, watchdog };
  const konnector = await (goKonnector === undefined
    ? startOurs(`konnector-${name}`, apis, options)
    : startGo(`konnector-${name}`, goKonnector, options));
  return {
    plane,
    clusterNamespace,
    kubeconfig,
    konnector,
    async bind(api, isolation, informerScope = 'Cluster') {
      const claims = [
        { group: '', resource: 'secrets', selector: { labelSelector: { matchLabels: { app: api.plural } } } },
      ];
      await requestExport(
        provider.client,
        clusterNamespace,
        api.plural,
        [api],
        api.scope === 'Namespaced' ? claims : undefined,
      );
      await eventually(async () => {
        const { status } = await provider.client.get<APIServiceExportRequest>(resources.apiServiceExportRequests, {
          namespace: clusterNamespace,
          name: api.plural,
        });
        if (status?.phase !== 'Succeeded') throw new Error(JSON.stringify(status));
      }, LONG);
      await bind({ consumer: plane.client, name: api.plural, kubeconfig, secret: 'kubeconfig' });
      if (goKonnector === undefined) await ready({ consumer: plane }, api.plural);
      // It reports InformersSynced only for the first binding of a kubeconfig.
      else await eventually(() => plane.client.list(resourceOf(api)), LONG);
      return { name: api.plural, clusterNamespace, kubeconfig, isolation, informerScope };
    },
  };
}

interface KonnectorOptions {
  readonly plane: Plane;
  readonly provider: Plane;
  readonly folder: string;
  readonly watchdog: Watchdog;
}

async function startOurs(
  name: string,
  apis: readonly SampleApi[],
  { plane, provider, folder, watchdog }: KonnectorOptions,
): Promise<Program> {
  const roles = rolesAsProcesses({ consumer: plane, provider, folder, watchdog });
  const account: KonnectorAccount = await createKonnectorAccount(plane, (values) => roles.grant(values), {
    claimedResources: ['secrets'],
  });
  await account.allow(apis);
  const konnector = await roles.startKonnector(name, { name }, account.connection);
  await working(konnector, 'konnector works');
  return konnector;
}

/** With every right, as its manifests grant. */
async function startGo(name: string, command: string, { plane, folder, watchdog }: KonnectorOptions): Promise<Program> {
  const options = { clock: systemClock, signal: new AbortController().signal, timeoutMs: 60_000 };
  await installCRDs(plane.client, consumerCRDs, options);
  return startProgram({
    name,
    command,
    args: [`--kubeconfig=${plane.kubeconfigFile}`, '--lease-namespace=default', '--provider-polling-interval=2s'],
    env: { POD_NAME: name, POD_NAMESPACE: 'default' },
    folder,
    watchdog,
  });
}

/** The kubeconfig that the provider role issues for a new consumer. */
async function onboard(provider: Plane, clusterNamespace: string): Promise<string> {
  await provider.apply(
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: clusterNamespace, annotations: { 'backend.kube-bind.io/identity': clusterNamespace } },
    },
    {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'ClusterBinding',
      metadata: { name: fixedNames.clusterBinding, namespace: clusterNamespace },
      spec: { providerPrettyName: 'Provider', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } },
    },
  );
  return eventually(async () => {
    const { data = {} } = await provider.client.get<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(
      resources.secrets,
      { namespace: clusterNamespace, name: 'kubeconfig' },
    );
    const text = Buffer.from(data['kubeconfig'] ?? '', 'base64').toString('utf8');
    if (!text.includes('token')) throw new Error('there is no kubeconfig yet');
    return text;
  }, LONG);
}

/** One address for several ports: a connection goes to the first that accepts it. */
async function balance(ports: readonly number[]): Promise<{ readonly address: string; close(): void }> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    open.add(client);
    client.on('close', () => open.delete(client));
    client.on('error', () => client.destroy());
    const attempt = (left: number): void => {
      const port = ports[turn++ % ports.length] ?? 0;
      let isConnected = false;
      const upstream = connect(port, '127.0.0.1', () => {
        isConnected = true;
        client.pipe(upstream);
        upstream.pipe(client);
      });
      upstream.on('error', () => {
        if (left > 1 && !isConnected) attempt(left - 1);
        else client.destroy();
      });
      upstream.on('close', () => {
        if (isConnected || left <= 1) client.destroy();
      });
      client.on('close', () => upstream.destroy());
    };
    attempt(ports.length);
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${port}`,
    close: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
