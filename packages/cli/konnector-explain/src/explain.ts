import type { SyncPlan } from '@hawser/apiserviceexport';
import { isApiError } from '@hawser/client';
import { type APIServiceBinding, type CustomResourceDefinition, resourceGroupName, resources } from '@hawser/kube-bind';
import { type Standing, read, worst } from '@hawser/preview';

import { bindingFindings, resourceFinding, statusWrite } from './binding-findings.js';
import type { BindingView, ProviderView } from './binding-view.js';
import { claimReports } from './claim-reports.js';
import type { ExplainContext } from './context.js';
import { viewCoreKbind } from './core-kbind/explain.js';
import { type ExplainedClaims, explainClaims } from './explain-claims.js';
import { unlisted } from './finding.js';
import { isAlive } from './heartbeat.js';
import { reportObject } from './object-report.js';
import { onTheWire } from './on-the-wire.js';
import { openPairs } from './open-pairs.js';
import type { Pairs } from './pairs.js';
import type { BindingKind, BindingReport, ObjectReport, ResourceReport } from './report.js';
import { readShardOwners } from './shard-owners.js';
import { type Viewed, viewBindings } from './view-bindings.js';

export interface ExplainOptions {
  /** Asks the API servers by a dry run what they would make of each write. */
  readonly dryRun: boolean;
  /** Limits the result to this binding. */
  readonly binding?: string | undefined;
  /** Limits the result to these kinds. */
  readonly kinds?: readonly BindingKind[] | undefined;
  /**
   * Objects to examine: all, none, or one of each resource (`namespace/name`, or `name`; undefined: none of this one).
   */
  readonly objects: 'all' | 'none' | ((resource: ResourceReport) => string | undefined);
}

/**
 * How every binding and every Connection of the consumer stands, with the requested objects. Empty for a cluster
 * without bindings, or without their CRD. @throws ApiError if they cannot be listed.
 */
export async function explain(context: ExplainContext, options: ExplainOptions): Promise<readonly BindingReport[]> {
  const viewed = await viewBindings(context, options);
  const { reports } = await viewCoreKbind(context, options);
  return [...(viewed.kind === 'viewed' ? await reportOn(viewed, options) : []), ...reports];
}

/** The same for bindings already read. */
export async function reportOn(
  { context, all, views }: Extract<Viewed, { kind: 'viewed' }>,
  options: ExplainOptions,
): Promise<readonly BindingReport[]> {
  const claims =
    options.objects === 'none' ? new Map<string, ExplainedClaims>() : await explainClaims(context, views, all, options);
  const ownerOf = await readShardOwners(context);
  const reports: BindingReport[] = [];
  for (const view of views)
    reports.push(
      onTheWire(
        {
          ...(await explainBinding(
            context,
            view,
            claims.get(view.binding.metadata.name) ?? { findings: [], claimed: [] },
            options,
          )),
          ...(ownerOf === undefined ? {} : { owner: ownerOf(view.secret.ref) }),
        },
        context.dialect,
      ),
    );
  return reports;
}

async function explainBinding(
  context: ExplainContext,
  view: BindingView,
  { findings: ofClaims, claimed }: ExplainedClaims,
  options: ExplainOptions,
): Promise<BindingReport> {
  const { binding, secret, provider } = view;
  const findings = [...bindingFindings(view), ...ofClaims];
  const reports: ResourceReport[] = [];
  for (const plan of view.plans) reports.push(await explainResource(context, view, plan, options));
  if (view.export === undefined) reports.push(...(await boundBefore(context, binding)));
  const status = statusWrite(view, context.now());
  const clusterBinding = provider?.clusterBinding.kind === 'found' ? provider.clusterBinding.object : undefined;
  const due: Standing = view.writes.length > 0 || status !== undefined ? 'underWay' : 'inStep';
  return {
    kind: 'APIServiceBinding',
    name: binding.metadata.name,
    standing: worst([findings.length > 0 ? 'held' : due, ...[...reports, ...claimed].map(({ standing }) => standing)]),
    findings,
    connection:
      provider === undefined
        ? undefined
        : {
            server: provider.server,
            clusterNamespace: provider.clusterNamespace,
            lastHeartbeat: clusterBinding?.status?.lastHeartbeatTime,
            alive: isAlive(clusterBinding, context.now()),
            isSilent: provider.clusterBinding.kind === 'failed',
          },
    secret: secret.ref === undefined ? undefined : `${secret.ref.namespace}/${secret.ref.name}`,
    export:
      view.export === undefined
        ? undefined
        : { name: view.export.metadata.name, isolation: view.export.spec.isolation },
    resources: reports,
    claims: claimReports(view),
    claimed,
    writes: [...view.writes, ...(status === undefined ? [] : [status])],
  };
}

