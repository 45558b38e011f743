import { createClient, createHosts } from '@hawser/client';
import { lacksNothing } from '@hawser/preview';
import { type Agent, locateExport } from '@hawser/publication';
import { discoverCRD } from '@hawser/apiresourceschema';
import { type ExplainedRights, explainAgentRights } from '@hawser/syncagent-explain';

import { kcpConnection, serviceConnection } from '../agent-connections.js';
import type { CommandDescription, Flag } from '@hawser/config';
import { agentNameOf } from '../running-agent.js';
import { type SelectedAgent, agentFlags, forAgents } from './agent-command.js';
import { readExplainFlags, readAccount, serviceAccountFlag, type Task } from '@hawser/commands';
import { agentPolicies, policiesText } from './own-policies.js';

const ABOUT = `Prints the rights that an agent needs on the service cluster, as its PublishedResources have it, and in kcp, as Roles and ClusterRoles that kubectl takes, and how
that differs from what is there: of the agent's ServiceAccount, or of the users of the kubeconfigs. 0: nothing is missing. With --service-account it also prints the admission policy that keeps the agent from becoming another user.`;

const flags: readonly Flag[] = [
  ...agentFlags,
  serviceAccountFlag('the agent on the service cluster'),
  {
    name: 'remove-namespaces',
    kind: 'boolean',
    help: 'with what it needs to remove namespaces that it made: the right to list everything',
    default: 'false',
  },
];

/** Help text of the command. */
export const agentRbacCommand: CommandDescription = {
  name: 'rbac',
  about: ABOUT,
  usage: ['hawser rbac --roles syncagent [flags]'],
  examples: [
    {
      purpose: 'what the agents of a config file need, and what is missing',
      line: 'hawser rbac --roles syncagent --config agents.yaml',
    },
    {
      purpose: 'of the ServiceAccount that the agent runs with',
      line: 'hawser rbac --roles syncagent --config agents.yaml --service-account agents/hawser-syncagent',
    },
  ],
  flags,
};

/** Reads the flags of `hawser rbac --roles syncagent`. */
export function readAgentRbac(args: readonly string[]): Task | string {
  const parsed = readExplainFlags(agentRbacCommand, 0, args);
  if (typeof parsed === 'string') return parsed;
  const given = parsed.values.get('service-account');
  const serviceAccount = given === undefined ? undefined : readAccount(given);
  const removeNamespaces = parsed.values.get('remove-namespaces') === 'true';
  return async (terminal) => {
    const rights = await forAgents(parsed, terminal, (selected) =>
      rightsOf(selected, { serviceAccount, removeNamespaces, signal: terminal.signal }),
    );
    const texts = rights.map(({ text }) => text);
    const policies =
      serviceAccount === undefined
        ? []
        : [
            policiesText(
              agentPolicies({ namespace: serviceAccount.namespace, serviceAccount: serviceAccount.name }),
              'What keeps the agent from becoming another user of the service cluster. RBAC cannot say it.',
            ),
          ];
    terminal.out([...texts, ...policies].join('\n---\n'));
    return rights.every(({ sides, unknown }) => unknown.length === 0 && lacksNothing(sides)) ? 0 : 1;
  };
}

async function rightsOf(
  { config, agent, context }: SelectedAgent,
  {
    signal,
    ...options
  }: {
    readonly serviceAccount: ReturnType<typeof readAccount> | undefined;
    readonly removeNamespaces: boolean;
    readonly signal: AbortSignal;
  },
): Promise<ExplainedRights> {
  const { clock, random, version } = context;
  const [connection, kcp] = await Promise.all([
    serviceConnection(config, context),
    kcpConnection(agent.kcpKubeconfig, context),
  ]);
  const userAgent = `hawser-explain/${version}`;
  const service = createClient({ name: 'service', connection, clock, random, userAgent });
  const hosts = createHosts({ name: 'kcp', connection: kcp, clock, random, userAgent });
  try {
    const location = await locateExport(hosts, kcp().server, agent.endpointSlice, signal);
    const about: Agent = {
      name: agentNameOf(agent),
      exportName: location.exportName,
      namespace: agent.namespace,
      selector: agent.publishedResourceSelector,
    };
    return await explainAgentRights(
      {
        agent: about,
        endpointSlice: agent.endpointSlice,
        location,
        service,
        discover: (source, aborted) => discoverCRD(service, source, { signal: aborted }),
        ...options,
      },
      signal,
    );
  } finally {
    await Promise.all([service.close(), hosts.close()]);
  }
}
