import { type KubeObject, messageOf, sentence } from '@hawser/client';
import { type Cluster, type Controller, type Queue, type Result, createController, done } from '@hawser/controller';
import { type APIExport, ConversionError, resources as kcpResources } from '@hawser/kcp-api';
import { type Agent, createStatusWriter, publicationConditions, publishedResourcesOf } from '@hawser/publication';
import {
  type NewCondition,
  type PublishedResource,
  removeCondition,
  resources,
  setCondition,
} from '@hawser/syncagent-api';
import type { Metrics } from '@hawser/telemetry';
import { type Contribution, contributionsOf } from './contribution.js';
import { type Decision, type Outcome, decide } from './decide.js';
import { Refusals } from './refusals.js';
import { isRefusal, writeExport } from './write.js';

export interface SyncagentAPIExportOptions {
  readonly agent: Agent;
}

const name = 'syncagent-apiexport';
/** One export, one key; each PublishedResource has another for its status, so that one that cannot be written holds up no other. */
const exportKey = 'export';
const statusPrefix = 'status/';
/** What kcp has refused is tried again after this long, if nothing has changed before. */
const REFUSED_RETRY_MS = 5 * 60_000;

/** What the reports say beyond {@link Outcome}. */
type Report =
  | Outcome
  | {
      readonly kind: 'failed';
      readonly reason: 'APIExportNotFound' | 'APIExportUnreadable' | 'APIExportRefused';
      readonly message: string;
    };

/**
 * Puts the schemas of all PublishedResources of an agent, and the permission claims that they need, into its APIExport (`spec/api-syncagent.md §10.2`), and
 * tells on each whether it is there. `provider` is the workspace of the export.
 */
