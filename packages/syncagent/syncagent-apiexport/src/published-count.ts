import type { Metrics } from '@hawser/telemetry';

/**
 * Counts `sync_agent_published_resource`, which has no labels: agents in one process add up. `close` subtracts the own
 * share.
 */
export function countPublishedResources(metrics: Metrics): { set(count: number): void; close(): void } {
  const gauge = metrics.gauge({
    name: 'sync_agent_published_resource',
    help: 'PublishedResources that the agent publishes.',
  });
  let own = 0;
  gauge.inc({}, 0);
  const set = (count: number): void => {
    gauge.inc({}, count - own);
    own = count;
  };
  return {
    set,
    close: () => {
      set(0);
    },
  };
}
