import type { Client } from '@hawser/client';
import { type Result, done } from '@hawser/controller';
import type { PublishedResource } from '@hawser/syncagent-api';
import type { PublishedKinds, Sync } from '@hawser/syncagent-sync';
import type { Logger } from '@hawser/telemetry';
import type { Engagements } from './engagements.js';
import type { PublicationJournal } from './publication-journal.js';
import type { PublicationRecord } from './publication-records.js';
import { isDeleted, retirementOf } from './retirement.js';
import { RunningSync } from './running-sync.js';
import { isSameResource } from './same-resource.js';
import { isServed } from './served.js';
import { isWhole, missingEndpoints } from './whole.js';
import type { EngagedVirtualWorkspace } from './virtual-workspace.js';

/** Before one that did not come up is tried again. */
const RESTART_MS = 60_000;

export interface EndingsOptions {
  /** Of the service cluster. */
  readonly service: Client;
  readonly engagements: Engagements;
  readonly journal: PublicationJournal;
  readonly logger: Logger;
  /** The PublishedResource of this name, as it is now. */
  readonly present: (name: string) => PublishedResource | undefined;
  /** Syncs that do not end. */
  readonly running: () => Iterable<RunningSync>;
  /** `key`: what its reports are to come back for. */
  readonly make: (object: PublishedResource, kinds: PublishedKinds, engagements: readonly EngagedVirtualWorkspace[], key: string) => Sync;
  readonly begin: (ending: RunningSync, onFailure: (error: unknown) => void) => void;
  /** Has {@link Endings.look} called for the key, at once unless `afterMs` says otherwise. */
  readonly schedule: (key: string, afterMs?: number) => void;
}

/**
 * Syncs of PublishedResources that are no more, by uid, and of resources that one has published before, by their key in the journal: they let go of what is
 * left in workspaces, and stop when nothing is.
 */
export class Endings {
  readonly #options: EndingsOptions;
  readonly #ending = new Map<string, RunningSync>();
  /** What was told to be missing. */
  readonly #missing = new Map<string, string>();

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

  /** Its PublishedResource has gone, or goes. */
  add(running: RunningSync, object: PublishedResource): void {
    const how = retirementOf(object);
    this.#options.logger.info('A PublishedResource was deleted: its objects in workspaces are let go.', { publishedresource: object.metadata.name, how });
    this.#ending.set(running.uid, running);
    running.sync.retire(how);
  }

  /** One step: resumes what was deleted while nobody looked, and stops what holds nothing any more. */
  async look(key: string, signal: AbortSignal): Promise<Result> {
    const { engagements, journal, logger } = this.#options;
    const record = journal.all.get(key);
    const ending = this.#ending.get(key) ?? (record === undefined ? undefined : await this.#resume(key, record, signal));
    if (ending === undefined) return done;
    for (const engagement of engagements.ready) {
      if (!ending.isEngaged(engagement.url) && !engagement.workspaces.isUnbound && await isServed(engagement.wildcard, ending.kinds.kcp.resource, signal) && engagements.has(engagement)) ending.add(engagement);
    }
    
    ending.sync.survey();
    if (!this.#isOver(key, ending)) return done;
    this.#ending.delete(key);
    await ending.stop();
    await journal.remove(key, signal);
    logger.info('Nothing of what was published before is left in workspaces.', { publishedresource: ending.publishedResource.metadata.name });
    return done;
  }

  /** What is published again is not let go. */
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

  /** Only what was read shows that nothing is left: not an endpoint that is missing, nor a list that fails. */
  #isOver(key: string, ending: RunningSync): boolean {
    const { engagements, logger } = this.#options;
    const missing = missingEndpoints(ending, engagements);
    if (missing.length > 0) {
      const text = missing.join(', ');
      if (this.#missing.get(key) !== text) logger.warn('A PublishedResource that was deleted has objects at endpoints that are missing from the endpoint slice. They are let go when the endpoints are back.', { publishedresource: ending.publishedResource.metadata.name, endpoints: text });
      this.#missing.set(key, text);
      return false;
    }
    this.#missing.delete(key);
    // Nothing was left at the endpoints that have gone, and there is no other.
    if (ending.endpoints.length === 0 && engagements.size === 0) return true;
    return isWhole(ending, engagements) && ending.sync.complete && ending.sync.counts().held === 0;
  }

  async #resume(key: string, { publishedResource, kinds, endpoints }: PublicationRecord, signal: AbortSignal): Promise<RunningSync | undefined> {
    const { service, engagements, journal, logger } = this.#options;
    const { name, uid } = publishedResource.metadata;
    const isFormer = key !== uid;
    if (!isFormer && this.#isPublished(name, key)) return undefined;
    // Somebody publishes it again: that sync takes over what is there.
    const taken = [...this.#options.running()].some((running) => isSameResource(running.kinds, kinds));
    if (taken || !(isFormer || await isDeleted(service, name, key, signal))) {
      await journal.remove(key, signal);
      return undefined;
    }
    const served: EngagedVirtualWorkspace[] = [];
    for (const engagement of engagements.ready) if (!engagement.workspaces.isUnbound && await isServed(engagement.wildcard, kinds.kcp.resource, signal)) served.push(engagement);
    if (served.length === 0) return undefined;
    const sync = this.#options.make(publishedResource, kinds, served, key);
    const ending = new RunningSync({ publishedResource, kinds, fingerprint: '', sync, engaged: served.map(({ url }) => url), endpoints });
    this.#ending.set(key, ending);
    this.#options.begin(ending, (error) => {
      logger.error('The objects of a deleted PublishedResource could not be let go; this is tried again.', { publishedresource: name, error });
      this.#ending.delete(key);
      this.#options.schedule(key, RESTART_MS);
    });
    sync.retire(isFormer ? 'keep' : retirementOf(publishedResource));
    return ending;
  }

  #isPublished(name: string, uid: string): boolean {
    const present = this.#options.present(name);
    return [...this.#options.running()].some((running) => running.uid === uid && running.publishedResource.metadata.name === name)
      || (present?.metadata.uid === uid && present.metadata.deletionTimestamp === undefined);
  }
}
