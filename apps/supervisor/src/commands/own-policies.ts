import type { KubeObject } from '@hawser/client';
import {
  consumerBounds,
  consumerBoundsBinding,
  consumerPolicy,
  consumerPolicyBinding,
  namespacePolicy,
  namespacePolicyBinding,
  providerPolicy,
  providerPolicyBinding,
} from '@hawser/exportrbac';
import { type KonnectorPolicyOptions, konnectorPolicy } from '@hawser/konnector-explain';
import { type OwnPolicy, ownPolicyBinding } from '@hawser/preview';
import { type AgentPolicyOptions, agentPolicy } from '@hawser/syncagent-explain';
import { stringify } from 'yaml';

import type { Config } from '@hawser/config';
import { spokenDialects } from './provider-rights.js';

/** The ServiceAccount of a role. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

const inForce = (policy: OwnPolicy): readonly KubeObject[] => [policy, ownPolicyBinding(policy.metadata.name)];

/** The admission policies of charts/konnector. */
export function konnectorPolicies(options: KonnectorPolicyOptions): readonly KubeObject[] {
  return inForce(konnectorPolicy(options));
}

/** The admission policies of charts/syncagent. */
export function agentPolicies(options: AgentPolicyOptions): readonly KubeObject[] {
  return inForce(agentPolicy(options));
}

/**
 * The admission policies of charts/provider. Without the provider role's ServiceAccount, only those for consumers: the
 * others would lock out the kubeconfig's user, usually an administrator.
 */
export function providerPolicies(
  config: Pick<Config['provider'], 'dialects' | 'requestNamespaces'>,
  account: Account | undefined,
): readonly KubeObject[] {
  const dialects = spokenDialects(config);
  const forConsumers = [
    ...dialects.flatMap((dialect) => [consumerPolicy(dialect), consumerPolicyBinding(dialect)]),
    consumerBounds,
    consumerBoundsBinding,
  ];
  if (account === undefined) return forConsumers;
  const provider = `system:serviceaccount:${account.namespace}:${account.name}`;
  return [
    ...forConsumers,
    namespacePolicy(provider, dialects),
    namespacePolicyBinding,
    providerPolicy({ provider, requestNamespaces: config.requestNamespaces }),
    providerPolicyBinding,
  ];
}

/** The policies as YAML documents for kubectl. `comment`: their purpose. */
export function policiesText(policies: readonly KubeObject[], comment: string): string {
  return `# ${comment}\n${policies.map((one) => stringify(one, { aliasDuplicateObjects: false, lineWidth: 0 }).trimEnd()).join('\n---\n')}`;
}
