import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Client, type KubeObject, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type SampleApi, binderRole, crdOf, databases, ensure } from '@hawser/installation';
import {
  type APIServiceExport,
  type BoundSchema,
  type CustomResourceDefinition,
  annotations,
  crdName,
  installCRDs,
  labels,
  providerCRDs,
  resources,
} from '@hawser/kube-bind';
import { compareDefinitions, definitionOf } from '@hawser/schemadiff';
import { checkStored } from '@hawser/schemagate';
import { type ControlPlane, eventually, startControlPlane } from '@hawser/testenv';

import { type Subject, startProvider } from '../subject.js';
import { median, pause, writers } from '../writers.js';
import { type ConsumerCluster, openConsumerCluster } from './consumer-cluster.js';
import { ask, checkRights, onboard, settledRights } from './tenant.js';

export interface ProviderOptions {
  readonly consumers: number;
  /** APIs per consumer, with an export for each. */
  readonly exports: number;
  /** Number of consumers with their own cluster and konnector. */
  readonly konnectors: number;
  readonly rounds: number;
  /** Folder for CPU profiles of the provider: one of its start, one of the changes. */
  readonly profile?: string | undefined;
  /** Stored objects to validate against a changed schema. */
  readonly stored: number;
  readonly root: string;
  readonly print: (line: string) => void;
}

export interface ProviderResult {
  /** From the first onboarding request to the last kubeconfig, in milliseconds. */
  readonly onboardedMs: number;
  readonly onboardedCpuMs: number;
  /**
   * From the first request for an API to the last export and the last right, in milliseconds; CPU and memory of the
   * provider then.
   */
  readonly answeredMs: number;
  readonly answeredCpuMs: number;
  readonly rssBytes: number;
  /** From the change of one CRD to the last consumer's BoundSchema and the last export that reports it: each round. */
  readonly carriedMs: readonly number[];
  /** The same to the last CRD of the consumers with a konnector. */
  readonly appliedMs: readonly number[];
  /** Time for as many writes straight to the API server, {@link WIDTH} at a time: each round, after the change. */
  readonly rawMs: readonly number[];
  readonly writesPerConsumer: readonly number[];
  readonly carriedCpuMs: readonly number[];
  /** Writes by a restart over all this, without the Lease. */
  readonly restartWrites: number;
  /** Comparing two CRDs of 1 MB, in this process. */
  readonly diffMs: number;
  /** Validating that many stored objects against a schema, in this process. */
  readonly storedMs: number;
}

const WIDTH = 16;
const WITHIN = { timeoutMs: 900_000, intervalMs: 250 };
/** Additional time for each export: thousands take long on a busy machine. */
const PER_EXPORT_MS = 500;
const QUIET_MS = 5_000;

/**
 * Measures the provider role with many consumers on one control plane, each onboarded by it and with its own
 * credential: how long a changed CRD takes to reach the last of them, and the cost at rest. Checks each consumer's
 * rights with its credential.
 */
