import { backoffDelay } from '@hawser/clock';
import type { ControllerContext, Problem } from '@hawser/controller';
import type { PublishedResource } from '@hawser/syncagent-api';
import type { Engagement, PublishedKinds, Sync } from '@hawser/syncagent-sync';
import type { Caches, ClusterNames } from './caches.js';
import type { Endings } from './endings.js';
import type { Engagements } from './engagements.js';
import type { Keys } from './keys.js';
import type { FoundKinds } from './kinds-finder.js';
import type { PublicationJournal } from './publication-journal.js';
import type { PublicationStates } from './publication-states.js';
import { isDeleted } from './retirement.js';
import { RunningSync, holdWatches } from './running-sync.js';
import { InvalidRulesError } from './sync-factory.js';
import type { SyncmanagerOptions } from './syncmanager.js';
import type { EngagedVirtualWorkspace } from './virtual-workspace.js';
import { isWhole, missingEndpoints } from './whole.js';
import { isWorkspaceGone } from './workspace-gone.js';

const startBackoff = { initialMs: 1_000, capMs: 60_000 };

export interface RunningSyncsOptions {
  readonly options: SyncmanagerOptions;
  readonly ctx: ControllerContext<ClusterNames>;
  /** Ends with the controller. */
  readonly signal: AbortSignal;
  readonly caches: Caches;
  readonly engagements: Engagements;
  readonly journal: PublicationJournal;
  readonly states: PublicationStates;
  readonly keys: Keys;
  readonly endings: () => Endings;
  /** Problem with the endpoints themselves. */
  readonly endpointProblem: () => Problem | undefined;
}

/** Creates, replaces and stops the running syncs, by name of their PublishedResource. */
export class RunningSyncs {
  readonly #parts: RunningSyncsOptions;
  readonly #running = new Map<string, RunningSync>();
  readonly #failedStarts = new Map<string, number>();
  /** Fingerprints of invalid input. */
  readonly #invalid = new Map<string, string>();

  constructor(parts: RunningSyncsOptions) {
    this.#parts = parts;
  }

  get(of: string): RunningSync | undefined {
    return this.#running.get(of);
  }

  has(of: string): boolean {
    return this.#running.has(of);
  }

