import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { type Client, type KubeObject, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type SampleApi, sampleCrd } from '@hawser/installation';
import { fixedNames, installCRDs, providerCRDs, resources } from '@hawser/kube-bind';
import {
  type ControlPlane,
  createCertificateAuthority,
  eventually,
  freePort,
  rawRequest,
  startControlPlane,
} from '@hawser/testenv';
import { type StormResult, storm } from './gateway-storm.js';
import type { Verdict } from './konnector.js';
import { type Subject, startSubject } from './subject.js';
import { pause, writers } from './writers.js';

export interface GatewayWatchesOptions {
  readonly consumers: number;
  /** Each consumer watches two of them. */
  readonly resources: number;
  /** Per consumer, in each of the two. */
  readonly objects: number;
  readonly root: string;
  readonly print: (line: string) => void;
}

export interface GatewayWatchesResult {
  readonly consumers: number;
  readonly watches: number;
  readonly objects: number;
  /** Resident memory of the gateway: before the first request, and with all watches open. */
  readonly emptyRssBytes: number;
  readonly rssBytes: number;
  /** Of that, objects on V8's heap, and memory outside it, as the process reports. */
  readonly heapBytes: number;
  readonly externalBytes: number;
  /** Upstream watches on the API server per exported resource: the maximum. */
  readonly mostUpstreamWatches: number;
  /** Watches that missed their own object's change, or got another's. */
  readonly wrong: number;
  /** A gateway restart, with all consumers reconnecting at once. */
  readonly storm: StormResult;
}

const group = 'example.com';
const apiOf = (index: number): SampleApi => ({
  group,
  plural: `kinds${String(index).padStart(2, '0')}s`,
  kind: `Kind${index}`,
  scope: 'Namespaced',
});

/** Cost of many consumers' watches for a gateway, run as shipped. */
export async function benchGatewayWatches(options: GatewayWatchesOptions): Promise<GatewayWatchesResult> {
  const { consumers: many, resources: kinds, objects, root, print } = options;
  const folder = join(root, 'tmp/bench/gateway');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  print(`a control plane, ${kinds} resources, ${many} consumers`);
  const plane = await startControlPlane();
  const client = createClient({ name: 'provider', connection: plane.connection });
  let gateway: GatewayProcess | undefined;
  try {
    const apis = Array.from({ length: kinds }, (_, index) => apiOf(index));
    await prepare(client, apis);
    const consumers: { readonly name: string; readonly token: string; readonly apis: readonly SampleApi[] }[] = [];
    await writers(many, 8, async (at) => {
      const own = [apis[at % kinds], apis[(at + 7) % kinds]].filter((api) => api !== undefined);
      const { name, token } = await onboard(plane, client, `kube-bind-${at}`, own);
      for (const api of own)
        for (let each = 0; each < objects; each++) await client.create(resourceOf(api), objectOf(api, name, each));
      consumers.push({ name, token, apis: own });
    });
    gateway = await startGateway(plane, folder, root);
    const { address, caData } = gateway;
    await pause(3_000);
    const emptyRssBytes = gateway.rssBytes();
    print('watches are opened');
    const watches: Watch[] = [];
    await writers(consumers.length, 16, async (at) => {
      const consumer = consumers[at];
      for (const api of consumer?.apis ?? [])
        watches.push(
          await openWatch({ address, caData, token: consumer?.token ?? '', name: consumer?.name ?? '', api }),
        );
    });
    await writers(watches.length, 16, async (at) => {
      const watch = watches[at];
      if (watch === undefined) return;
      const key = { namespace: watch.name, name: `${watch.name}-0` };
      const patch = { type: 'merge', patch: { spec: { changed: watch.name } } } as const;
      await client.patch(resourceOf(watch.api), key, patch);
    });
    const isRight = ({ name, text }: Watch): boolean => {
      const changed = [...text().matchAll(/"changed":"([^"]+)"/gu)].map(([, of]) => of);
      return changed.length === 1 && changed[0] === name;
    };
    await eventually(() => watches.every(isRight), { timeoutMs: 60_000 }).catch(() => undefined);
    const wrong = watches.filter((watch) => !isRight(watch)).length;
    await pause(15_000);
    const rssBytes = gateway.rssBytes();
    const metricsText = await (await fetch(`http://${gateway.health}/metrics`)).text();
    const mostUpstreamWatches = await upstreamWatches(plane, apis);
    for (const watch of watches) watch.end();
    print('the gateway is restarted');
    await gateway.stop();
    const came = await storm(
      consumers.map(({ token, apis: own }) => ({ token, paths: own.map(pathOf) })),
      { address, caData },
      async () => {
        gateway = await startGateway(plane, folder, root, address);
      },
      plane.connection,
    );
    return {
      consumers: many,
      watches: watches.length,
      objects: many * 2 * objects,
      emptyRssBytes,
      rssBytes,
      heapBytes: gaugeOf(metricsText, 'nodejs_heap_size_used_bytes'),
      externalBytes: gaugeOf(metricsText, 'nodejs_external_memory_bytes'),
      mostUpstreamWatches,
      wrong,
      storm: came,
    };
  } finally {
    await gateway?.stop();
    await client.close();
    await plane.stop();
  }
}