/** Without its export, the binding still names the bound resources. */
async function boundBefore(
  { consumer, signal }: ExplainContext,
  { status }: APIServiceBinding,
): Promise<readonly ResourceReport[]> {
  const reports: ResourceReport[] = [];
  for (const name of (status?.boundSchemas ?? []).map(resourceGroupName)) {
    const crd = await read<CustomResourceDefinition>(
      consumer,
      resources.customResourceDefinitions,
      { name },
      { signal },
    );
    reports.push({
      name,
      names: crd.kind === 'found' ? crd.object.spec.names : undefined,
      namespaced: crd.kind === 'found' ? crd.object.spec.scope === 'Namespaced' : undefined,
      standing: 'unknown',
      objects: [],
    });
  }
  return reports;
}

async function explainResource(
  context: ExplainContext,
  view: BindingView,
  plan: SyncPlan,
  { objects, dryRun }: ExplainOptions,
): Promise<ResourceReport> {
  const part = view.resources.find(({ name }) => name === plan.name);
  const schema = part?.schema.kind === 'found' ? part.schema.schema.spec : undefined;
  const finding = resourceFinding(plan);
  const config = plan.kind === 'run' ? plan.config : undefined;
  const names = part?.crd?.spec.names ?? schema?.names;
  const base: ResourceReport = {
    name: plan.name,
    names,
    namespaced: (part?.crd?.spec.scope ?? schema?.scope) === 'Namespaced',
    version: config?.version,
    isolation: config?.isolation,
    objects: [],
    // A CRD that is being installed needs no action.
    standing: finding === undefined ? 'inStep' : finding.actor === 'nobody' ? 'underWay' : 'held',
    finding,
  };
  if (config === undefined || view.provider === undefined || objects === 'none') return base;
  const one = objects === 'all' ? undefined : objects(base);
  if (objects !== 'all' && one === undefined) return base;
  try {
    const pairs = openPairs(context, view, view.provider, config);
    await (one === undefined ? pairs.readAll() : pairs.readOne(one));
    const reports = await examineAll(
      context,
      view.provider,
      pairs,
      one === undefined ? pairs.objects() : [one],
      names?.kind ?? plan.name,
      dryRun,
    );
    return { ...base, standing: worst(reports.map(({ standing }) => standing)), objects: reports };
  } catch (error) {
    if (!isApiError(error) || error.code === 'Aborted') throw error;
    return { ...base, standing: 'held', finding: unlisted(error) };
  }
}

async function examineAll(
  context: ExplainContext,
  provider: ProviderView,
  pairs: Pairs,
  objects: readonly string[],
  kind: string,
  dryRun: boolean,
): Promise<readonly ObjectReport[]> {
  const alive = isAlive(
    provider.clusterBinding.kind === 'found' ? provider.clusterBinding.object : undefined,
    context.now(),
  );
  const reports: ObjectReport[] = [];
  for (const object of objects) {
    const examination = await pairs.examine(object, { dryRun });
    // Copies of others, which only share the place.
    if (examination.consumer === undefined && examination.verdict.kind === 'absent') continue;
    reports.push(
      await reportObject(examination, {
        kind,
        consumer: context.consumer,
        alive,
        dryRun,
        now: context.now(),
        signal: context.signal,
      }),
    );
  }
  return reports;
}
