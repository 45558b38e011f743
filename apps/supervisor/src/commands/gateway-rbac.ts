import { type CommandDescription, type Flag, helpFlag } from '@hawser/config';
import { serviceAccountFlag, type Task } from '@hawser/commands';
import { compareRightsOf, lacksNothing, rbacText, reading } from '@hawser/preview';
import { gatewayRoles } from './gateway-rights.js';
import { exportedBy, onProvider, providerFlags, readRbacFlags } from './provider-rbac.js';
import { spokenDialects } from './provider-rights.js';

const ABOUT = `Prints the rights that the gateway needs on the provider, for what is exported there, as a ClusterRole that kubectl takes, and how that differs from what is there: of
the gateway's ServiceAccount, or of the user of the kubeconfig. 0: nothing is missing. What consumers are given is printed with --roles provider.`;

const flags: readonly Flag[] = [
  ...providerFlags,
  { name: 'config', kind: 'string', help: 'config file of the gateway, for its dialects' },
  serviceAccountFlag('the gateway'),
  helpFlag,
];

/** Help text of the command. */
export const gatewayRbacCommand: CommandDescription = {
  name: 'rbac',
  about: ABOUT,
  usage: ['hawser rbac --roles gateway [flags]'],
  examples: [
    {
      purpose: 'what a gateway needs, and what is missing',
      line: 'hawser rbac --roles gateway --kubeconfig provider.kubeconfig',
    },
    {
      purpose: 'of the ServiceAccount that it runs with',
      line: 'hawser rbac --roles gateway --kubeconfig provider.kubeconfig --service-account hawser/hawser-provider-gateway',
    },
  ],
  flags,
};

/** Reads the flags of `hawser rbac --roles gateway`. */
export function readGatewayRbac(args: readonly string[]): Task | string {
  const parsed = readRbacFlags(gatewayRbacCommand, args);
  if (typeof parsed === 'string') return parsed;
  const { values, serviceAccount, config } = parsed;
  return (terminal) =>
    onProvider(values, config, terminal, async (client) => {
      const { signal } = terminal;
      const side = await compareRightsOf<'provider'>(
        { client, account: serviceAccount, reader: reading(client), signal },
        'provider',
        gatewayRoles(spokenDialects(config), await exportedBy(client, signal)),
      );
      terminal.out(rbacText([side], () => 'What the gateway needs on the provider.'));
      return lacksNothing([side]) ? 0 : 1;
    });
}