const pathOf = ({ plural }: SampleApi): string => `/apis/${group}/v1/${plural}`;
const resourceOf = ({ plural }: SampleApi) => ({ group, version: 'v1', resource: plural });

function objectOf({ kind }: SampleApi, namespace: string, index: number): KubeObject {
  const padding = Array.from({ length: 24 }, (_, at) => ({ value: `value-${'x'.repeat(40)}-${at}`, at }));
  return {
    apiVersion: `${group}/v1`,
    kind,
    metadata: {
      name: `${namespace}-${index}`,
      namespace,
      annotations: { 'kube-bind.io/cluster-namespace': namespace },
    },
    spec: { padding },
  } as KubeObject;
}

async function prepare(client: Client, apis: readonly SampleApi[]): Promise<void> {
  const options = { clock: systemClock, signal: new AbortController().signal, timeoutMs: 60_000 };
  await installCRDs(client, providerCRDs, options);
  for (const api of apis) await client.create(resources.customResourceDefinitions, sampleCrd(api));
  for (const api of apis) await eventually(() => client.list(resourceOf(api)), { timeoutMs: 60_000 });
}

async function onboard(
  plane: ControlPlane,
  client: Client,
  name: string,
  apis: readonly SampleApi[],
): Promise<{ readonly name: string; readonly token: string }> {
  await client.create(resources.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, annotations: { 'backend.kube-bind.io/identity': name } },
  });
  for (const api of apis) await exportTo(client, name, api);
  const { credentials } = (await plane.serviceAccountAccess(name, fixedNames.binder)).connection;
  return { name, token: credentials.kind === 'token' ? credentials.token : '' };
}

