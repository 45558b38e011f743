import type { Dialect } from '@hawser/kube-bind';
import type { Metrics } from '@hawser/telemetry';
import { type Hold, type HoldReason, holdReasons } from './hold.js';

/** Counts held and propagated schemas. */
export interface Tally {
  set(key: string, held: readonly Hold[]): void;
  flowed(severity: string): void;
}

export function createTally(metrics: Metrics, { name: dialect }: Dialect): Tally {
  const gauge = metrics.gauge({
    name: 'hawser_provider_schema_updates_held',
    help: 'Changed schemas that do not reach a consumer, by reason.',
    labels: ['reason', 'dialect'],
  });
  const counter = metrics.counter({
    name: 'hawser_provider_schema_updates_total',
    help: 'Changed schemas that were handed to consumers, by severity of the change.',
    labels: ['severity', 'dialect'],
  });
  const reasons = new Map<string, readonly HoldReason[]>();
  return {
    set(key, held) {
      if (held.length === 0 && !reasons.has(key)) return;
      if (held.length === 0) reasons.delete(key);
      else
        reasons.set(
          key,
          held.map(({ reason }) => reason),
        );
      const all = [...reasons.values()].flat();
      for (const reason of holdReasons) gauge.set(all.filter((one) => one === reason).length, { reason, dialect });
    },
    flowed: (severity) => {
      counter.inc({ severity, dialect });
    },
  };
}
