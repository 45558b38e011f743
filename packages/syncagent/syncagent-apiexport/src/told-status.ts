import { type Result, done } from '@hawser/controller';
import { type StatusWriter, publicationConditions } from '@hawser/publication';
import { removeCondition, setCondition } from '@hawser/syncagent-api';
import type { Caches } from './caches.js';
import { type Reports, conditionOf } from './report.js';

/** Says on each PublishedResource what came of the last look at the export. */
export class ToldStatus {
  readonly #publishedResources: Caches['publishedResources'];
  readonly #writer: StatusWriter;
  readonly #now: () => number;
  #reports: Reports = new Map();

  constructor({ publishedResources }: Pick<Caches, 'publishedResources'>, writer: StatusWriter, now: () => number) {
    this.#publishedResources = publishedResources;
    this.#writer = writer;
    this.#now = now;
  }

  /** From now on. */
  set(reports: Reports): void {
    this.#reports = reports;
  }

  async write(name: string, signal: AbortSignal): Promise<Result> {
    const object = this.#publishedResources.get({ name });
    const said = object?.metadata.uid === undefined ? undefined : this.#reports.get(object.metadata.uid);
    if (object === undefined || said === undefined) return done;
    const condition = conditionOf(said);
    await this.#writer.commit(
      object,
      (status) => ({
        ...status,
        conditions:
          condition === undefined
            ? removeCondition(status.conditions, publicationConditions.exported)
            : setCondition(status.conditions, condition, this.#now()),
      }),
      signal,
    );
    return done;
  }
}