export async function benchProvider({
  consumers,
  exports,
  konnectors,
  rounds,
  stored,
  root,
  profile,
  print,
}: ProviderOptions): Promise<ProviderResult> {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-bench-'));
  const plane = await startControlPlane({ name: 'provider', controllerManager: true });
  const client = createClient({ name: 'provider', connection: plane.connection, concurrency: 64, userAgent: 'bench' });
  writeFileSync(join(folder, 'provider.kubeconfig'), plane.kubeconfig, { mode: 0o600 });
  const opened: ConsumerCluster[] = [];
  let subject: Subject | undefined;
  try {
    const apis = Array.from({ length: exports }, (_, index): SampleApi => ({
      ...databases,
      group: index === 0 ? databases.group : `b${index}.${databases.group}`,
    }));
    const withinMs = WITHIN.timeoutMs + consumers * exports * PER_EXPORT_MS;
    await prepare(client, apis);
    subject = startProvider(folder, root, profile);
    let start = performance.now();
    const tenants = await onboard(client, consumers, withinMs);
    const onboarded = { onboardedMs: performance.now() - start, onboardedCpuMs: subject.cpu().total };
    print(
      `${consumers} consumers onboarded in ${(onboarded.onboardedMs / 1_000).toFixed(1)} s, ${(onboarded.onboardedCpuMs / consumers).toFixed(1)} ms CPU each`,
    );

    start = performance.now();
    const changes = await watchExports(client);
    await writers(consumers, WIDTH, async (at) => {
      const tenant = tenants[at];
      if (tenant !== undefined) await ask(tenant, apis);
    });
    await eventually(
      () => {
        if (changes.count() < consumers * exports) throw new Error(`${changes.count()} exports`);
      },
      { ...WITHIN, timeoutMs: withinMs },
    );
    await settledRights(client, tenants, exports, withinMs);
    const answeredMs = performance.now() - start;
    await quiet(plane);
    const answered = {
      answeredMs,
      answeredCpuMs: subject.cpu().total - onboarded.onboardedCpuMs,
      rssBytes: subject.rssBytes(),
    };
    print(
      `each with ${exports} exports and as many rights: after ${(answeredMs / 1_000).toFixed(1)} s, ${(answered.answeredCpuMs / consumers / exports).toFixed(1)} ms CPU each, ${(answered.rssBytes / 2 ** 20).toFixed(0)} MiB`,
    );
    await checkRights(tenants, apis);
    print("each consumer has its own rights, and none of its neighbour's");

    await subject.stop();
    const since = await plane.auditLog().mark();
    subject = startProvider(folder, root, profile);
    await pause(QUIET_MS);
    await quiet(plane);
    const restartWrites = (await providerWrites(plane, since)).length;
    print(`a restart over it: ${restartWrites} writes`);

    for (const tenant of tenants.slice(0, konnectors))
      opened.push(await openConsumerCluster(tenant, apis, { folder, root, withinMs }));
    await Promise.all(opened.map((cluster) => cluster.sync(client, withinMs)));
    await quiet(plane);
    if (opened.length > 0) print(`${opened.length} of them bound ${exports} APIs with a konnector, and sync`);

    const carried: {
      readonly ms: number;
      readonly appliedMs: number;
      readonly rawMs: number;
      readonly writes: number;
      readonly cpuMs: number;
    }[] = [];
    for (let round = 0; round < rounds; round++) {
      const [cpu, mark] = [subject.cpu().total, await plane.auditLog().mark()];
      const { ms, appliedMs } = await carry(client, changes, opened, `field${round}`, consumers);
      await quiet(plane);
      const writes = (await providerWrites(plane, mark)).length / consumers;
      const rawMs = await rawWrites(client, consumers, round);
      carried.push({ ms, appliedMs, rawMs, writes, cpuMs: subject.cpu().total - cpu });
      print(
        `a changed CRD was with the last of ${consumers} consumers after ${(ms / 1_000).toFixed(2)} s, at the last of ${opened.length} konnectors after ${(appliedMs / 1_000).toFixed(2)} s; ${writes.toFixed(2)} writes for each, which alone take ${(rawMs / 1_000).toFixed(2)} s, ${(carried.at(-1)?.cpuMs ?? 0).toFixed(0)} ms CPU`,
      );
    }
    changes.close();

    const diffMs = diffOfOneMegabyte();
    print(`comparing two CRDs of 1 MB: ${diffMs.toFixed(0)} ms`);
    const storedMs = await checkObjects(client, stored);
    print(`holding ${stored} stored objects against a schema: ${(storedMs / 1_000).toFixed(2)} s`);
    return {
      ...onboarded,
      ...answered,
      restartWrites,
      carriedMs: carried.map(({ ms }) => ms),
      appliedMs: carried.map(({ appliedMs }) => appliedMs),
      rawMs: carried.map(({ rawMs }) => rawMs),
      writesPerConsumer: carried.map(({ writes }) => writes),
      carriedCpuMs: carried.map(({ cpuMs }) => cpuMs),
      diffMs,
      storedMs,
    };
  } finally {
    for (const cluster of opened) await cluster.close();
    await subject?.stop();
    await client.close();
    await plane.stop();
  }
}

