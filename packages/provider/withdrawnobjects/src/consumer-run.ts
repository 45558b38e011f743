import { done, type Result } from '@hawser/controller';
import { type ConsumerConclusion, type ConsumerStep, decideConsumer, type Settled } from './decide-consumer.js';
import type { ExportObject } from './export-object.js';
import { ExportRun, type ExportRunPorts } from './export-run.js';
import type { Left, LeftCounts } from './left.js';

export interface ConsumerRunPorts extends ExportRunPorts {
  readonly counts: LeftCounts;
  /** When copies that are left are counted again, in milliseconds; another time whenever it is asked. */
  readonly countAgainMs: () => number;
}

/** One look at all exports of one consumer, as the cache has them at its start. */
export class ConsumerRun {
  readonly #ports: ConsumerRunPorts;
  readonly #clusterNamespace: string;
  readonly #exports: readonly ExportObject[];
  readonly #offered: readonly string[];
  readonly #settled = new Map<ExportObject, Settled>();
  readonly #counts = new Map<string, Left | undefined>();

  constructor(ports: ConsumerRunPorts, clusterNamespace: string) {
    this.#ports = ports;
    this.#clusterNamespace = clusterNamespace;
    this.#exports = ports.caches.exports.list(clusterNamespace);
    this.#offered = ports.caches.offered();
  }

  async run(signal: AbortSignal): Promise<Result> {
    for (;;) {
      const namespaceEnds = this.#ports.caches.namespaceEnds(this.#clusterNamespace);
      const decision = decideConsumer({
        namespaceEnds,
        exports: this.#exports,
        offered: this.#offered,
        settled: this.#settled,
        counts: this.#counts,
      });
      if (decision.kind === 'settled') return this.#conclude(decision.conclusions, signal);
      await this.#carryOut(decision.step, signal);
    }
  }

  async #carryOut(step: ConsumerStep, signal: AbortSignal): Promise<void> {
    switch (step.type) {
      case 'settleExport':
        this.#settled.set(step.found, await new ExportRun(this.#ports, step.found, step.resources).run(signal));
        return;
      case 'countCopies': {
        const crd = await this.#ports.caches.crdOf(step.resource, signal);
        this.#counts.set(
          step.resource,
          crd === undefined ? undefined : await this.#ports.counts.of(crd, this.#clusterNamespace, signal),
        );
      }
    }
  }

  async #conclude(conclusions: readonly ConsumerConclusion[], signal: AbortSignal): Promise<Result> {
    const waits: number[] = [];
    for (const conclusion of conclusions) {
      switch (conclusion.type) {
        case 'wait':
          waits.push(conclusion.ms);
          break;
        case 'countAgain':
          waits.push(this.#ports.countAgainMs());
          break;
        case 'tellLeft':
        case 'forgetLeft':
          await this.#ports.actor.concludeConsumer(this.#clusterNamespace, conclusion, signal);
      }
    }
    return waits.length === 0 ? done : { kind: 'requeue', afterMs: Math.min(...waits), priority: 'background' };
  }
}