export function createSyncagentAPIExport({ agent }: SyncagentAPIExportOptions): Controller<'service' | 'provider'> {
  return createController<'service' | 'provider'>(name, async (ctx, scope) => {
    const { service, provider } = ctx.clusters;
    const publishedResources = scope.informer(
      service.informers.acquire<PublishedResource>(publishedResourcesOf(agent)),
    );
    const definitions = scope.informer(
      service.informers.acquire<KubeObject>({ resource: resources.customResourceDefinitions, projection: 'metadata' }),
    );
    const exports = scope.informer(
      provider.informers.acquire<APIExport>({
        resource: kcpResources.apiExports,
        fieldSelector: `metadata.name=${agent.exportName}`,
      }),
    );
    const writer = createStatusWriter({
      client: service.client,
      publishedResources,
      definitions,
      clock: ctx.clock,
      random: ctx.random,
      logger: ctx.logger,
    });
    const queue: Queue = scope.openQueue({ name, reconcile, concurrency: 2 });
    const refusals = new Refusals(REFUSED_RETRY_MS);
    const counted = countPublishedResources(ctx.metrics);
    scope.own(() => {
      counted.set(0);
    });
    /** By uid, as of the last look at the export. */
    let reports: ReadonlyMap<string, Report> = new Map();

    scope.onChange(exports, () => {
      queue.add(exportKey, { resetBackoff: true });
    });
    scope.onChange(publishedResources, ({ metadata }) => {
      queue.add(exportKey, { resetBackoff: true });
      queue.add(statusPrefix + metadata.name);
    });
    await scope.synced();
    queue.add(exportKey);

    async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      return key === exportKey ? reconcileExport(signal) : reconcileStatus(key.slice(statusPrefix.length), signal);
    }

    async function reconcileExport(signal: AbortSignal): Promise<Result> {
      const contributions = contributionsOf(publishedResources.list());
      counted.set(contributions.length);
      refusals.keep(contributions);
      const current = exports.get({ name: agent.exportName });
      if (current === undefined) {
        const message = `APIExport ${agent.exportName} is not in the provider workspace. The operator must create it, or name another.`;
        report(everywhere(contributions, { kind: 'failed', reason: 'APIExportNotFound', message }));
        return done;
      }
      try {
        await bringInStep(current, contributions, signal);
      } catch (error) {
        if (!(error instanceof ConversionError)) throw error;
        report(
          everywhere(contributions, {
            kind: 'failed',
            reason: 'APIExportUnreadable',
            message: `APIExport ${agent.exportName} cannot be read: ${error.message}. The operator must correct it.`,
          }),
        );
        return done;
      }
      const afterMs = refusals.nextMs(ctx.clock.monotonic());
      return afterMs === undefined ? done : { kind: 'requeue', afterMs };
    }

    async function bringInStep(
      current: APIExport,
      contributions: readonly Contribution[],
      signal: AbortSignal,
    ): Promise<void> {
      const now = ctx.clock.monotonic();
      const admitted = contributions.filter((contribution) => refusals.messageOf(contribution, now) === undefined);
      const decision = decide(current, agent.name, contributions, admitted);
      try {
        await carryOut(current, decision, signal);
        report(withRefusals(decision, contributions));
      } catch (error) {
        if (!isRefusal(error)) throw error;
        await oneByOne(current, contributions, admitted, signal);
      }
    }

    /** One of them is not wanted: finds out which, so that the others are exported all the same. */
    async function oneByOne(
      current: APIExport,
      contributions: readonly Contribution[],
      candidates: readonly Contribution[],
      signal: AbortSignal,
    ): Promise<void> {
      let present = current;
      const admitted: Contribution[] = [];
      try {
        present = await carryOut(present, decide(present, agent.name, contributions, admitted), signal);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        report(
          everywhere(contributions, { kind: 'failed', reason: 'APIExportRefused', message: refusalMessage(error) }),
        );
        throw error;
      }
      for (const candidate of candidates) {
        try {
          present = await carryOut(
            present,
            decide(present, agent.name, contributions, [...admitted, candidate]),
            signal,
          );
          admitted.push(candidate);
        } catch (error) {
          if (!isRefusal(error)) throw error;
          refusals.add(candidate, refusalMessage(error), ctx.clock.monotonic());
        }
      }
      report(withRefusals(decide(present, agent.name, contributions, admitted), contributions));
    }

    function refusalMessage(error: unknown): string {
      return `kcp does not take the change of APIExport ${agent.exportName}: ${sentence(messageOf(error))} The provider must correct the PublishedResource, or the operator the rights of the agent.`;
    }

    async function carryOut(current: APIExport, { change }: Decision, signal: AbortSignal): Promise<APIExport> {
      if (change === undefined) return current;
      const written = await writeExport(provider.client, current, change, signal);
      exports.observe(written);
      tell(provider, written, 'Normal', 'AddingPermissionClaims', 'Added the permission claims', change.addedClaims);
      tell(provider, written, 'Normal', 'AddingResourceSchemas', 'Added the schemas', change.addedSchemas);
      tell(provider, written, 'Warning', 'RemovingResourceSchemas', 'Replaced the schemas', change.removedSchemas);
      return written;
    }

    function withRefusals({ outcomes }: Decision, contributions: readonly Contribution[]): ReadonlyMap<string, Report> {
      const now = ctx.clock.monotonic();
      return new Map(
        contributions.flatMap((contribution): [string, Report][] => {
          const message = refusals.messageOf(contribution, now);
          if (message !== undefined)
            return [[contribution.uid, { kind: 'failed', reason: 'APIExportRefused', message }]];
          const outcome = outcomes.get(contribution.uid);
          return outcome === undefined ? [] : [[contribution.uid, outcome]];
        }),
      );
    }

    function report(next: ReadonlyMap<string, Report>): void {
      reports = next;
      for (const { metadata } of publishedResources.list()) queue.add(statusPrefix + metadata.name);
    }

    async function reconcileStatus(objectName: string, signal: AbortSignal): Promise<Result> {
      const object = publishedResources.get({ name: objectName });
      const said = object?.metadata.uid === undefined ? undefined : reports.get(object.metadata.uid);
      if (object === undefined || said === undefined) return done;
      const condition = conditionOf(said);
      await writer.commit(
        object,
        (status) => ({
          ...status,
          conditions:
            condition === undefined
              ? removeCondition(status.conditions, publicationConditions.exported)
              : setCondition(status.conditions, condition, ctx.clock.now()),
        }),
        signal,
      );
      return done;
    }
  });
}

function everywhere(contributions: readonly Contribution[], report: Report): ReadonlyMap<string, Report> {
  return new Map(contributions.map(({ uid }) => [uid, report]));
}

/** Undefined: nothing can be said. */
function conditionOf(report: Report): NewCondition | undefined {
  const { exported: type } = publicationConditions;
  switch (report.kind) {
    case 'exported':
      return { type, status: 'True', reason: 'Exported', message: '' };
    case 'pending':
      return undefined;
    case 'problem':
    case 'failed':
      return { type, status: 'False', reason: report.reason, message: report.message };
  }
}

function tell(
  { events }: Cluster,
  { apiVersion, kind, metadata }: APIExport,
  type: 'Normal' | 'Warning',
  reason: string,
  words: string,
  names: readonly string[],
): void {
  if (names.length === 0) return;
  events.record(
    { apiVersion, kind, name: metadata.name, uid: metadata.uid },
    { type, reason, message: `${words} ${names.join(', ')}.` },
  );
}

/** `sync_agent_published_resource` has no labels: where several agents share a process, it is their sum. */
function countPublishedResources(metrics: Metrics): { set(count: number): void } {
  const gauge = metrics.gauge({
    name: 'sync_agent_published_resource',
    help: 'PublishedResources that the agent publishes.',
  });
  let own = 0;
  gauge.inc({}, 0);
  return {
    set: (count) => {
      gauge.inc({}, count - own);
      own = count;
    },
  };
}
