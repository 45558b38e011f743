import { type KubeObject, getIfExists } from '@hawser/client';
import { type ControllerContext, WriteBudget } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import type { SchemaOutcomes, ServedBindings } from '@hawser/konnector-connection';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type BoundSchema,
  type SchemaAnswer,
  resources,
} from '@hawser/kube-bind';

import { ReportActor } from './act-report.js';
import {
  type Fate,
  type ObservedReport,
  asksForFate,
  decideDeparture,
  decideExport,
  decideSchemas,
  isServedByOtherConnection,
  isFullyReported,
} from './decide-report.js';
import { type ExportSnapshot, resourceNames } from './plan-syncs.js';

export interface ProviderReportsOptions {
  readonly ctx: ControllerContext<'consumer' | 'provider'>;
  /** The cluster namespace. */
  readonly namespace: string;
  readonly exports: InformerHandle<APIServiceExport>;
  readonly schemas: InformerHandle<BoundSchema>;
  readonly bindings: InformerHandle<APIServiceBinding>;
  readonly served: ServedBindings;
  readonly outcomes: SchemaOutcomes | undefined;
}

const DEPARTURE_MS = 3_000;
const WITHOUT_BINDING = { burst: 6, refillMs: 300_000 };

/**
 * Reports to the provider: the state of each export and its schemas, and the end of a binding. Sends a request only for
 * a change. A provider that refuses reports (403) causes one Warning; syncing goes on.
 */
export class ProviderReports {
  readonly #options: ProviderReportsOptions;
  readonly #actor: ReportActor;
  /** Bindings that left and are not reported yet. */
  readonly #departed = new Set<string>();
  /** Two processes may report different states while one does not yet know that the other has the Lease. */
  readonly #budget = new WriteBudget();
  /**
   * By export, since its binding was last here. Another cluster with the same kubeconfig and a binding of it reports
   * the opposite; each change makes the provider grant and revoke rights.
   */
  readonly #withoutBinding = new Map<string, WriteBudget>();

  constructor(options: ProviderReportsOptions) {
    this.#options = options;
    this.#actor = new ReportActor(options);
  }

  /** Resolves to the milliseconds until the report may be written; 0: it was. */
  async report(snapshot: ExportSnapshot, scopeProblem: string | undefined, signal: AbortSignal): Promise<number> {
    const { clock } = this.#options.ctx;
    const { binding } = snapshot;
    const { name } = snapshot.export.metadata;
    if (isServedByOtherConnection({ snapshot, ...this.#whereabouts(name) })) return 0;
    const allowance = binding === undefined ? this.#allowanceWithoutBinding(name) : this.#budget;
    const waitMs = allowance.waitMs(name, clock.monotonic());
    if (waitMs > 0) return waitMs;
    const observed = await this.#observe(snapshot, scopeProblem, signal);
    const { unread, reports } = decideSchemas(observed);
    const ofSchemas = await this.#actor.reportSchemas(reports, name, signal);
    if (ofSchemas.written) allowance.spend(name, clock.monotonic());
    const ofExport = await this.#actor.reportExport(decideExport(observed, [...unread, ...ofSchemas.failures]), signal);
    if (ofExport.written) allowance.spend(name, clock.monotonic());
    if (isFullyReported(observed, ofExport.waitMs === 0)) this.#departed.delete(name);
    return Math.max(ofSchemas.waitMs, ofExport.waitMs);
  }

  /** Notes that a binding joined or left the connection. */
  served(binding: string, change: 'joined' | 'left'): void {
    if (change === 'left') {
      this.#departed.add(binding);
      return;
    }
    this.#departed.delete(binding);
    this.#withoutBinding.delete(binding);
  }

  /** Reports bindings that left for good: a connection ends with its last binding. Never rejects; waits 3 s at most. */
  async reportDepartures(): Promise<void> {
    const { ctx, exports, namespace } = this.#options;
    const signal = AbortSignal.timeout(DEPARTURE_MS);
    await Promise.all(
      [...this.#departed].map(async (name) => {
        const apiExport = exports.get({ namespace, name });
        if (apiExport === undefined) return;
        try {
          if ((await this.#fateOf(name, signal)) === 'gone')
            await this.#actor.reportExport(decideDeparture(apiExport), signal);
        } catch (error) {
          ctx.logger.warn('The provider could not be told that an export is unbound', { export: name, error });
        }
      }),
    );
  }

  async #observe(
    snapshot: ExportSnapshot,
    scopeProblem: string | undefined,
    signal: AbortSignal,
  ): Promise<ObservedReport> {
    const { outcomes } = this.#options;
    const { name } = snapshot.export.metadata;
    const answers = snapshot.resources.flatMap((resource): (readonly [string, SchemaAnswer])[] => {
      const answer = outcomes?.get(name, resource.name);
      return answer === undefined ? [] : [[resource.name, answer]];
    });
    const seen = {
      snapshot,
      scopeProblem,
      answers: new Map(answers),
      shared: new Set(this.#others(name).flatMap(resourceNames)),
      ...this.#whereabouts(name),
    };
    return { ...seen, fate: asksForFate(seen) ? await this.#fateOf(name, signal) : undefined };
  }

  #whereabouts(name: string): Pick<ObservedReport, 'isCached' | 'hasLeft'> {
    return { isCached: this.#options.bindings.get(name) !== undefined, hasLeft: this.#departed.has(name) };
  }

  async #fateOf(binding: string, signal: AbortSignal): Promise<Fate> {
    const found = await getIfExists<KubeObject>(
      this.#options.ctx.clusters.consumer.client,
      resources.apiServiceBindings,
      { name: binding },
      { representation: 'metadata', signal },
    );
    if (found === undefined) return 'gone';
    return found.metadata.deletionTimestamp === undefined ? 'stays' : 'going';
  }

  #allowanceWithoutBinding(name: string): WriteBudget {
    const known = this.#withoutBinding.get(name) ?? new WriteBudget(WITHOUT_BINDING);
    this.#withoutBinding.set(name, known);
    return known;
  }

  /** The other bound exports of the connection. */
  #others(name: string): readonly APIServiceExport[] {
    const { exports, served } = this.#options;
    return exports.list().filter(({ metadata }) => metadata.name !== name && served.has(metadata.name));
  }
}
