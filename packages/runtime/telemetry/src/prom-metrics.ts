import {
  Counter as PromCounter,
  Gauge as PromGauge,
  Histogram as PromHistogram,
  Registry,
  collectDefaultMetrics,
} from 'prom-client';
import type { Counter, Gauge, Histogram, Labels, MetricDefinition, Metrics } from './metrics.js';
import { PendingIncrements } from './pending-increments.js';

export interface MetricsOptions {
  /** Adds memory, CPU, event loop and garbage collection of this process. Once per process at most. Default false. */
  readonly processMetrics?: boolean;
}

const NO_LABELS: Labels = {};

type Kind = 'counter' | 'gauge' | 'histogram';

/**
 * Creates a registry; two in one process share nothing. Defining a name twice returns the same metric; with another
 * kind or other labels it throws a TypeError.
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  return new PromMetrics(options);
}

class PromMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #known = new Map<string, { readonly kind: Kind; readonly labels: string; readonly metric: unknown }>();
  readonly #pending: PendingIncrements[] = [];
  readonly #collectors = new Map<string, ((gauge: Gauge) => void)[]>();

  constructor(options: MetricsOptions) {
    // The default samples the event loop a hundred times a second, which is most of an idle process's work.
    if (options.processMetrics === true)
      collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 200 });
  }

  counter(definition: MetricDefinition): Counter {
    return this.#define('counter', definition, () => {
      const counter = new PromCounter({ ...this.#base(definition) });
      const pending = this.#pend((labels, by) => {
        counter.inc(labels, by);
      });
      return {
        inc(labels = NO_LABELS, by = 1) {
          // A counter only grows; the registry rejects others when they are applied at once.
          if (by > 0) pending.add(labels, by);
          else counter.inc(labels, by);
        },
      };
    });
  }

  gauge(definition: MetricDefinition & { readonly collect?: (gauge: Gauge) => void }): Gauge {
    const result = this.#define('gauge', definition, () => {
      const gauge = new PromGauge({ ...this.#base(definition) });
      const pending = this.#pend((labels, by) => {
        gauge.inc(labels, by);
      });
      return {
        set(value: number, labels: Labels = NO_LABELS) {
          pending.flush();
          gauge.set(labels, value);
        },
        inc: (labels: Labels = NO_LABELS, by = 1) => {
          pending.add(labels, by);
        },
        remove(labels: Labels) {
          pending.flush();
          gauge.remove(labels);
        },
      };
    });
    if (definition.collect !== undefined) {
      const collectors = this.#collectors.get(definition.name);
      if (collectors === undefined) this.#collectors.set(definition.name, [definition.collect]);
      else if (!collectors.includes(definition.collect)) collectors.push(definition.collect);
    }
    return result;
  }

  histogram(definition: MetricDefinition & { readonly buckets?: readonly number[] }): Histogram {
    return this.#define('histogram', definition, () => {
      const histogram = new PromHistogram({
        ...this.#base(definition),
        ...(definition.buckets === undefined ? {} : { buckets: [...definition.buckets] }),
      });
      return {
        observe: (value, labels) => {
          histogram.observe(labels ?? {}, value);
        },
      };
    });
  }

  async expose(): Promise<{ readonly contentType: string; readonly body: string }> {
    for (const [name, collectors] of this.#collectors) {
      const gauge = this.#known.get(name)?.metric as Gauge;
      for (const collect of collectors) {
        try {
          collect(gauge);
        } catch {
          // One failing metric must not break the page; it keeps its last value.
        }
      }
    }
    for (const pending of this.#pending) pending.flush();
    return { contentType: this.#registry.contentType, body: await this.#registry.metrics() };
  }

  #pend(apply: (labels: Labels, by: number) => void): PendingIncrements {
    const pending = new PendingIncrements(apply);
    this.#pending.push(pending);
    return pending;
  }

  #base({ name, help, labels = [] }: MetricDefinition): {
    name: string;
    help: string;
    labelNames: string[];
    registers: Registry[];
  } {
    return { name, help, labelNames: [...labels], registers: [this.#registry] };
  }

  #define<M>(kind: Kind, definition: MetricDefinition, make: () => M): M {
    const labels = [...(definition.labels ?? [])].sort().join(',');
    const known = this.#known.get(definition.name);
    if (known === undefined) {
      const metric = make();
      this.#known.set(definition.name, { kind, labels, metric });
      return metric;
    }
    if (known.kind !== kind || known.labels !== labels) {
      throw new TypeError(
        `metric ${definition.name} is a ${known.kind} with labels [${known.labels}] already, and cannot be a ${kind} with labels [${labels}]`,
      );
    }
    return known.metric as M;
  }
}
