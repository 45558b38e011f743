import {
  type Controller,
  type ControllerContext,
  type Queue,
  type Result,
  type Scope,
  createController,
} from '@hawser/controller';
import { type Agent, createStatusWriter } from '@hawser/publication';
import { ExportActor } from './act.js';
import { Caches } from './caches.js';
import { type ExportPorts, ExportRun } from './export-run.js';
import { countPublishedResources } from './published-count.js';
import { Refusals } from './refusals.js';
import type { Reports } from './report.js';
import { ToldStatus } from './told-status.js';

export interface SyncagentAPIExportOptions {
  readonly agent: Agent;
}

type ClusterNames = 'service' | 'provider';

const name = 'syncagent-apiexport';
/** One export, one key; each PublishedResource has another for its status, so that one that cannot be written holds up no other. */
const exportKey = 'export';
const statusPrefix = 'status/';
/** What kcp has refused is tried again after this long, if nothing has changed before. */
const REFUSED_RETRY_MS = 5 * 60_000;

/**
 * Puts the schemas of all PublishedResources of an agent, and the permission claims that they need, into its APIExport (`spec/api-syncagent.md §10.2`), and
 * tells on each whether it is there. `provider` is the workspace of the export.
 */
export function createSyncagentAPIExport({ agent }: SyncagentAPIExportOptions): Controller<ClusterNames> {
  return createController<ClusterNames>(name, (ctx, scope) => new ExportController(agent, ctx, scope).open());
}

/** What is watched becomes keys here, and keys become looks. */
class ExportController {
  readonly #caches: Caches;
  readonly #scope: Scope;
  readonly #queue: Queue;
  readonly #status: ToldStatus;
  readonly #ports: ExportPorts;

  constructor(agent: Agent, ctx: ControllerContext<ClusterNames>, scope: Scope) {
    const { clock, random, logger, metrics, clusters } = ctx;
    const caches = new Caches(clusters, scope, agent);
    const writer = createStatusWriter({
      client: clusters.service.client,
      publishedResources: caches.publishedResources,
      definitions: caches.definitions,
      clock,
      random,
      logger,
    });
    this.#caches = caches;
    this.#scope = scope;
    this.#queue = scope.openQueue({ name, reconcile: (key, signal) => this.#reconcile(key, signal), concurrency: 2 });
    this.#status = new ToldStatus(caches, writer, () => clock.now());
    const counted = countPublishedResources(metrics);
    scope.own(() => {
      counted.set(0);
    });
    this.#ports = {
      agent,
      caches,
      actor: new ExportActor(clusters.provider, caches),
      refusals: new Refusals(REFUSED_RETRY_MS),
      now: () => clock.monotonic(),
      count: (published) => {
        counted.set(published);
      },
      report: (reports) => {
        this.#report(reports);
      },
    };
  }

  async open(): Promise<void> {
    this.#scope.onChange(this.#caches.exports, () => {
      this.#queue.add(exportKey, { resetBackoff: true });
    });
    this.#scope.onChange(this.#caches.publishedResources, ({ metadata }) => {
      this.#queue.add(exportKey, { resetBackoff: true });
      this.#queue.add(statusPrefix + metadata.name);
    });
    await this.#scope.synced();
    this.#queue.add(exportKey);
  }

  #reconcile(key: string, signal: AbortSignal): Promise<Result> {
    return key === exportKey
      ? new ExportRun(this.#ports).run(signal)
      : this.#status.write(key.slice(statusPrefix.length), signal);
  }

  #report(reports: Reports): void {
    this.#status.set(reports);
    for (const { metadata } of this.#caches.publishedResources.list()) this.#queue.add(statusPrefix + metadata.name);
  }
}
