import type { Clock } from '@hawser/clock';
import type { APIExport } from '@hawser/kcp-api';
import type { Agent, StatusTerms, StatusWriter } from '@hawser/publication';
import type { PublishedResource } from '@hawser/syncagent-api';
import type { Caches } from './caches.js';
import { type Contribution, contributionsOf } from './contribution.js';
import { exportKey, namedBy } from './keys.js';
import type { Refusals } from './refusals.js';
import type { Report } from './report.js';
import type { LastReports } from './last-reports.js';

export type Observed =
  | ObservedExport
  | {
      readonly kind: 'status';
      readonly object: PublishedResource;
      readonly report: Report;
      readonly terms: StatusTerms;
    }
  /** There is no such PublishedResource, or nothing to report on it. */
  | { readonly kind: 'nothing' };

export interface ObservedExport {
  readonly kind: 'export';
  readonly agent: Pick<Agent, 'name' | 'exportName'>;
  /** Undefined: there is none. */
  readonly current: APIExport | undefined;
  readonly contributions: readonly Contribution[];
  /** kcp's messages about refused contributions, by uid. */
  readonly refused: ReadonlyMap<string, string>;
  /** kcp refused all changes together: write each alone. */
  readonly oneByOne: boolean;
  /** Milliseconds until the first refused contribution is retried. */
  readonly retryInMs: number | undefined;
}

export interface ObserverPorts {
  readonly agent: Agent;
  readonly clock: Clock;
  readonly caches: Caches;
  readonly writer: StatusWriter;
  readonly refusals: Refusals;
  readonly reports: LastReports;
}

/** Collects the inputs of a decision. */
export class Observer {
  readonly #ports: ObserverPorts;

  constructor(ports: ObserverPorts) {
    this.#ports = ports;
  }

  observe(key: string, signal: AbortSignal): Observed | Promise<Observed> {
    return key === exportKey ? this.#export() : this.#status(namedBy(key), signal);
  }

  #export(): ObservedExport {
    const { agent, clock, caches, refusals } = this.#ports;
    const contributions = contributionsOf(caches.publishedResources.list());
    const now = clock.monotonic();
    return {
      kind: 'export',
      agent,
      current: caches.export,
      contributions,
      refused: refusals.of(contributions, now),
      oneByOne: refusals.oneByOne,
      retryInMs: refusals.nextMs(now),
    };
  }

  async #status(name: string, signal: AbortSignal): Promise<Observed> {
    const { clock, caches, writer, reports } = this.#ports;
    const object = caches.publishedResources.get({ name });
    const report = object === undefined ? undefined : reports.of(object);
    if (object === undefined || report === undefined) return { kind: 'nothing' };
    return { kind: 'status', object, report, terms: { kept: await writer.kept(signal), now: clock.now() } };
  }
}
