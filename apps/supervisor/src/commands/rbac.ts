import { type ExplainContext, type SideRights, explainRights, rbacText } from '@hawser/konnector-explain';
import type { Dialect } from '@hawser/kube-bind';
import { lacksNothing } from '@hawser/preview';

import { type CommandDescription, ConfigError, type Flag, choice } from '@hawser/config';
import { roleOf, rolesFlag } from './agent-command.js';
import { agentRbacCommand, readAgentRbac } from './agent-rbac.js';
import {
  explainFlags,
  explaining,
  readExplainFlags,
  readAccount,
  serviceAccountFlag,
  type Task,
} from '@hawser/commands';
import { gatewayRbacCommand, readGatewayRbac } from './gateway-rbac.js';
import { type Account, konnectorPolicies, policiesText } from './own-policies.js';
import { providerRbacCommand, readProviderRbac } from './provider-rbac.js';

const ABOUT = `Prints the rights that the konnector needs on the consumer and on each provider, as Roles and ClusterRoles that kubectl takes, and how that differs
from what is there: of the konnector's ServiceAccount, or of the user of the kubeconfig. 0: nothing is missing. With --service-account it also prints the admission policy that keeps
the konnector from becoming another user; --config says which API groups are open to providers.`;

const flags: readonly Flag[] = [
  ...explainFlags,
  rolesFlag('konnector', 'provider', 'gateway', 'syncagent'),
  serviceAccountFlag('the konnector on the consumer'),
  { name: 'side', kind: 'string', help: 'whose roles are printed: consumer, provider or both', default: 'both' },
];

/** Help text of the command. */
export const rbacCommand: CommandDescription = {
  name: 'rbac',
  about: ABOUT,
  usage: [
    'hawser rbac [flags]',
    'hawser rbac --roles provider [flags]',
    'hawser rbac --roles gateway [flags]',
    'hawser rbac --roles syncagent [flags]',
  ],
  examples: [
    { purpose: 'may the konnector do all that it has to?', line: 'hawser rbac --service-account kube-bind/konnector' },
    { purpose: 'only the roles for the consumer, for kubectl', line: 'hawser rbac --side=consumer > roles.yaml' },
    { purpose: 'what the provider role needs', line: 'hawser rbac --roles provider --kubeconfig provider.kubeconfig' },
  ],
  flags,
  variants: [providerRbacCommand, gatewayRbacCommand, agentRbacCommand],
};

/** Reads the flags of `hawser rbac`. */
export function readRbac(args: readonly string[]): Task | string {
  const { role, rest } = roleOf(args, ['konnector', 'provider', 'gateway', 'syncagent']);
  switch (role) {
    case 'konnector':
      return readKonnectorRbac(rest);
    case 'provider':
      return readProviderRbac(rest);
    case 'gateway':
      return readGatewayRbac(rest);
    case 'syncagent':
      return readAgentRbac(rest);
  }
}

function readKonnectorRbac(args: readonly string[]): Task | string {
  const parsed = readExplainFlags(rbacCommand, 0, args);
  if (typeof parsed === 'string') return parsed;
  const given = parsed.values.get('service-account');
  const only = choice(parsed, 'side', ['both', 'consumer', 'provider']);
  if (only === 'provider' && given !== undefined)
    throw new ConfigError('--service-account: is of the consumer, and --side=provider leaves that out');
  const serviceAccount = given === undefined ? undefined : readAccount(given);
  return (terminal) =>
    explaining(parsed, terminal, async ({ context, binding }) => {
      const found = await explainRights(context, {
        binding,
        serviceAccount,
        namespace: serviceAccount?.namespace ?? context.dialect.names.konnectorNamespace,
      });
      const sides = found.filter(({ side }) => only === 'both' || side === only);
      const text = rbacText(sides);
      terminal.out(serviceAccount === undefined ? text : `${text}\n---\n${policyText(serviceAccount, sides, context)}`);
      return lacksNothing(sides) ? 0 : 1;
    });
}

/** Text of the konnector's admission policies, for the namespaces of the printed Roles for kubeconfigs. */
function policyText(
  { namespace, name }: Account,
  sides: readonly SideRights[],
  {
    dialect,
    crds,
    coreKbind,
    secretNamespaces = ['kbind'],
  }: Pick<ExplainContext, 'coreKbind' | 'crds' | 'secretNamespaces'> & { readonly dialect: Dialect },
): string {
  const kubeconfigNamespaces = sides
    .flatMap(({ side, roles }) =>
      side === 'consumer'
        ? roles.flatMap((role) =>
            role.rules.some(({ resources = [] }) => resources.includes('secrets')) ? (role.namespace ?? []) : [],
          )
        : [],
    )
    .toSorted();
  return policiesText(
    konnectorPolicies({
      namespace,
      serviceAccount: name,
      kubeconfigNamespaces,
      dialect,
      crds: crds ?? {},
      coreKbind: coreKbind === undefined ? undefined : { secretNamespaces },
    }),
    'What keeps the konnector from becoming another user of the consumer. RBAC cannot say it.',
  );
}
