import type { ControllerContext, Watched } from '@hawser/controller';
import { type ClusterBinding, conditionTypes, getCondition } from '@hawser/kube-bind';
import { type HealthAction, withHealth } from './decide-binding.js';

export interface ReportOptions extends Pick<ControllerContext, 'clock' | 'logger'> {
  readonly bindings: Watched<ClusterBinding>;
}

/** Writes the health of a consumer into its ClusterBinding, and records an Event when it turns bad. */
export async function reportHealth(
  { bindings, clock, logger }: ReportOptions,
  { binding, health, condition }: HealthAction,
  signal: AbortSignal,
): Promise<void> {
  const was = getCondition(binding.status?.conditions, conditionTypes.healthy);
  const isNews = was?.status !== condition.status || was.reason !== condition.reason;
  const written = await bindings.commitStatus(
    binding,
    (status, current) => ({ ...status, conditions: withHealth(current, condition, clock.now()) }),
    signal,
    isNews && isBad(health)
      ? [{ type: 'Warning', reason: condition.reason ?? '', message: condition.message ?? '' }]
      : [],
  );
  if (!written || !isNews) return;
  logger.info('The health of a consumer changed.', {
    namespace: binding.metadata.namespace,
    health,
    since: binding.status?.lastHeartbeatTime,
  });
}

function isBad(health: HealthAction['health']): boolean {
  switch (health) {
    case 'silent':
    case 'drifting':
      return true;
    case 'healthy':
    case 'pending':
      return false;
  }
}
