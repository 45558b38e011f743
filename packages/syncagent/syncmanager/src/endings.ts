import { type Client, type KubeObject, type Resource, isNotFound } from '@hawser/client';
import { type Result, done } from '@hawser/controller';
import type { PublishedResource } from '@hawser/syncagent-api';
import { type PublishedKinds, type Sync, holdersOf } from '@hawser/syncagent-sync';
import type { EventRecorder, Logger } from '@hawser/telemetry';
import type { Engagements } from './engagements.js';
import type { PublicationJournal } from './publication-journal.js';
import { type PublicationRecord, lostEndpointsAnnotation } from './publication-records.js';
import { isDeleted, retirementOf } from './retirement.js';
import { RunningSync } from './running-sync.js';
import { isSameResource } from './same-resource.js';
import { isServed } from './served.js';
import { isWhole, missingEndpoints } from './whole.js';
import type { EngagedVirtualWorkspace } from './virtual-workspace.js';

/** Retry period for a sync that failed to start. */
const RESTART_MS = 60_000;
/** Period for checking whether missing endpoints are given up. */
const MISSING_RECHECK_MS = 60_000;
const REPORT_AGAIN_MS = 3_600_000;
/** Retry period for a late watch. */
const UNSEEN_RECHECK_MS = 2_000;

/** Missing endpoints that keep a publication open. */
interface Missing {
  readonly text: string;
  /** When this process first noticed it. */
  readonly since: number;
  readonly reportedAt: number;
}

export interface EndingsOptions {
  /** Client of the service cluster. */
  readonly service: Client;
  readonly engagements: Engagements;
  readonly journal: PublicationJournal;
  readonly logger: Logger;
  /** Recorder of the service cluster. */
  readonly events: EventRecorder;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** While false, every endpoint looks missing. */
  readonly isSliceKnown: () => boolean;
  /** The current PublishedResource of this name. */
  readonly present: (name: string) => PublishedResource | undefined;
  /** Syncs that do not end. */
  readonly running: () => Iterable<RunningSync>;
  /** `key`: queued for its reports. */
  readonly make: (
    object: PublishedResource,
    kinds: PublishedKinds,
    engagements: readonly EngagedVirtualWorkspace[],
    key: string,
  ) => Sync;
  readonly begin: (ending: RunningSync, onFailure: (error: unknown) => void) => void;
  /** Queues the key for {@link Endings.look}, at once unless `afterMs` is given. */
  readonly schedule: (key: string, afterMs?: number) => void;
}

/**
 * Syncs of deleted PublishedResources, by uid, and of resources published formerly, by journal key. They release their
 * objects in workspaces, then stop.
 */
export class Endings {
  readonly #options: EndingsOptions;
  readonly #ending = new Map<string, RunningSync>();
  /** Endpoints reported as missing. */
  readonly #missing = new Map<string, Missing>();
  /** Endpoints reported as given up. */
  readonly #givenUp = new Map<string, string>();

  constructor(options: EndingsOptions) {
    this.#options = options;
  }

  get keys(): readonly string[] {
    return [...this.#ending.keys()];
  }

  get all(): readonly RunningSync[] {
    return [...this.#ending.values()];
  }

  get(key: string): RunningSync | undefined {
    return this.#ending.get(key);
  }

  has(key: string): boolean {
    return this.#ending.has(key);
  }

  /** Adds the sync of a PublishedResource that is gone or being deleted. */
  add(running: RunningSync, object: PublishedResource): void {
    const how = retirementOf(object);
    this.#options.logger.info('A PublishedResource was deleted: its objects in workspaces are let go.', {
      publishedresource: object.metadata.name,
      how,
    });
    this.#ending.set(running.uid, running);
    running.sync.retire(how);
  }

  /** Stops the end of a PublishedResource that a restored backup has brought back. Its record stays. */
  async takeBack(key: string): Promise<void> {
    const ending = this.#ending.get(key);
    this.#ending.delete(key);
    this.#missing.delete(key);
    await ending?.stop();
  }

