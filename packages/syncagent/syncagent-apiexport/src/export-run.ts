import { type Result, done } from '@hawser/controller';
import { type APIExport, ConversionError } from '@hawser/kcp-api';
import type { Agent } from '@hawser/publication';
import { type ExportActor, isRefusal } from './act.js';
import type { Caches } from './caches.js';
import { type Contribution, contributionsOf } from './contribution.js';
import { decide } from './decide.js';
import type { Refusals } from './refusals.js';
import { type Reports, everywhere, notFound, refusalMessage, unreadable, withRefusals } from './report.js';

export interface ExportPorts {
  readonly agent: Agent;
  readonly caches: Caches;
  readonly actor: ExportActor;
  readonly refusals: Refusals;
  /** On the monotonic clock. */
  readonly now: () => number;
  /** How many PublishedResources there are. */
  readonly count: (published: number) => void;
  /** Takes the place of all that was said before. */
  readonly report: (reports: Reports) => void;
}

/** One look at the export: observes, decides and writes; where kcp does not want that, finds out what it is. */
export class ExportRun {
  readonly #ports: ExportPorts;
  readonly #contributions: readonly Contribution[];

  constructor(ports: ExportPorts) {
    this.#ports = ports;
    this.#contributions = contributionsOf(ports.caches.publishedResources.list());
  }

  async run(signal: AbortSignal): Promise<Result> {
    const { agent, caches, refusals, now, count, report } = this.#ports;
    count(this.#contributions.length);
    refusals.keep(this.#contributions);
    const current = caches.exports.get({ name: agent.exportName });
    if (current === undefined) {
      report(everywhere(this.#contributions, notFound(agent.exportName)));
      return done;
    }
    try {
      await this.#bringInStep(current, signal);
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error;
      report(everywhere(this.#contributions, unreadable(agent.exportName, error)));
      return done;
    }
    const afterMs = refusals.nextMs(now());
    return afterMs === undefined ? done : { kind: 'requeue', afterMs };
  }

  async #bringInStep(current: APIExport, signal: AbortSignal): Promise<void> {
    const now = this.#ports.now();
    const admitted = this.#contributions.filter((one) => this.#ports.refusals.messageOf(one, now) === undefined);
    const decision = this.#decide(current, admitted);
    try {
      await this.#ports.actor.carryOut(current, decision.change, signal);
      this.#reportAs(decision);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await this.#oneByOne(current, admitted, signal);
    }
  }

  /** One of them is not wanted: finds out which, so that the others are exported all the same. */
  async #oneByOne(current: APIExport, candidates: readonly Contribution[], signal: AbortSignal): Promise<void> {
    const { agent, refusals, now } = this.#ports;
    let present = await this.#withoutAny(current, signal);
    const admitted: Contribution[] = [];
    for (const candidate of candidates) {
      try {
        const { change } = this.#decide(present, [...admitted, candidate]);
        present = await this.#ports.actor.carryOut(present, change, signal);
        admitted.push(candidate);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refusals.add(candidate, refusalMessage(agent.exportName, error), now());
      }
    }
    this.#reportAs(this.#decide(present, admitted));
  }

  /** What is refused even so is the fault of none of them. */
  async #withoutAny(current: APIExport, signal: AbortSignal): Promise<APIExport> {
    const { agent, actor, report } = this.#ports;
    try {
      return await actor.carryOut(current, this.#decide(current, []).change, signal);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const message = refusalMessage(agent.exportName, error);
      report(everywhere(this.#contributions, { kind: 'failed', reason: 'APIExportRefused', message }));
      throw error;
    }
  }

  #decide(current: APIExport, admitted: readonly Contribution[]): ReturnType<typeof decide> {
    return decide(current, this.#ports.agent.name, this.#contributions, admitted);
  }

  #reportAs(decision: ReturnType<typeof decide>): void {
    const { refusals, report } = this.#ports;
    const now = this.#ports.now();
    report(withRefusals(decision, this.#contributions, (one) => refusals.messageOf(one, now)));
  }
}