/** Namespaced on the provider and cluster-scoped for consumers: konnectors list it cluster-wide. */
async function exportTo(client: Client, namespace: string, { plural, kind }: SampleApi): Promise<void> {
  const apiVersion = 'kube-bind.io/v1alpha2';
  await client.create(resources.boundSchemas, {
    apiVersion,
    kind: 'BoundSchema',
    metadata: { name: `${plural}.${group}`, namespace },
    spec: {
      informerScope: 'Cluster',
      group,
      scope: 'Cluster',
      names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  } as KubeObject);
  await client.create(resources.apiServiceExports, {
    apiVersion,
    kind: 'APIServiceExport',
    metadata: { name: plural, namespace },
    spec: {
      resources: [{ group, resource: plural, versions: ['v1'] }],
      informerScope: 'Cluster',
      isolation: 'Namespaced',
    },
  } as KubeObject);
}

interface GatewayProcess extends Subject {
  readonly address: string;
  readonly caData: string;
  /** Address of its health endpoint. */
  readonly health: string;
}

/** @param before address and certificate of the previous one; undefined: a new one. */
async function startGateway(
  plane: ControlPlane,
  folder: string,
  root: string,
  before?: string,
): Promise<GatewayProcess> {
  const tls = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  const caFile = join(folder, 'authority.crt');
  if (before === undefined) {
    const authority = await createCertificateAuthority(folder, 'gateway authority');
    const { cert, key } = await authority.issueServer('gateway', ['localhost'], ['127.0.0.1']);
    writeFileSync(caFile, authority.cert);
    writeFileSync(tls.certFile, cert);
    writeFileSync(tls.keyFile, key, { mode: 0o600 });
  }
  const caData = readFileSync(caFile, 'utf8');
  const [address, health] = [before ?? `127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const config = join(folder, 'gateway.json');
  writeFileSync(config, JSON.stringify({ roles: ['gateway'], provider: { gateway: { address, tls } } }));
  const subject = startSubject(
    'gateway',
    join(root, 'apps/supervisor/bin/hawser'),
    ['run', `--config=${config}`, `--provider-kubeconfig=${plane.kubeconfigFile}`, `--server-address=${health}`],
    { POD_NAME: 'bench', POD_NAMESPACE: 'default' },
    join(folder, 'gateway.log'),
  );
  const connection = { server: `https://${address}`, caData } as const;
  await eventually(
    async () => {
      const { status } = await rawRequest(
        { ...connection, credentials: { kind: 'token', token: 'none' } },
        { method: 'GET', path: '/readyz' },
      );
      if (status !== 200) throw new Error(`the gateway is not ready: ${status}`);
    },
    { timeoutMs: 60_000 },
  );
  return { ...subject, address, caData, health };
}

interface WatchOptions {
  readonly address: string;
  readonly caData: string;
  readonly token: string;
  readonly name: string;
  readonly api: SampleApi;
}

interface Watch extends WatchOptions {
  readonly text: () => string;
  readonly end: () => void;
}

/** Lists, then watches from there, as a konnector does. */
async function openWatch(options: WatchOptions): Promise<Watch> {
  const { address, caData, token, api } = options;
  const path = pathOf(api);
  const connection = { server: `https://${address}`, caData, credentials: { kind: 'token', token } } as const;
  const { status, text: listed } = await rawRequest(connection, { method: 'GET', path });
  if (status !== 200) throw new Error(`${path}: ${status} ${listed.slice(0, 300)}`);
  const { metadata } = JSON.parse(listed) as { readonly metadata: { readonly resourceVersion: string } };
  const [host = '', port = ''] = address.split(':');
  let received = '';
  const sent = httpsRequest({
    host,
    port,
    ca: caData,
    path: `${path}?watch=true&allowWatchBookmarks=true&resourceVersion=${metadata.resourceVersion}`,
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    agent: false,
  });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.end();
  });
  answer.on('data', (chunk: Buffer) => (received += chunk.toString('utf8')));
  answer.on('error', () => undefined);
  sent.on('error', () => undefined);
  return { ...options, text: () => received, end: () => sent.destroy() };
}

const gaugeOf = (text: string, name: string): number =>
  Number(new RegExp(`^${name} (.+)$`, 'mu').exec(text)?.[1] ?? Number.NaN);

/** Counted by the API server. */
async function upstreamWatches({ connection }: ControlPlane, apis: readonly SampleApi[]): Promise<number> {
  const { text } = await rawRequest(connection, { method: 'GET', path: '/metrics' });
  const lines = text.split('\n').filter((line) => /^apiserver_longrunning_requests\{.*verb="WATCH"/u.test(line));
  const counts = apis.map(({ plural }) =>
    lines
      .filter((line) => line.includes(`resource="${plural}"`))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0),
  );
  return Math.max(...counts);
}

/** Against the goals for the gateway. */
export function gatewayWatchesVerdicts(result: GatewayWatchesResult): readonly Verdict[] {
  const { rssBytes, objects, mostUpstreamWatches, wrong, watches, storm: came } = result;
  const goalBytes = 300e6 + 4_000 * objects;
  return [
    {
      figure: `memory with ${watches} watches over ${objects} objects, MB`,
      measured: rssBytes / 1e6,
      goal: `≤ ${Math.round(goalBytes / 1e6)}`,
      reached: rssBytes <= goalBytes,
    },
    {
      figure: 'watches of one resource on the API server, the most',
      measured: mostUpstreamWatches,
      goal: '1',
      reached: mostUpstreamWatches === 1,
    },
    { figure: 'watches that were told something else', measured: wrong, goal: '0', reached: wrong === 0 },
    {
      figure: 'all watch again once it is ready, s',
      measured: (came.allMs - came.readyMs) / 1e3,
      goal: '≤ 10',
      reached: came.allMs - came.readyMs <= 10_000,
    },
  ];
}
