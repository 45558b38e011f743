import type { Metrics } from '@hawser/telemetry';
import type { Health } from './decide.js';

/** Counts consumers by health. */
export interface HealthGauge {
  /** Undefined: the consumer is gone. */
  set(key: string, health: Health | undefined): void;
  /** Removes all consumers from the count. */
  close(): void;
}

export function createHealthGauge(metrics: Metrics): HealthGauge {
  const gauge = metrics.gauge({
    name: 'hawser_provider_consumers',
    help: 'Consumers by what their heartbeats say.',
    labels: ['health'],
  });
  const healths = new Map<string, Health>();
  const set = (key: string, health: Health | undefined): void => {
    const before = healths.get(key);
    if (before === health) return;
    if (before !== undefined) gauge.inc({ health: before }, -1);
    if (health === undefined) {
      healths.delete(key);
      return;
    }
    healths.set(key, health);
    gauge.inc({ health });
  };
  return {
    set,
    close: () => {
      for (const key of [...healths.keys()]) set(key, undefined);
    },
  };
}
