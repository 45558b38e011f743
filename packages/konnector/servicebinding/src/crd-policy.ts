import { type CustomResourceDefinition, isProtectedGroup, isReservedGroup } from '@hawser/kube-bind';
import type { Problem } from './problem.js';

/** The consumer operator's policy for CRDs from providers. */
export interface CRDPolicy {
  /**
   * API groups: `example.com`, `*.example.com` (every group below it), or `*` (every group except those of Kubernetes
   * and kcp, which must be named). Default: `*`. Groups without a dot, `kube-bind.io` and `hawser.dev` are never open.
   */
  readonly allowedGroups?: readonly string[] | undefined;
  /**
   * Whether a CRD may name a conversion webhook, to which the consumer's API server then sends objects. Default: no.
   */
  readonly allowConversionWebhooks?: boolean | undefined;
}

/** Why the policy forbids a provider's CRD, whatever the cluster has; undefined: allowed. */
export function refusedByPolicy(
  name: string,
  { group, conversion }: CustomResourceDefinition['spec'],
  policy: CRDPolicy,
): Problem | undefined {
  const { allowedGroups = ['*'], allowConversionWebhooks = false } = policy;
  const named = allowedGroups.some((pattern) => names(pattern, group));
  if (isReservedGroup(group) || (isProtectedGroup(group) && !named)) {
    return {
      reason: 'ProtectedAPIGroup',
      message: `CustomResourceDefinition ${name} is refused: API group ${group === '' ? '""' : group} is not open to providers.`,
    };
  }
  if (!named && !allowedGroups.includes('*')) {
    return {
      reason: 'APIGroupNotAllowed',
      message: `CustomResourceDefinition ${name} is refused: the operator of the konnector does not allow API group ${group} (konnector.allowedGroups).`,
    };
  }
  if (!allowConversionWebhooks && conversion !== undefined && conversion.strategy !== 'None') {
    return {
      reason: 'ConversionWebhookRefused',
      message: `CustomResourceDefinition ${name} is refused: it has a conversion webhook, to which the API server of the consumer would send objects. The operator of the konnector can allow it (konnector.allowConversionWebhooks).`,
    };
  }
  return undefined;
}

/** Whether `pattern` names `group` explicitly: `*` does not. */
function names(pattern: string, group: string): boolean {
  return pattern.startsWith('*.') ? group.endsWith(pattern.slice(1)) : pattern === group && pattern !== '*';
}
