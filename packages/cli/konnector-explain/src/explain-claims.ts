import { type KubeObject, type Resource, isApiError, listAll, resourceName } from '@hawser/client';
import {
  claimingPolicy,
  CLAIMS_IN_SYNC,
  type Claim,
  type Landing,
  askedResources,
  claimable,
  createClaimDiscovery,
  isMadeFor,
  landingsOf,
  opensNamespace,
  protectionOf,
  readClaims,
} from '@hawser/claimedresources';
import { type APIServiceBinding, getCondition, resources } from '@hawser/kube-bind';
import { readBindingPolicy } from '@hawser/konnector-sync';
import { type Finding, type Standing, worst } from '@hawser/preview';

import type { BindingView, ProviderView } from './binding-view.js';
import { type ClaimPairs, createClaimPairs } from './claim-pairs.js';
import { notClaimed, reportClaimedObject } from './claim-object-report.js';
import { unreadClaimed } from './claimed-names.js';
import type { ExplainContext } from './context.js';
import type { ExplainOptions } from './explain.js';
import { unlisted } from './finding.js';
import { isAlive } from './heartbeat.js';
import { namespaceMap, readNamespace } from './namespace-map.js';
import type { ObjectReport, ResourceReport } from './report.js';

/** Result for the claims of one binding. */
export interface ExplainedClaims {
  /** Claims, or parts of them, that are not served. */
  readonly findings: readonly Finding[];
  readonly claimed: readonly ResourceReport[];
}

type ServedView = BindingView & {
  readonly provider: ProviderView;
  readonly export: NonNullable<BindingView['export']>;
};

/** How long the konnector waits for a namespace before it reports. */
const NAMESPACE_GRACE_MS = 30_000;

type Asked = Pick<ExplainOptions, 'dryRun' | 'objects'>;

/**
 * Results by binding. Like a konnector, takes all bindings of one connection together: several of them may claim one
 * object. `all`: every binding of the cluster. Asked about one object, leaves out the findings about claims, and the
 * resources that the question does not mean.
 */
export async function explainClaims(
  context: ExplainContext,
  views: readonly BindingView[],
  all: readonly APIServiceBinding[],
  options: Asked,
): Promise<ReadonlyMap<string, ExplainedClaims>> {
  const explained = new Map<string, ExplainedClaims>();
  const connections = Map.groupBy(
    views.filter(isServed),
    ({ provider }) => `${provider.server} ${provider.clusterNamespace}`,
  );
  for (const group of connections.values()) {
    const claims: Claim[] = [];
    const [first] = group;
    const discovery =
      context.claims?.claimable === 'Any' && first !== undefined
        ? createClaimDiscovery({ consumer: context.consumer, provider: first.provider.client }, () => context.now())
        : undefined;
    await discovery?.learn(askedResources(group.flatMap(({ claims: asked }) => asked)), context.signal);
    for (const {
      binding: {
        metadata: { name },
      },
      claims: asked,
      export: apiExport,
    } of group) {
      const reading = readClaims(name, asked, apiExport, discovery?.claimable ?? claimable);
      claims.push(...reading.claims);
      explained.set(name, { findings: options.objects === 'all' ? reading.problems : [], claimed: [] });
    }
    for (const ofResource of Map.groupBy(claims, ({ resource }) => resourceName(resource)).values()) {
      const [one] = ofResource;
      if (one === undefined) continue;
      for (const [name, report] of await explainResource(context, group, all, one.resource, ofResource, options)) {
        const known = explained.get(name);
        if (known !== undefined) explained.set(name, { ...known, claimed: [...known.claimed, report] });
      }
    }
  }
  return explained;
}

function isServed(view: BindingView): view is ServedView {
  return (
    view.provider !== undefined && view.export !== undefined && view.binding.metadata.deletionTimestamp === undefined
  );
}

/** The reports of one claimed resource, by binding; empty if the question does not mean it. */
async function explainResource(
  context: ExplainContext,
  group: readonly ServedView[],
  all: readonly APIServiceBinding[],
  resource: Resource,
  claims: readonly Claim[],
  { dryRun, objects: asked }: Asked,
): Promise<ReadonlyMap<string, ResourceReport>> {
  const base = unreadClaimed(resource);
  const only = typeof asked === 'function' ? asked(base) : undefined;
  const [{ provider } = { provider: undefined }] = group;
  if (provider === undefined || (asked !== 'all' && only === undefined)) return new Map();
  const claimants = [...new Set(claims.map(({ binding }) => binding))];
  const unknown = (standing: Standing, finding: Finding): ReadonlyMap<string, ResourceReport> =>
    new Map(claimants.map((name) => [name, { ...base, standing, finding }]));
  const { consumer, provider: providerIdentity } = provider.identities;
  if (consumer === undefined || providerIdentity === undefined)
    return unknown('unknown', {
      reason: 'NotKnown',
      message: 'Which clusters these are cannot be read, and without that no claims are served.',
      actor: 'operator',
    });
  const identities = { consumer, provider: providerIdentity };
  const pairs = openClaimPairs(context, group, provider, identities, all, resource, claims);
  const reports = new Map<string, ObjectReport[]>(only === undefined ? claimants.map((name) => [name, []]) : []);
  try {
    await pairs.readAll();
    for (const object of only === undefined ? pairs.objects() : [only]) {
      const { report, binding } = await examineOne(context, provider, pairs, resource, object, {
        dryRun,
        objects: asked,
      });
      // A copy that is no longer claimed concerns all bindings with claims on that resource.
      const of = claimants.find((name) => name === binding) ?? claimants[0] ?? '';
      const known = reports.get(of) ?? [];
      reports.set(of, report === undefined ? known : [...known, report]);
    }
  } catch (error) {
    if (!isApiError(error) || error.code === 'Aborted') throw error;
    return unknown('held', unlisted(error, 'claimed'));
  }
  return new Map(
    [...reports].map(([name, objects]) => [
      name,
      { ...base, standing: worst(objects.map(({ standing }) => standing)), objects },
    ]),
  );
}

