import { systemClock } from '@hawser/clock';
import { noMetrics, silentLogger } from '@hawser/telemetry';

import {
  readConfigFile,
  type Config,
  ConfigError,
  parseConfig,
  type Flag,
  type ParsedFlags,
  helpFlag,
} from '@hawser/config';
import { type ProcessContext, reportedVersion, type Terminal } from '@hawser/commands';
import { type AgentConfig, agentNameOf } from '../running-agent.js';

/**
 * Flags of every command about agents: a config file with any number of them, or one agent described by flags as
 * `hawser-syncagent` takes them.
 */
export const agentFlags: readonly Flag[] = [
  { name: 'config', kind: 'string', help: 'config file with the agents; else one is described by the flags below' },
  {
    name: 'kubeconfig',
    kind: 'string',
    help: 'kubeconfig of the service cluster; empty: KUBECONFIG, the home file, or the cluster that this runs in',
  },
  { name: 'context', kind: 'string', help: 'context of the kubeconfig' },
  {
    name: 'kcp-kubeconfig',
    kind: 'string',
    help: 'kubeconfig of kcp; its server is the workspace of the endpoint slice',
  },
  { name: 'apiexportendpointslice-ref', kind: 'string', help: 'name of the APIExportEndpointSlice' },
  {
    name: 'agent-namespace',
    kind: 'string',
    help: 'namespace of the agent on the service cluster: --namespace of hawser-syncagent',
  },
  {
    name: 'agent-name',
    kind: 'string',
    help: 'name of the agent (default <endpoint slice>-syncagent); with --config: look only at this one',
  },
  {
    name: 'published-resource-selector',
    kind: 'string',
    help: 'label selector of the PublishedResources that the agent serves',
  },
  {
    name: 'adoption',
    kind: 'string',
    help: 'what to do with an unmarked object in the place of a copy: Adopt, Overwrite or Refuse',
    default: 'Adopt',
  },
  helpFlag,
];

/**
 * Flag for the role of a command; {@link roleOf} reads it, since other roles have other flags. The first is the
 * default.
 */
export function rolesFlag(preset: string, ...others: readonly string[]): Flag {
  return {
    name: 'roles',
    kind: 'string',
    help: `of which role this speaks: ${preset} or ${others.join(', ')}, which has flags of its own (add --roles ROLE to --help)`,
    default: preset,
  };
}

/** A selected agent. */
export interface SelectedAgent {
  readonly config: Config['syncagent'];
  readonly agent: AgentConfig;
  readonly context: ProcessContext;
}

/** Runs `work` for each selected agent in turn. */
export async function forAgents<T>(
  parsed: ParsedFlags,
  { env }: Terminal,
  work: (agent: SelectedAgent) => Promise<T>,
): Promise<readonly T[]> {
  const { syncagent: config } = configOf(parsed);
  const wanted = parsed.values.get('config') === undefined ? undefined : parsed.values.get('agent-name');
  const agents = config.agents.filter((agent) => wanted === undefined || agentNameOf(agent) === wanted);
  if (agents.length === 0)
    throw new ConfigError(
      wanted === undefined ? 'the config file has no agents' : `the config file has no agent ${wanted}`,
    );
  const context: ProcessContext = {
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    metrics: noMetrics,
    version: reportedVersion(),
    env,
  };
  const results: T[] = [];
  for (const agent of agents) results.push(await work({ config, agent, context }));
  return results;
}

const DESCRIBING = [
  'kcp-kubeconfig',
  'apiexportendpointslice-ref',
  'agent-namespace',
  'published-resource-selector',
  'adoption',
] as const;

function configOf({ values }: ParsedFlags): Config {
  const file = values.get('config');
  const given = DESCRIBING.filter((name) => values.has(name));
  if (file !== undefined) {
    if (given[0] !== undefined) throw new ConfigError(`--${given[0]}: the config file says it`);
    const fromFile = readConfigFile(file);
    const { syncagent } = parseConfig(fromFile, file);
    const over = {
      ...(values.has('kubeconfig') ? { kubeconfig: values.get('kubeconfig') } : {}),
      ...(values.has('context') ? { context: values.get('context') } : {}),
    };
    return parseConfig({ roles: ['syncagent'], syncagent: { ...syncagent, ...over } }, file);
  }
  const missing = ['kcp-kubeconfig', 'apiexportendpointslice-ref', 'agent-namespace'].filter(
    (name) => (values.get(name) ?? '') === '',
  );
  if (missing.length > 0)
    throw new ConfigError(missing.map((name) => `--${name}: is required, or --config`).join('\n'));
  const agentName = values.get('agent-name');
  return parseConfig(
    {
      roles: ['syncagent'],
      syncagent: {
        kubeconfig: values.get('kubeconfig') ?? '',
        context: values.get('context') ?? '',
        agents: [
          {
            kcpKubeconfig: values.get('kcp-kubeconfig'),
            endpointSlice: values.get('apiexportendpointslice-ref'),
            namespace: values.get('agent-namespace'),
            ...(agentName === undefined ? {} : { agentName }),
            publishedResourceSelector: values.get('published-resource-selector') ?? '',
            adoption: values.get('adoption') ?? 'Adopt',
          },
        ],
      },
    },
    'flags',
  );
}

/**
 * Splits the role (one of `known`) from the other arguments: `--roles` may stand anywhere.
 * @throws ConfigError for another role
 */
export function roleOf<T extends string>(
  args: readonly string[],
  known: readonly T[],
): { readonly role: T | 'konnector'; readonly rest: readonly string[] } {
  const at = args.findIndex((arg) => arg === '--roles' || arg.startsWith('--roles='));
  if (at === -1) return { role: 'konnector', rest: args };
  const attached = args[at]?.startsWith('--roles=') === true ? args[at].slice('--roles='.length) : undefined;
  const value = attached ?? args[at + 1];
  const role = known.find((one) => one === value);
  if (role === undefined)
    throw new ConfigError(
      `--roles: must be ${known.slice(0, -1).join(', ')} or ${known.at(-1) ?? ''}, not "${value ?? ''}"`,
    );
  return { role, rest: args.toSpliced(at, attached === undefined ? 2 : 1) };
}