/** Goals for the figures. */
export function providerVerdicts({ carriedMs, writesPerConsumer, restartWrites, diffMs }: ProviderResult): readonly {
  readonly figure: string;
  readonly measured: number;
  readonly goal: string;
  readonly reached: boolean;
}[] {
  const seconds = median(carriedMs) / 1_000;
  const writes = median(writesPerConsumer);
  return [
    { figure: 'changed CRD to last consumer, s', measured: seconds, goal: '≤ 5', reached: seconds <= 5 },
    { figure: 'writes per consumer', measured: writes, goal: '2', reached: writes <= 2 },
    { figure: 'writes by a restart', measured: restartWrites, goal: '0', reached: restartWrites === 0 },
    { figure: 'comparing CRDs of 1 MB, ms', measured: diffMs, goal: '≤ 150', reached: diffMs <= 150 },
  ];
}

async function prepare(client: Client, apis: readonly SampleApi[]): Promise<void> {
  await installCRDs(client, providerCRDs, { clock: systemClock });
  await ensure(client, resources.clusterRoles, binderRole());
  for (const api of apis) await ensure(client, resources.clusterRoles, consumerRole(api));
  for (const api of apis)
    await ensure(
      client,
      resources.customResourceDefinitions,
      crdOf(api, { labels: { [labels.exported]: 'true' }, properties: fields({}) }),
    );
}

/** The role that the chart creates for its exports. */
function consumerRole({ group, plural }: SampleApi): KubeObject {
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: `kube-binder:objects:${plural}.${group}` },
    rules: [{ apiGroups: [group], resources: [plural], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] }],
  };
  return role;
}

function fields(more: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return {
    spec: {
      type: 'object',
      properties: { size: { type: 'string' }, replicas: { type: 'integer', minimum: 0 }, ...more },
    },
    status: { type: 'object', properties: { phase: { type: 'string' } } },
  };
}

/** Number of hash changes of the exports, from a watch. */
interface ExportWatch {
  count(): number;
  /** Exports whose hash differs from `before`. */
  hashes(): ReadonlyMap<string, string>;
  close(): void;
}

async function watchExports(client: Client): Promise<ExportWatch> {
  const stopping = new AbortController();
  const hashes = new Map<string, string>();
  const see = ({ metadata }: APIServiceExport): void => {
    hashes.set(
      `${metadata.namespace ?? ''}/${metadata.name}`,
      metadata.annotations?.[annotations.sourceSpecHash] ?? '',
    );
  };
  const listed = await client.list<APIServiceExport>(resources.apiServiceExports);
  listed.items.forEach(see);
  const stream = await client.watch<APIServiceExport>(resources.apiServiceExports, {
    resourceVersion: listed.metadata.resourceVersion,
    signal: stopping.signal,
  });
  const reading = async (): Promise<void> => {
    for await (const event of stream) if (event.type !== 'BOOKMARK') see(event.object);
  };
  reading().catch(() => undefined);
  return {
    count: () => hashes.size,
    hashes: () => new Map(hashes),
    close: () => {
      stopping.abort();
    },
  };
}

/**
 * Adds an optional field to a CRD, and waits until each consumer's export has another hash, which is written after the
 * BoundSchema.
 */
