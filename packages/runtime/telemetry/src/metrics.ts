export type Labels = Readonly<Record<string, string>>;

/** Name and meaning of a metric. Durations are in seconds, as in Prometheus. */
export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export interface Counter {
  /** Increments. Cheapest with a label object that is passed again and again; it must then not change. */
  inc(labels?: Labels, by?: number): void;
}

export interface Gauge {
  set(value: number, labels?: Labels): void;
  inc(labels?: Labels, by?: number): void;
  /** Removes the series with these labels, for deleted things. */
  remove(labels: Labels): void;
}

export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

/** A registry of metrics. The same name returns the same metric, so every package declares its own. */
export interface Metrics {
  counter(definition: MetricDefinition): Counter;
  gauge(definition: MetricDefinition & { readonly collect?: (gauge: Gauge) => void }): Gauge;
  histogram(definition: MetricDefinition & { readonly buckets?: readonly number[] }): Histogram;
  /** The text exposition format, for `/metrics`. */
  expose(): Promise<{ readonly contentType: string; readonly body: string }>;
}

const nothing = (): void => undefined;

/** Counts nothing. */
export const noMetrics: Metrics = {
  counter: () => ({ inc: nothing }),
  gauge: () => ({ set: nothing, inc: nothing, remove: nothing }),
  histogram: () => ({ observe: nothing }),
  expose: () => Promise.resolve({ contentType: 'text/plain; version=0.0.4; charset=utf-8', body: '' }),
};
