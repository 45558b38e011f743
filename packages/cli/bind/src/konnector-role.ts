import { type Client, type KubeObject, isForbidden, isNotFound } from '@hawser/client';
import { type BoundRole, aggregateToKonnector, boundRoleName, resources } from '@hawser/kube-bind';
import { covers } from '@hawser/rbac';

/** Reads the role. Undefined: none exists. `unknown`: no right to read it. @throws ApiError for any other failure */
export async function readKonnectorRole(
  consumer: Client,
  binding: string,
  signal: AbortSignal,
): Promise<BoundRole | 'unknown' | undefined> {
  try {
    return await consumer.get<BoundRole>(resources.clusterRoles, { name: boundRoleName(binding) }, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (isForbidden(error)) return 'unknown';
    throw error;
  }
}

/** Whether the role is one that the chart's konnector aggregates. */
export function isGathered({ metadata: { labels = {} } }: KubeObject): boolean {
  return Object.entries(aggregateToKonnector).every(([key, value]) => labels[key] === value);
}

/**
 * The role with all wanted rules, plus those that others added. Undefined: no change is due, or the role is not the
 * konnector's.
 */
export function withWanted(found: BoundRole, wanted: BoundRole): BoundRole | undefined {
  const rules = found.rules ?? [];
  const lacking = (wanted.rules ?? []).filter((rule) => !covers(rules, [rule]));
  return lacking.length === 0 || !isGathered(found) ? undefined : { ...wanted, rules: [...rules, ...lacking] };
}