  all(): readonly RunningSync[] {
    return [...this.#running.values()];
  }

  byName(): ReadonlyMap<string, Sync> {
    return new Map([...this.#running].map(([of, { sync }]) => [of, sync]));
  }

  invalidOf(of: string): string | undefined {
    return this.#invalid.get(of);
  }

  forget(of: string): void {
    this.#failedStarts.delete(of);
    this.#invalid.delete(of);
  }

  /** Creates a new sync; it takes over from the running one, if any. */
  async replace(
    object: PublishedResource,
    found: FoundKinds,
    fingerprint: string,
    engagements: readonly EngagedVirtualWorkspace[],
    signal: AbortSignal,
  ): Promise<void> {
    const { name: of } = object.metadata;
    const { kinds } = found;
    let sync: Sync;
    try {
      sync = this.make(object, kinds, engagements);
    } catch (error) {
      await this.stop(of);
      if (!(error instanceof InvalidRulesError)) throw error;
      this.#invalid.set(of, fingerprint);
      this.#parts.states.conclude(of, { kind: 'invalid', problems: error.problems });
      return;
    }
    this.#invalid.delete(of);
    const release = holdWatches([
      { informers: this.#parts.ctx.clusters.service.informers, resource: kinds.service.resource },
      ...engagements.map(({ informers }) => ({ informers, resource: kinds.kcp.resource })),
    ]);
    try {
      await this.#takeOver(object, found, { sync, fingerprint, engaged: engagements.map(({ url }) => url) }, signal);
    } finally {
      release();
    }
  }

  /** `end`: the key of the ending sync. */
  make(object: PublishedResource, kinds: PublishedKinds, engagements: readonly Engagement[], end?: string): Sync {
    const { options, keys, engagements: engaged, endings } = this.#parts;
    const { name: of, uid = of } = object.metadata;
    const current = (): RunningSync | undefined => endings().get(end ?? uid) ?? this.#running.get(of);
    return options.createSync({
      publishedResource: object,
      kinds,
      engagements,
      publishesSameKind: (other) => this.#publishes(other, object),
      isWhole: () => {
        const running = current();
        return running !== undefined && isWhole(running, engaged);
      },
      isGone: async (cluster, origin, signal) => {
        const running = current();
        return (
          running !== undefined &&
          isWhole(running, engaged) &&
          missingEndpoints(running, engaged).length === 0 &&
          isWorkspaceGone(options.hosts.home, engaged, cluster, origin, signal)
        );
      },
      onReport: () => {
        if (end !== undefined || endings().has(uid)) keys.endAfter(end ?? uid);
        else keys.reportSoon(of);
      },
    });
  }

  begin(running: RunningSync, onFailure: (error: unknown) => void): void {
    const { signal, ctx } = this.#parts;
    const { clusters, metrics, clock, random, logger } = ctx;
    const { name } = running.publishedResource.metadata;
    running.start(
      {
        clusters: { service: clusters.service },
        metrics,
        clock,
        random,
        logger: logger.child({ publishedresource: name }),
        signal,
      },
      onFailure,
    );
  }

  /** Handles a PublishedResource that is no longer watched: deleted, or not selected. */
  async gone(of: string, running: RunningSync, signal: AbortSignal): Promise<void> {
    if (await isDeleted(this.#parts.ctx.clusters.service.client, of, running.uid, signal)) {
      this.end(of);
      return;
    }
    await this.stop(of);
    await this.#parts.journal.remove(running.uid, signal);
  }

  /** Ends the publication: its sync releases its objects in workspaces, then stops. */
  end(of: string): void {
    const { endings, caches, keys } = this.#parts;
    const running = this.#running.get(of);
    if (running === undefined) return;
    this.#running.delete(of);
    endings().add(running, caches.published(of) ?? running.publishedResource);
    keys.endAfter(running.uid);
  }

  async stop(of: string): Promise<void> {
    const running = this.#running.get(of);
    if (running === undefined) return;
    this.#running.delete(of);
    await running.stop();
  }

  async stopAll(): Promise<void> {
    await Promise.all([...[...this.#running.keys()].map((of) => this.stop(of)), this.#parts.endings().stop()]);
  }

  /** Everything is recorded before the first object is touched. */
  async #takeOver(
    object: PublishedResource,
    found: FoundKinds,
    made: { readonly sync: Sync; readonly fingerprint: string; readonly engaged: readonly string[] },
    signal: AbortSignal,
  ): Promise<void> {
    const { ctx, journal, keys, states, endings, endpointProblem } = this.#parts;
    const { name: of, uid = of } = object.metadata;
    const { kinds } = found;
    await this.stop(of);
    await endings().stopThoseOf(kinds, this.#parts.signal);
    const former = await journal.writeFormer(object, kinds, signal);
    const endpoints = journal.endpointsOf(uid, kinds);
    await journal.write(object, found, [...new Set([...endpoints, ...made.engaged])].sort(), signal);
    if (former !== undefined) {
      ctx.logger.info(
        'A PublishedResource has become another resource in kcp: the objects of the former one are let go.',
        { publishedresource: of, former },
      );
      keys.end(former);
    }
    const running = new RunningSync({ publishedResource: object, kinds, endpoints, ...made });
    this.#running.set(of, running);
    this.begin(running, (error) => {
      this.#onFailedStart(of, running, error);
    });
    states.conclude(of, { kind: 'running', sync: made.sync, endpoints: endpointProblem });
  }

  #onFailedStart(of: string, running: RunningSync, error: unknown): void {
    const { ctx, keys } = this.#parts;
    const failures = (this.#failedStarts.get(of) ?? 0) + 1;
    this.#failedStarts.set(of, failures);
    ctx.logger.error('A sync could not be started and will be started anew.', {
      publishedresource: of,
      failures,
      error,
    });
    if (this.#running.get(of) === running) this.#running.delete(of);
    void running.stop().catch(() => undefined);
    keys.syncAfter(of, backoffDelay(startBackoff, failures, ctx.random));
  }

  /** Whether a PublishedResource of this name publishes the same kind as another, or did and still holds objects. */
  #publishes(name: string, { spec }: PublishedResource): boolean {
    const { apiGroup, kind } = spec.resource;
    const all = [
      this.#parts.caches.published(name),
      ...this.#parts.endings().all.map(({ publishedResource }) => publishedResource),
    ];
    return all.some(
      (one) =>
        one?.metadata.name === name && one.spec.resource.apiGroup === apiGroup && one.spec.resource.kind === kind,
    );
  }
}
