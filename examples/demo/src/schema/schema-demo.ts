import { execFile } from 'node:child_process';
import type { KubeObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { bind, crdOf, databases, ensure, onboardConsumer, requestExport } from '@hawser/installation';
import {
  type APIServiceExport,
  type CustomResourceDefinition,
  conditionTypes,
  consumerCRDs,
  fixedNames,
  getCondition,
  hawserAnnotations,
  installCRDs,
  labels,
  providerCRDs,
  resources,
} from '@hawser/kube-bind';
import type { Cluster } from '../cluster.js';
import type { Opening } from '../clusters.js';
import { DemoError } from '../demo-error.js';
import { startEmbedded } from '../embedded.js';
import { databaseResource, names } from '../names.js';
import type { Side, Timeline } from '../timeline.js';

export interface SchemaScene {
  /** The module of the `hawser` command. */
  readonly hawser: string;
  readonly timeline: Timeline;
  readonly signal: AbortSignal;
  readonly folder: string;
  readonly openings: Opening[];
  readonly startRole: (
    name: string,
    command: readonly ['hawser' | 'hawser-konnector', ...string[]],
    env: Readonly<Record<string, string>>,
  ) => void;
}

interface Team {
  readonly side: Side & ('team-a' | 'team-b');
  readonly clusterNamespace: string;
  readonly tier: 'canary' | 'stable';
}

/** The first team gets changes before the others. */
const teams: readonly Team[] = [
  { side: 'team-a', clusterNamespace: 'kube-bind-team-a', tier: 'canary' },
  { side: 'team-b', clusterNamespace: 'kube-bind-team-b', tier: 'stable' },
];

const MAX_REPLICAS = 3;

/** The service owner's first version. */
const offered = crdOf(databases, {
  labels: { [labels.exported]: 'true' },
  properties: {
    spec: { type: 'object', properties: { size: { type: 'string' }, replicas: { type: 'integer', minimum: 0 } } },
    status: { type: 'object', properties: { phase: { type: 'string' } } },
  },
});

const crdKey = { name: names.crd };
const exportKey = ({ clusterNamespace }: Team): { readonly namespace: string; readonly name: string } => ({
  namespace: clusterNamespace,
  name: names.export,
});

/** Shows a provider's CRD change, and its effect at two consumers. Resolves when every step was seen. */
export async function showSchemas({
  hawser,
  timeline,
  signal,
  folder,
  openings,
  startRole,
}: SchemaScene): Promise<void> {
  const open = async (side: Side): Promise<Cluster> => {
    const opening = startEmbedded(side, { folder, signal });
    openings.push(opening);
    return opening.cluster;
  };
  const [provider, ...consumers] = await Promise.all([open('provider'), ...teams.map(({ side }) => open(side))]);
  timeline.seen(undefined, 'three API servers are ready: a provider and two consumers');

  await installCRDs(provider.client, providerCRDs, { clock: systemClock, signal });
  startRole(
    'provider',
    [
      'hawser',
      'run',
      '--roles',
      'provider',
      '--provider-request-admission',
      'Exported',
      '--provider-kubeconfig',
      provider.kubeconfigFile,
    ],
    { POD_NAME: 'demo' },
  );
  await ensure(provider.client, resources.customResourceDefinitions, offered);
  await provider.served(databaseResource);
  const bound = await Promise.all(
    teams.map(async (team, at) => {
      const consumer = consumers[at];
      if (consumer === undefined) throw new DemoError('failed', `there is no cluster for ${team.side}`);
      await bindFor(team, consumer, provider, startRole, signal);
      return { team, consumer };
    }),
  );
  timeline.seen(undefined, `${names.crd} is bound by two consumers`);

  const optional = changed(
    provider,
    ({ spec }) => {
      spec['backup'] = { type: 'string', description: 'When to make backups.' };
    },
    {},
  );
  timeline.doing('provider', 'the CRD gets a new optional field: spec.backup');
  const since = await optional;
  for (const { team, consumer } of bound) {
    const { at } = await consumer.seen<CustomResourceDefinition>(
      resources.customResourceDefinitions,
      crdKey,
      'the new field',
      (crd) => specOf(crd)['backup'] !== undefined,
    );
    timeline.seen(team.side, 'its CRD has spec.backup', at - since);
  }

  timeline.doing(
    'provider',
    `the CRD allows no more than ${MAX_REPLICAS} replicas: a breaking change, to be rolled out to consumers with tier=canary first`,
  );
  const breaking = await changed(
    provider,
    ({ spec }) => {
      spec['replicas'] = { ...(spec['replicas'] as object | undefined), type: 'integer', maximum: MAX_REPLICAS };
    },
    { [hawserAnnotations.schemaRollout]: 'tier=canary' },
  );
  for (const { team, consumer } of bound) {
    const held = await provider.seen<APIServiceExport>(
      resources.apiServiceExports,
      exportKey(team),
      'the held change',
      ({ status }) => getCondition(status?.conditions, conditionTypes.schemaUpdateHeld)?.status === 'True',
    );
    const condition = getCondition(held.object.status?.conditions, conditionTypes.schemaUpdateHeld);
    timeline.seen(
      'provider',
      `${team.side}: SchemaUpdateHeld: ${firstSentence(condition?.message ?? '')}`,
      held.at - breaking,
    );
    if (
      maximumOf(await consumer.client.get<CustomResourceDefinition>(resources.customResourceDefinitions, crdKey)) !==
      undefined
    )
      throw new DemoError('failed', `${team.side}: its CRD was changed, though nobody has approved that`);
  }

  const approved = performance.now();
  for (const { team } of bound.toReversed()) {
    const args = ['schema', 'approve', `${team.clusterNamespace}/${names.export}`];
    timeline.doing('provider', `hawser ${args.join(' ')}`);
    await run(hawser, [...args, '--kubeconfig', provider.kubeconfigFile]);
  }
  const reached: number[] = [];
  for (const { team, consumer } of bound) {
    const { at } = await consumer.seen<CustomResourceDefinition>(
      resources.customResourceDefinitions,
      crdKey,
      'the changed bound',
      (crd) => maximumOf(crd) === MAX_REPLICAS,
    );
    reached.push(at);
    timeline.seen(
      team.side,
      `its CRD has the bound${team.tier === 'canary' ? '; its konnector says so' : ', after the first consumer has proven it'}`,
      at - approved,
    );
  }
  const [first = 0, second = 0] = reached;
  if (second < first) throw new DemoError('failed', 'the second consumer had the change before the first');
  for (const { team } of bound) {
    await provider.seen<APIServiceExport>(
      resources.apiServiceExports,
      exportKey(team),
      'the end of the hold',
      ({ status }) => getCondition(status?.conditions, conditionTypes.schemaUpdateHeld)?.status !== 'True',
    );
  }
  timeline.seen('provider', 'nothing is held any more');
}

async function bindFor(
  { side, clusterNamespace, tier }: Team,
  consumer: Cluster,
  provider: Cluster,
  startRole: SchemaScene['startRole'],
  signal: AbortSignal,
): Promise<void> {
  const { kubeconfig } = await onboardConsumer({
    provider: provider.client,
    connection: provider.connection,
    clusterNamespace,
    prettyName: 'Demo databases',
    apis: [databases],
  });
  await provider.client.patch(
    resources.clusterBindings,
    { namespace: clusterNamespace, name: fixedNames.clusterBinding },
    { type: 'merge', patch: { metadata: { labels: { tier } } } },
    { signal },
  );
  await requestExport(provider.client, clusterNamespace, names.export, [databases]);
  await ensure(consumer.client, resources.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: fixedNames.konnectorNamespace },
  });
  await installCRDs(consumer.client, consumerCRDs, { clock: systemClock, signal });
  startRole(
    `konnector-${side}`,
    ['hawser-konnector', '--kubeconfig', consumer.kubeconfigFile, '--lease-namespace', fixedNames.konnectorNamespace],
    { POD_NAME: side },
  );
  await provider.seen(
    resources.apiServiceExports,
    { namespace: clusterNamespace, name: names.export },
    'the APIServiceExport',
  );
  await bind({ consumer: consumer.client, name: names.export, kubeconfig });
  await consumer.seen<CustomResourceDefinition>(
    resources.customResourceDefinitions,
    crdKey,
    `the CRD ${names.crd}`,
    (crd) => crd.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false,
  );
}

