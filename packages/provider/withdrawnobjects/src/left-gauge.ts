import type { Setup } from '@hawser/controller';
import type { Dialect } from '@hawser/kube-bind';

/** Gauge of the copies left of all consumers. */
export interface LeftGauge {
  set(clusterNamespace: string, count: number): void;
}

export function createLeftGauge(metrics: Setup<'provider'>['metrics'], { name: dialect }: Dialect): LeftGauge {
  const gauge = metrics.gauge({
    name: 'hawser_provider_withdrawn_objects',
    help: 'Copies of consumers that are left of exports that have ended.',
    labels: ['dialect'],
  });
  const byConsumer = new Map<string, number>();
  return {
    set(clusterNamespace, count) {
      if (count === 0) byConsumer.delete(clusterNamespace);
      else byConsumer.set(clusterNamespace, count);
      gauge.set(
        [...byConsumer.values()].reduce((sum, one) => sum + one, 0),
        { dialect },
      );
    },
  };
}
