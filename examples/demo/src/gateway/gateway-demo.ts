import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, type KubeObject, createClient, isForbidden } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { consumerRoles } from '@hawser/exportrbac';
import { type SampleApi, bind, ensure, requestExport, sampleCrd } from '@hawser/installation';
import {
  type APIServiceExport,
  type CustomResourceDefinition,
  fixedNames,
  installCRDs,
  kubeBindDialect,
  providerCRDs,
  resources,
} from '@hawser/kube-bind';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { createCertificateAuthority, freePort } from '@hawser/testenv';
import { parse, stringify } from 'yaml';
import type { Cluster } from '../cluster.js';
import type { Opening } from '../clusters.js';
import { DemoError } from '../demo-error.js';
import { startEmbedded } from '../embedded.js';
import { prepareConsumer } from '../story.js';
import type { Side, Timeline } from '../timeline.js';

export interface GatewayScene {
  readonly timeline: Timeline;
  readonly signal: AbortSignal;
  readonly folder: string;
  readonly openings: Opening[];
  readonly own: (close: () => Promise<void>) => void;
  readonly startRole: (
    name: string,
    command: readonly ['hawser' | 'hawser-konnector', ...string[]],
    env: Readonly<Record<string, string>>,
  ) => void;
}

/**
 * Served under isolation Namespaced: cluster-scoped for consumers, whose konnectors list and watch it across the
 * provider cluster.
 */
const zones: SampleApi = { group: 'example.com', plural: 'zones', kind: 'Zone', scope: 'Namespaced' };
const zoneResource = { group: zones.group, version: 'v1', resource: zones.plural };
const crd = `${zones.plural}.${zones.group}`;
const teams = ['team-a', 'team-b'] as const;
const namespaceOf = (team: Side): string => `kube-bind-${team}`;

/**
 * Shows two consumers of a cluster-scoped API: their konnectors list the whole cluster, and each sees its own objects.
 * Resolves when every step was seen.
 */
export async function showGateway(scene: GatewayScene): Promise<void> {
  const { timeline, signal, folder, openings } = scene;
  const open = (side: Side): Promise<Cluster> => {
    const opening = startEmbedded(side, { folder, signal });
    openings.push(opening);
    return opening.cluster;
  };
  const [provider, ...consumers] = await Promise.all([open('provider'), ...teams.map(open)]);
  timeline.seen(undefined, 'three API servers are ready: a provider and two consumers');
  const address = await provide(provider, scene);
  timeline.seen('provider', `the API ${crd}, cluster-scoped for consumers, and a gateway at ${address}`);

  const bound = await Promise.all(
    teams.map(async (team, at) => {
      const consumer = consumers[at];
      if (consumer === undefined) throw new DemoError('failed', `there is no cluster for ${team}`);
      return { team, consumer, kubeconfig: await bindFor(team, consumer, provider, scene) };
    }),
  );
  timeline.seen(undefined, `${crd} is bound by both; their kubeconfigs have the address of the gateway`);

  for (const { team, consumer } of bound) {
    const made = performance.now();
    await consumer.client.create(zoneResource, {
      apiVersion: 'example.com/v1',
      kind: 'Zone',
      metadata: { name: 'north' },
      spec: { owner: team },
    } as KubeObject);
    timeline.doing(team, 'Zone north is created');
    const copy = { namespace: namespaceOf(team), name: 'north' };
    const { at } = await provider.seen(zoneResource, copy, 'the copy');
    timeline.seen('provider', `Zone ${copy.namespace}/${copy.name} is there`, at - made);
  }
  const all = await provider.client.list(zoneResource);
  timeline.seen('provider', `its operator lists ${all.items.length} zones: ${namesOf(all.items)}`);
  for (const { team, kubeconfig } of bound) await seesItsOwn(team, kubeconfig, provider, scene);
}

/** With its konnector's own credential. */
async function seesItsOwn(
  team: Side,
  kubeconfig: string,
  provider: Cluster,
  { timeline, own }: GatewayScene,
): Promise<void> {
  const through = connectionOf(kubeconfig);
  const clientFor = (connection: ConnectionConfig): Client => {
    const client = createClient({ name: team, connection });
    own(() => client.close());
    return client;
  };
  const { items } = await clientFor(through).list(zoneResource);
  if (namesOf(items) !== `${namespaceOf(team)}/north`)
    throw new DemoError('failed', `${team} lists ${namesOf(items)} through the gateway`);
  timeline.seen(team, `its konnector lists ${items.length} zone in the whole cluster: ${namesOf(items)}`);
  const straight = clientFor({ ...provider.connection, credentials: through.credentials });
  const refused = await straight.list(zoneResource).then(
    () => false,
    (error: unknown) => isForbidden(error),
  );
  if (!refused) throw new DemoError('failed', `${team} lists zones on the API server itself`);
  timeline.seen(team, 'with the same token it lists nothing on the API server itself: 403');
}