/** Changes the CRD of the provider, as its owner would. Resolves to the time of the change. */
async function changed(
  { client }: Cluster,
  change: (fields: { readonly spec: Record<string, unknown> }) => void,
  annotations: Readonly<Record<string, string>>,
): Promise<number> {
  const crd = await client.get<CustomResourceDefinition>(resources.customResourceDefinitions, crdKey);
  const copy = structuredClone(crd) as KubeObject & CustomResourceDefinition;
  change({ spec: specOf(copy) });
  await client.update(resources.customResourceDefinitions, {
    ...copy,
    metadata: { ...copy.metadata, annotations: { ...copy.metadata.annotations, ...annotations } },
  });
  return performance.now();
}

/** The schemas of the fields below `spec`. */
function specOf(crd: CustomResourceDefinition): Record<string, unknown> {
  const schema = crd.spec.versions[0]?.schema?.openAPIV3Schema as
    { readonly properties?: { readonly spec?: { readonly properties?: Record<string, unknown> } } } | undefined;
  return schema?.properties?.spec?.properties ?? {};
}

function maximumOf(crd: CustomResourceDefinition): unknown {
  return (specOf(crd)['replicas'] as { readonly maximum?: number } | undefined)?.maximum;
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.) /u)[0] ?? text;
}

function run(hawser: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ['--disable-warning=ExperimentalWarning', hawser, ...args], (error, out, err) => {
      if (error === null) resolve();
      else reject(new DemoError('failed', `hawser ${args.join(' ')}: ${`${out}${err}`.trim()}`, { cause: error }));
    });
  });
}
