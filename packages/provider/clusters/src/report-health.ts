import type { ControllerContext, Watched } from '@hawser/controller';
import { type ClusterBinding, conditionTypes, getCondition } from '@hawser/kube-bind';
import { type HealthAction, withHealth } from './decide-binding.js';

export interface ReportOptions extends Pick<ControllerContext, 'clock' | 'logger'> {
  readonly bindings: Watched<ClusterBinding>;
}

/** Writes the health of a consumer into its ClusterBinding, and tells of one that has turned bad. */
export async function reportHealth(
  { bindings, clock, logger }: ReportOptions,
  { binding, health, condition }: HealthAction,
  signal: AbortSignal,
): Promise<void> {
  const written = await bindings.commitStatus(
    binding,
    (status, current) => ({ ...status, conditions: withHealth(current, condition, clock.now()) }),
    signal,
  );
  if (!written) return;
  const was = getCondition(binding.status?.conditions, conditionTypes.healthy);
  if (was?.status === condition.status && was.reason === condition.reason) return;
  logger.info('The health of a consumer changed.', {
    namespace: binding.metadata.namespace,
    health,
    since: binding.status?.lastHeartbeatTime,
  });
  switch (health) {
    case 'silent':
    case 'drifting':
      bindings.tell(binding, { type: 'Warning', reason: condition.reason ?? '', message: condition.message ?? '' });
      return;
    case 'healthy':
    case 'pending':
      return;
  }
}