/** `binding`: the first whose claims select it. */
async function examineOne(
  context: ExplainContext,
  { clusterBinding }: ProviderView,
  pairs: ClaimPairs,
  resource: Resource,
  object: string,
  { dryRun, objects: asked }: Asked,
): Promise<{ readonly report: ObjectReport | undefined; readonly binding: string | undefined }> {
  const examination = await pairs.examine(object, { dryRun });
  const { consumer, signal } = context;
  const now = context.now();
  const alive = isAlive(clusterBinding.kind === 'found' ? clusterBinding.object : undefined, now);
  const report = await reportClaimedObject(resource, examination, { consumer, alive, dryRun, now, signal });
  return {
    report: report ?? (asked === 'all' ? undefined : notClaimed(resource, examination)),
    binding: examination.bindings[0],
  };
}

function openClaimPairs(
  context: ExplainContext,
  group: readonly ServedView[],
  provider: ProviderView,
  identities: { readonly consumer: string; readonly provider: string },
  all: readonly APIServiceBinding[],
  resource: Resource,
  claims: readonly Claim[],
): ClaimPairs {
  const { clusterNamespace } = provider;
  const secrets = group.flatMap(({ secret }) => (secret.ref === undefined ? [] : [secret.ref]));
  return createClaimPairs({
    resource,
    claims,
    settings: {
      consumerCluster: identities.consumer,
      clusterNamespaceUid: identities.provider,
      clusterNamespace,
      namespaceGraceMs: NAMESPACE_GRACE_MS,
      marks: context.claims?.marks,
    },
    clients: { consumer: context.consumer, provider: provider.client },
    namespaces: (client) => namespaceMap(client, provider, context.dialect, () => context.now()),
    read: (asked, key) => readNamespace(provider, asked, key),
    exportOwner(name) {
      const apiExport = group.find(({ binding }) => binding.metadata.name === name)?.export;
      return apiExport === undefined
        ? undefined
        : { apiVersion: apiExport.apiVersion, kind: 'APIServiceExport', name, uid: apiExport.metadata.uid ?? '' };
    },
    protection: (side, namespace, original) =>
      protectionOf({ bindings: () => all, secrets: () => secrets }, resource, side, namespace, original),
    policies: new Map(
      group.map(({ binding, secret, resources: bound }) => [
        binding.metadata.name,
        claimingPolicy(
          readBindingPolicy({ binding: binding.metadata, secrets: [secret] }).policy,
          bound.map(({ crd }) => crd),
        ),
      ]),
    ),
    landings: () => landingsFor(context, group, identities.provider),
    deletionsHeld: group.some(
      ({ binding }) => getCondition(binding.status?.conditions, CLAIMS_IN_SYNC)?.reason === 'ClaimedDeletionsHeld',
    ),
    now: () => context.now(),
    signal: context.signal,
  });
}

/** As the konnector's controller knows it: by bound objects, and by the namespaces themselves. */
async function landingsFor(
  context: ExplainContext,
  group: readonly ServedView[],
  provider: string,
): Promise<(namespace: string, bindings: readonly string[]) => Landing> {
  const { consumer, signal } = context;
  const open = new Set<string>();
  for (const {
    config: { group: apiGroup, version, plural },
  } of group.flatMap(({ plans }) => plans.flatMap((plan) => (plan.kind === 'run' ? [plan] : [])))) {
    for (const object of await listAll<KubeObject>(
      consumer,
      { group: apiGroup, version, resource: plural },
      { representation: 'metadata', signal },
    ))
      if (object.metadata.namespace !== undefined && opensNamespace(object)) open.add(object.metadata.namespace);
  }
  for (const namespace of await listAll<KubeObject>(consumer, resources.namespaces, {
    representation: 'metadata',
    signal,
  }))
    if (isMadeFor(namespace, provider)) open.add(namespace.metadata.name);
  const opened = new Map(group.map(({ binding }) => [binding.metadata.name, landingsOf(binding)]));
  return (namespace, bindings) =>
    open.has(namespace) ||
    bindings.some((name) => opened.get(name)?.some((one) => one === '*' || one === namespace) === true)
      ? 'open'
      : 'closed';
}