async function carry(
  client: Client,
  changes: ExportWatch,
  opened: readonly ConsumerCluster[],
  field: string,
  consumers: number,
): Promise<{ readonly ms: number; readonly appliedMs: number }> {
  const crd = crdName(databases.plural, databases.group);
  const before = changes.hashes();
  const properties = { [field]: { type: 'string' } };
  const start = performance.now();
  const live = await client.get<CustomResourceDefinition>(resources.customResourceDefinitions, { name: crd });
  const [version] = live.spec.versions;
  const schema = version?.schema?.openAPIV3Schema as
    { readonly properties: { readonly spec: { readonly properties: object } } } | undefined;
  const changed = {
    ...live.spec,
    versions: [
      {
        ...version,
        schema: {
          openAPIV3Schema: {
            ...schema,
            properties: {
              ...schema?.properties,
              spec: {
                ...schema?.properties.spec,
                properties: { ...schema?.properties.spec.properties, ...properties },
              },
            },
          },
        },
      },
    ],
  };
  await client.update(resources.customResourceDefinitions, { ...live, spec: changed } as KubeObject);
  const applied = Promise.all(opened.map((cluster) => cluster.hasField(crd, field, WITHIN.timeoutMs)));
  await eventually(
    () => {
      const now = changes.hashes();
      const carried = [...now].filter(([name, hash]) => before.get(name) !== hash).length;
      if (carried < consumers) throw new Error(`${carried} of ${consumers} exports`);
    },
    { ...WITHIN, intervalMs: 20 },
  );
  const ms = performance.now() - start;
  const appliedMs = Math.max(start, ...(await applied)) - start;
  const schemas = (await client.list<BoundSchema>(resources.boundSchemas)).items.filter(
    ({ metadata, spec }) => metadata.name === crd && JSON.stringify(spec).includes(`"${field}"`),
  );
  if (schemas.length < consumers) throw new Error(`only ${schemas.length} BoundSchemas have the new field`);
  return { ms, appliedMs };
}

/** Two sequential writes per consumer and nothing else: milliseconds. */
async function rawWrites(client: Client, consumers: number, round: number): Promise<number> {
  const namespace = 'raw';
  const resource = { group: databases.group, version: 'v1', resource: databases.plural };
  await ensure(client, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await writers(consumers, WIDTH, (at) =>
    ensure(client, resource, {
      apiVersion: `${databases.group}/v1`,
      kind: databases.kind,
      metadata: { name: `raw-${at}`, namespace },
      spec: { size: 'small' },
    } as KubeObject),
  );
  return writers(consumers, WIDTH, async (at) => {
    for (const replicas of [2 * round + 1, 2 * round + 2])
      await client.patch(resource, { namespace, name: `raw-${at}` }, { type: 'merge', patch: { spec: { replicas } } });
  });
}

async function providerWrites(
  plane: ControlPlane,
  since: Awaited<ReturnType<ReturnType<ControlPlane['auditLog']>['mark']>>,
): Promise<readonly unknown[]> {
  return (await plane.auditLog().writes({ since, userAgent: 'hawser-provider' })).filter(
    ({ resource }) => resource !== 'leases',
  );
}

/** Waits until the provider has written nothing for a while. */
async function quiet(plane: ControlPlane): Promise<void> {
  for (;;) {
    const since = await plane.auditLog().mark();
    await pause(QUIET_MS);
    if ((await providerWrites(plane, since)).length === 0) return;
  }
}

function diffOfOneMegabyte(): number {
  const wide = (text: string): object =>
    Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => [
        `field${at}`,
        { type: 'string', description: `${text} `.repeat(14), maxLength: at + 1 },
      ]),
    );
  const of = (text: string): Parameters<typeof definitionOf>[0] => ({
    ...crdOf(databases, { properties: { spec: { type: 'object', properties: wide(text) } } }).spec,
  });
  const [before, after] = [of('before'), of('after, now')];
  const start = performance.now();
  compareDefinitions(definitionOf(before), definitionOf(after));
  return performance.now() - start;
}

async function checkObjects(client: Client, count: number): Promise<number> {
  const namespace = 'stored';
  const resource = { group: databases.group, version: 'v1', resource: databases.plural };
  await ensure(client, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await writers(count, WIDTH, (at) =>
    client.create(
      resource,
      {
        apiVersion: `${databases.group}/v1`,
        kind: databases.kind,
        metadata: { name: `stored-${at}`, namespace },
        spec: { size: 'small', replicas: at % 9 },
      } as KubeObject,
      { representation: 'metadata' },
    ),
  );
  const candidate = crdOf(databases, { properties: fields({ backup: { type: 'string' } }) }).spec;
  const start = performance.now();
  await checkStored(client, resource, candidate, { namespaces: [namespace] });
  return performance.now() - start;
}