/** Provider role and gateway in one process. Resolves to the gateway's address. */
async function provide(provider: Cluster, { startRole, folder, signal, timeline }: GatewayScene): Promise<string> {
  const { client } = provider;
  await installCRDs(client, providerCRDs, { clock: systemClock, signal });
  await ensure(client, resources.customResourceDefinitions, sampleCrd(zones));
  // The chart's part: the roles that the provider role grants to consumers.
  for (const role of consumerRoles([{ group: zones.group, resource: zones.plural }], kubeBindDialect))
    await ensure(client, resources.clusterRoles, role);
  await provider.served(zoneResource);
  const place = join(folder, 'gateway');
  await mkdir(place, { mode: 0o700 });
  const authority = await createCertificateAuthority(place, 'demo gateway');
  const { cert, key } = await authority.issueServer('gateway', ['localhost'], ['127.0.0.1']);
  const tls = { certFile: join(place, 'tls.crt'), keyFile: join(place, 'tls.key') };
  await writeFile(tls.certFile, cert);
  await writeFile(tls.keyFile, key, { mode: 0o600 });
  const address = `127.0.0.1:${await freePort()}`;
  const config = join(folder, 'provider.yaml');
  await writeFile(
    config,
    stringify({
      roles: ['provider', 'gateway'],
      provider: {
        kubeconfig: provider.kubeconfigFile,
        requestAdmission: 'Exported',
        informerScope: 'Cluster',
        isolation: 'Namespaced',
        gateway: { address, tls },
        external: { address: `https://${address}`, caFile: authority.certFile },
      },
    }),
  );
  timeline.doing('provider', 'roles: [provider, gateway]');
  startRole('provider', ['hawser', 'run', '--config', config], { POD_NAME: 'demo', POD_NAMESPACE: 'default' });
  return address;
}

/** Resolves to the kubeconfig that the provider role issued for the consumer. */
async function bindFor(
  team: Side,
  consumer: Cluster,
  provider: Cluster,
  { startRole, signal }: GatewayScene,
): Promise<string> {
  const clusterNamespace = namespaceOf(team);
  const { client } = provider;
  await ensure(client, resources.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: clusterNamespace, annotations: { 'backend.kube-bind.io/identity': team } },
  });
  await ensure(client, resources.clusterBindings, {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'ClusterBinding',
    metadata: { name: fixedNames.clusterBinding, namespace: clusterNamespace },
    spec: { providerPrettyName: 'Demo zones', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } },
  } as KubeObject);
  await requestExport(client, clusterNamespace, zones.plural, [zones]);
  await prepareConsumer(consumer, signal);
  startRole(
    `konnector-${team}`,
    ['hawser-konnector', '--kubeconfig', consumer.kubeconfigFile, '--lease-namespace', fixedNames.konnectorNamespace],
    { POD_NAME: team },
  );
  const { object } = await provider.seen<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(
    resources.secrets,
    { namespace: clusterNamespace, name: 'kubeconfig' },
    'the kubeconfig of the consumer',
    ({ data }) => decoded(data).includes('token'),
  );
  const kubeconfig = decoded(object.data);
  await provider.seen<APIServiceExport>(
    resources.apiServiceExports,
    { namespace: clusterNamespace, name: zones.plural },
    'the APIServiceExport',
  );
  await bind({ consumer: consumer.client, name: zones.plural, kubeconfig });
  await consumer.seen<CustomResourceDefinition>(
    resources.customResourceDefinitions,
    { name: crd },
    `the CRD ${crd}`,
    ({ status }) => status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True') ?? false,
  );
  await consumer.served(zoneResource);
  return kubeconfig;
}

const decoded = (data: Readonly<Record<string, string>> = {}): string =>
  Buffer.from(data['kubeconfig'] ?? '', 'base64').toString('utf8');
const namesOf = (objects: readonly KubeObject[]): string =>
  objects.map(({ metadata: { namespace = '', name } }) => `${namespace}/${name}`).join(', ');

function connectionOf(kubeconfig: string): ConnectionConfig {
  const { clusters, users } = parse(kubeconfig) as {
    readonly clusters: readonly {
      readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
    }[];
    readonly users: readonly { readonly user: { readonly token: string } }[];
  };
  const cluster = clusters[0]?.cluster;
  return {
    server: cluster?.server ?? '',
    caData: Buffer.from(cluster?.['certificate-authority-data'] ?? '', 'base64').toString('utf8'),
    credentials: { kind: 'token', token: users[0]?.user.token ?? '' },
  };
}