  /** Takes one step: resumes deletions that happened unseen, and stops syncs without objects. */
  async look(key: string, signal: AbortSignal): Promise<Result> {
    const { engagements, journal, logger } = this.#options;
    const record = journal.all.get(key);
    const ending =
      this.#ending.get(key) ?? (record === undefined ? undefined : await this.#resume(key, record, signal));
    if (ending === undefined) return this.#again(key);
    for (const engagement of engagements.ready) {
      if (
        !ending.isEngaged(engagement.url) &&
        !engagement.workspaces.isUnbound &&
        (await isServed(engagement.wildcard, ending.kinds.kcp.resource, signal)) &&
        engagements.has(engagement)
      )
        ending.add(engagement);
    }
    ending.sync.survey();
    if (
      (await this.#isAwaited(key, ending.publishedResource, missingEndpoints(ending, engagements), signal)) ||
      !this.#isOver(ending)
    )
      return this.#again(key);
    // A workspace may appear before its objects do, as after a move to another shard.
    if (await this.#holdsUnseen(ending, signal)) return { kind: 'requeue', afterMs: UNSEEN_RECHECK_MS };
    // Taken back, or published again, meanwhile.
    if (this.#ending.get(key) !== ending) return done;
    this.#ending.delete(key);
    await ending.stop();
    await journal.remove(key, signal);
    logger.info('Nothing of what was published before is left in workspaces.', {
      publishedresource: ending.publishedResource.metadata.name,
    });
    return done;
  }

  /** Stops releasing a resource that is published again. */
  async stopThoseOf(kinds: PublishedKinds, signal: AbortSignal): Promise<void> {
    for (const [key, ending] of this.#ending) {
      if (!isSameResource(ending.kinds, kinds)) continue;
      this.#ending.delete(key);
      await ending.stop();
      await this.#options.journal.remove(key, signal).catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((ending) => ending.stop()));
  }

  /** No event tells when the operator gives up missing endpoints. */
  #again(key: string): Result {
    return this.#missing.has(key) ? { kind: 'requeue', afterMs: MISSING_RECHECK_MS, priority: 'background' } : done;
  }

  /**
   * Whether missing endpoints, not given up by the operator, keep a publication open. Reports at once, then hourly:
   * Events last no longer.
   */
  async #isAwaited(
    key: string,
    { apiVersion, kind, metadata: { name, uid } }: PublishedResource,
    missing: readonly string[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const { journal, events, logger, now, isSliceKnown } = this.#options;
    if (missing.length > 0 && !isSliceKnown()) return true;
    if (missing.length > 0) await journal.load(signal);
    const text = missing.filter((url) => !journal.lost.includes(url)).join(',');
    if (text === '') {
      if (missing.length > 0 && this.#givenUp.get(key) !== missing.join(','))
        logger.warn(
          'A PublishedResource that was deleted ends without endpoints that never come back, as the operator says. Finalizers stay on its objects there.',
          { publishedresource: name, endpoints: missing.join(',') },
        );
      this.#missing.delete(key);
      this.#givenUp.set(key, missing.join(','));
      return false;
    }
    const before = this.#missing.get(key);
    const since = before?.text === text ? before.since : now();
    if (before?.text === text && now() - before.reportedAt < REPORT_AGAIN_MS) return true;
    this.#missing.set(key, { text, since, reportedAt: now() });
    if (before?.text !== text)
      logger.warn(
        'A PublishedResource that was deleted has objects at endpoints that are missing from the endpoint slice. They are let go when the endpoints are back.',
        { publishedresource: name, endpoints: text },
      );
    const message = `This PublishedResource is deleted, but its objects cannot be let go at ${text}: the APIExportEndpointSlice has not listed that endpoint since ${new Date(since).toISOString()}. The operator must bring the shard of kcp back. If it never comes back, annotate Secret "${journal.path}" with "${lostEndpointsAnnotation}: ${text}".`;
    events.record(
      { apiVersion, kind, name, ...(uid === undefined ? {} : { uid }) },
      { type: 'Warning', reason: 'EndpointMissing', message },
    );
    return true;
  }

  /** Only a completed read proves that nothing is left; a failed list does not. */
  #isOver(ending: RunningSync): boolean {
    const { engagements, journal } = this.#options;
    // Nothing was left at the endpoints that are gone, and no other exists.
    if (engagements.size === 0 && ending.endpoints.every((url) => journal.lost.includes(url))) return true;
    return isWhole(ending, engagements) && ending.sync.complete && ending.sync.counts().held === 0;
  }

  /** Whether an object has our finalizer, read live, that the caches do not show yet. */
  async #holdsUnseen({ kinds, sync }: RunningSync, signal: AbortSignal): Promise<boolean> {
    for (const { url, wildcard } of this.#options.engagements.ready) {
      const known = sync.holdersAt(url);
      if (known === undefined) continue;
      const items = await listIfServed(wildcard, kinds.kcp.resource, signal);
      for (const [cluster, held] of holdersOf(items)) if (held > (known.get(cluster) ?? 0)) return true;
    }
    return false;
  }

  async #resume(
    key: string,
    { publishedResource, kinds, endpoints }: PublicationRecord,
    signal: AbortSignal,
  ): Promise<RunningSync | undefined> {
    const { service, engagements, journal, logger } = this.#options;
    const { name, uid } = publishedResource.metadata;
    const isFormer = key !== uid;
    if (!isFormer && this.#isPublished(name, key)) return undefined;
    // It is published again: the new sync takes over its objects.
    const taken = [...this.#options.running()].some((running) => isSameResource(running.kinds, kinds));
    if (taken || !(isFormer || (await isDeleted(service, name, key, signal)))) {
      await journal.remove(key, signal);
      return undefined;
    }
    const served: EngagedVirtualWorkspace[] = [];
    for (const engagement of engagements.ready)
      if (!engagement.workspaces.isUnbound && (await isServed(engagement.wildcard, kinds.kcp.resource, signal)))
        served.push(engagement);
    if (served.length === 0) {
      const missing = (endpoints ?? []).filter((url) => !engagements.isAt(url));
      const isAwaited = await this.#isAwaited(key, publishedResource, missing, signal);
      // All its endpoints are lost.
      if (!isAwaited && missing.length > 0 && missing.length === endpoints?.length) await journal.remove(key, signal);
      return undefined;
    }
    const sync = this.#options.make(publishedResource, kinds, served, key);
    const ending = new RunningSync({
      publishedResource,
      kinds,
      fingerprint: '',
      sync,
      engaged: served.map(({ url }) => url),
      endpoints,
    });
    this.#ending.set(key, ending);
    this.#options.begin(ending, (error) => {
      logger.error('The objects of a deleted PublishedResource could not be let go; this is tried again.', {
        publishedresource: name,
        error,
      });
      this.#ending.delete(key);
      this.#options.schedule(key, RESTART_MS);
    });
    sync.retire(isFormer ? 'keep' : retirementOf(publishedResource));
    return ending;
  }

  #isPublished(name: string, uid: string): boolean {
    const present = this.#options.present(name);
    return (
      [...this.#options.running()].some(
        (running) => running.uid === uid && running.publishedResource.metadata.name === name,
      ) ||
      (present?.metadata.uid === uid && present.metadata.deletionTimestamp === undefined)
    );
  }
}

/** Once no workspace binds the export, kcp serves nothing. */
async function listIfServed(client: Client, resource: Resource, signal: AbortSignal): Promise<readonly KubeObject[]> {
  try {
    return (await client.list<KubeObject>(resource, { representation: 'metadata', signal })).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
