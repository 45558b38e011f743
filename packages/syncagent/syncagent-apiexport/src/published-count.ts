import type { Metrics } from '@hawser/telemetry';

/** `sync_agent_published_resource` has no labels: where several agents share a process, it is their sum. */
export function countPublishedResources(metrics: Metrics): { set(count: number): void } {
  const gauge = metrics.gauge({
    name: 'sync_agent_published_resource',
    help: 'PublishedResources that the agent publishes.',
  });
  let own = 0;
  gauge.inc({}, 0);
  return {
    set: (count) => {
      gauge.inc({}, count - own);
      own = count;
    },
  };
}
