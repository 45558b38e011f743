import type { PublishedResource } from '@hawser/syncagent-api';
import type { PublishedKinds } from '@hawser/syncagent-sync';
import type { Logger } from '@hawser/telemetry';
import type { FoundKinds } from './kinds-finder.js';
import type { PublicationRecord, PublicationRecords } from './publication-records.js';
import { isSameResource } from './same-resource.js';

/**
 * Records publications before the first object is touched. Without the rights for it, syncing continues and the log
 * describes the loss.
 */
export class PublicationJournal {
  readonly #records: PublicationRecords;
  readonly #logger: Logger;
  /** Last record written or refused, by the name of the PublishedResource. */
  readonly #written = new Map<string, string>();

  constructor(records: PublicationRecords, logger: Logger) {
    this.#records = records;
    this.#logger = logger;
  }

  /** By uid; former resources of a PublishedResource by {@link formerKey}. */
  get all(): ReadonlyMap<string, PublicationRecord> {
    return this.#records.all;
  }

  /** See {@link PublicationRecords.lost}. */
  get lost(): readonly string[] {
    return this.#records.lost;
  }

  /** `namespace/name` of its Secret. */
  get path(): string {
    return this.#records.path;
  }

  load(signal: AbortSignal): Promise<void> {
    return this.#tolerating(
      this.#records.load(signal),
      signal,
      'What was published before cannot be read, so PublishedResources that were deleted meanwhile are not noticed.',
    );
  }

  /** Whether the record is up to date. */
  isWritten(publishedResource: string, { of }: FoundKinds, endpoints: readonly string[]): boolean {
    return this.#written.get(publishedResource) === textOf(of, endpoints);
  }

  /** Recorded endpoints at which a PublishedResource has or had objects in kcp. */
  endpointsOf(uid: string, kinds: PublishedKinds): readonly string[] {
    const record = this.#records.all.get(uid);
    return record === undefined || !isSameResource(record.kinds, kinds) ? [] : (record.endpoints ?? []);
  }

  /** `endpoints`: where it may have objects from now on. */
  async write(
    object: PublishedResource,
    { of, kinds }: FoundKinds,
    endpoints: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { name, uid = name } = object.metadata;
    this.#written.set(name, textOf(of, endpoints));
    await this.#tolerating(
      this.#records.put(uid, { publishedResource: object, kinds, kindsOf: of, endpoints }, signal),
      signal,
      'It cannot be written down what is published: if the PublishedResource is deleted while the agent is down, finalizers stay in workspaces.',
      name,
    );
  }

  /** Keeps a separate record of the formerly published resource if it was another one in kcp. Returns its key. */
  async writeFormer(
    { metadata: { name, uid = name } }: PublishedResource,
    kinds: PublishedKinds,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const before = this.#records.all.get(uid);
    if (before === undefined || isSameResource(before.kinds, kinds)) return undefined;
    const key = formerKey(uid, before.kinds);
    const kept = this.#records.put(key, before, signal).then(() => key);
    return this.#tolerating(
      kept,
      signal,
      'It cannot be written down what was published before: finalizers stay on its objects in workspaces.',
      name,
    );
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    await this.#records.remove(key, signal);
  }

  forget(publishedResource: string): void {
    this.#written.delete(publishedResource);
  }

  async #tolerating<T>(
    work: Promise<T>,
    signal: AbortSignal,
    lost: string,
    publishedResource?: string,
  ): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      if (signal.aborted) throw error;
      this.#logger.warn(lost, {
        ...(publishedResource === undefined ? {} : { publishedresource: publishedResource }),
        error,
      });
      return undefined;
    }
  }
}

function textOf(of: string, endpoints: readonly string[]): string {
  return [of, ...endpoints].join(' ');
}

/** Key for the formerly published resource of a PublishedResource. */
function formerKey(
  uid: string,
  {
    kcp: {
      resource: { group, resource },
    },
  }: PublishedKinds,
): string {
  return `${uid}.${resource}${group === '' ? '' : `.${group}`}`;
}
