import type { Setup } from '@hawser/controller';
import type { PublishedResource } from '@hawser/syncagent-api';
import type { Caches, ClusterNames } from './caches.js';
import type { Decision } from './decide-look.js';
import { statusKey } from './keys.js';
import type { Observed } from './observe.js';
import { countPublishedResources } from './published-count.js';
import type { Report, Reports } from './report.js';

/** Results of the last look at the export, for the statuses of PublishedResources. */
export class LastReports {
  readonly #look: Setup<ClusterNames>['look'];
  readonly #caches: Caches;
  readonly #counted: ReturnType<typeof countPublishedResources>;
  #reports: Reports = new Map();

  constructor({ look, metrics, scope }: Setup<ClusterNames>, caches: Caches) {
    this.#look = look;
    this.#caches = caches;
    this.#counted = countPublishedResources(metrics);
    scope.own(this.#counted);
  }

  /** Takes in the reports of a decision. */
  follow(observed: Observed, { reports }: Decision): void {
    if (observed.kind === 'export') this.#counted.set(observed.contributions.length);
    if (reports !== undefined) this.set(reports);
  }

  /** Replaces all earlier reports. */
  set(reports: Reports): void {
    this.#reports = reports;
    for (const { metadata } of this.#caches.publishedResources.list()) this.#look(statusKey(metadata.name), 'normal');
  }

  of({ metadata: { uid } }: PublishedResource): Report | undefined {
    return uid === undefined ? undefined : this.#reports.get(uid);
  }
}
