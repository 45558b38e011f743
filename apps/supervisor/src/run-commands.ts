import { backendFlags, backendFlagsToConfig } from './backend-flags.js';
import {
  type CommandDescription,
  helpOf,
  readConfigFile,
  ConfigError,
  parseConfig,
  type Flag,
  type ParsedFlags,
  listOf,
  parseFlags,
  type ConfigInput,
} from '@hawser/config';
import type { Command } from './command.js';
import { controlPlaneFlags, controlPlaneMode, konnectorFlags, konnectorFlagsToConfig } from './konnector-flags.js';
import { kbindFlags, kbindFlagsToConfig } from './kbind-flags.js';
import { portalNotices } from './portal-flags.js';
import { syncagentFlags, syncagentFlagsToConfig } from './syncagent-flags.js';

/** Further flags of `hawser run`. */
const runFlags: readonly Flag[] = [
  {
    name: 'roles',
    kind: 'string',
    help: 'comma-separated: konnector, provider, gateway, syncagent',
    default: 'konnector',
  },
  { name: 'config', kind: 'string', help: 'YAML or JSON file with everything that can be set; flags win over it' },
  {
    name: 'allowed-groups',
    kind: 'string',
    help: 'comma-separated API groups in which providers may install CRDs: example.com, *.example.com, or *, all but those of Kubernetes and kcp',
    default: '*',
  },
  {
    name: 'dialect',
    kind: 'string',
    help: 'in which words the konnector speaks with consumer and providers: kube-bind, or klutch',
    default: 'kube-bind',
  },
  {
    name: 'orphan-policy',
    kind: 'string',
    help: 'what becomes of copies whose consumer object is missing: Keep, or Delete once that is proven',
    default: 'Keep',
  },
  {
    name: 'shards',
    kind: 'string',
    help: 'how many konnectors share the work: 1 has one work and the others stand by; with more, each serves its share',
    default: '1',
  },
  {
    name: 'profiling',
    kind: 'boolean',
    help: 'serve /debug/profile and /debug/heap beside /metrics',
    default: 'false',
  },
  { name: 'provider-kubeconfig', kind: 'string', help: 'kubeconfig of the provider, for the provider role' },
  { name: 'provider-context', kind: 'string', help: 'context of the provider kubeconfig' },
  {
    name: 'provider-dialects',
    kind: 'string',
    help: 'comma-separated: kube-bind, klutch; what the provider role speaks',
    default: 'kube-bind',
  },
  {
    name: 'provider-request-admission',
    kind: 'string',
    help: 'what consumers may bind: Template (what a template offers them) or Exported (every CRD labelled kube-bind.io/exported=true)',
    default: 'Template',
  },
  {
    name: 'shared-cluster-scope',
    kind: 'boolean',
    help: 'let consumers list and watch, in the whole cluster of the provider, what konnectors cannot watch otherwise: cluster-scoped resources, and all under isolation Namespaced',
    default: 'false',
  },
  ...konnectorFlags,
];

const run: CommandDescription = {
  name: 'run',
  about: `Runs one or more roles of Hawser until it is told to stop. Use it for a new installation: it has everything that can be set, by flags and by a config file.

  konnector   on the consumer: keeps the objects of bound APIs in step
  provider    on the provider: takes consumers on and gives them their exports
  syncagent   on a service cluster: publishes its APIs in kcp; agents are listed in the config file

Exit codes: 0 stopped in order, 1 could not start or stop, 2 wrong usage.`,
  usage: ['hawser run [flags]'],
  examples: [
    {
      purpose: 'a konnector, with the kubeconfig of the consumer',
      line: 'hawser run --kubeconfig consumer.kubeconfig',
    },
    {
      purpose: 'the provider role, with the kubeconfig of the provider',
      line: 'hawser run --roles provider --provider-kubeconfig provider.kubeconfig',
    },
    { purpose: 'everything from a file', line: 'hawser run --config hawser.yaml' },
  ],
  flags: runFlags,
};

const konnector: CommandDescription = {
  name: 'konnector',
  about: `Runs a konnector in place of the Go konnector of kube-bind (or of Klutch), with exactly its flags. hawser-konnector is the same. For a new installation use hawser run.

Exit codes: 0 stopped in order, 1 could not start or stop, 2 wrong usage.`,
  usage: ['hawser konnector [flags]', 'hawser-konnector [flags]'],
  examples: [
    {
      purpose: 'as the Deployment of the Go konnector calls it',
      line: 'hawser-konnector --lease-namespace=kube-bind --server-address=:8090',
    },
    { purpose: 'from outside of the cluster', line: 'hawser konnector --kubeconfig consumer.kubeconfig -v 4' },
  ],
  flags: [...konnectorFlags, ...controlPlaneFlags],
};

const syncagent: CommandDescription = {
  name: 'syncagent',
  about: `Runs one agent in place of the Go api-syncagent of kcp, with its flags. hawser-syncagent is the same. For several agents in one process use hawser run --roles syncagent --config FILE.

Exit codes: 0 stopped in order, 1 could not start or stop, 2 wrong usage.`,
  usage: ['hawser syncagent [flags]', 'hawser-syncagent [flags]'],
  examples: [
    {
      purpose: 'publish an API of the service cluster in a workspace of kcp',
      line: 'hawser syncagent --kubeconfig service.kubeconfig --kcp-kubeconfig kcp.kubeconfig --namespace agents --apiexportendpointslice-ref databases.example.com',
    },
    {
      purpose: 'only some PublishedResources',
      line: 'hawser-syncagent --namespace agents --kcp-kubeconfig kcp.kubeconfig --apiexportendpointslice-ref databases.example.com --published-resource-selector team=databases',
    },
  ],
  flags: syncagentFlags,
};

const kbind: CommandDescription = {
  name: 'kbind',
  about: `Serves core.kbind.io alone, in place of the Go konnector of kbind, with its flags. hawser-kbind is the same. For a new installation use hawser run with konnector.coreKbind in the config file.

Exit codes: 0 stopped in order, 1 could not start or stop, 2 wrong usage.`,
  usage: ['hawser kbind [flags]', 'hawser-kbind [flags]'],
  examples: [
    {
      purpose: 'as the Deployment of the Go konnector calls it',
      line: 'hawser-kbind --metrics-bind-address=:8085 --health-probe-bind-address=:8081 --leader-elect=true',
    },
    {
      purpose: 'from outside of the cluster',
      line: 'hawser kbind --kubeconfig consumer.kubeconfig --zap-log-level debug',
    },
  ],
  flags: kbindFlags,
};

const backend: CommandDescription = {
  name: 'backend',
  about: `Runs the provider role in place of the Go backend of kube-bind, with its flags as far as they concern controllers. hawser-backend is the same. For a new installation use
hawser run --roles provider.

Exit codes: 0 stopped in order, 1 could not start or stop, 2 wrong usage.`,
  usage: ['hawser backend [flags]', 'hawser-backend [flags]'],
  examples: [
    {
      purpose: 'as the Deployment of the Go backend calls it, without its web part',
      line: 'hawser-backend --frontend-disabled --listen-address=:8080',
    },
    {
      purpose: 'from outside of the cluster',
      line: 'hawser backend --frontend-disabled --kubeconfig provider.kubeconfig',
    },
  ],
  flags: backendFlags,
};

/** Commands that run until they are stopped. */
export const runCommands: readonly CommandDescription[] = [run, konnector, kbind, syncagent, backend];

/**
 * Parses long-running commands; undefined for any other. Kept apart from one-shot commands, whose code a role must not
 * load.
 * @throws ConfigError in one line.
 */
export function readRunCommand([verb, ...rest]: readonly string[], version: string): Command | undefined {
  switch (verb) {
    case 'run':
      return readRun(rest, version);
    case 'konnector':
      return readKonnectorCommand(rest, version);
    case 'kbind':
      return readKbindCommand(rest, version);
    case 'syncagent':
      return readSyncagentCommand(rest, version);
    case 'backend':
      return readBackendCommand(rest, version);
    case undefined:
    default:
      return undefined;
  }
}

/**
 * Parses the command line of `hawser-konnector`: flags of the Go konnector and of Klutch's control plane mode, no
 * others.
 * @throws ConfigError in one line.
 */
export function readKonnectorCommand(args: readonly string[], version: string): Command {
  return readDropIn(konnector, args, version, (flags) => {
    const config = konnectorFlagsToConfig(flags);
    // In place of the Go konnector, schema changes arrive as before; annotations of the bindings limit them.
    const settings = { schemaUpdate: 'Always', ...(config['konnector'] as ConfigInput) };
    const mode = controlPlaneMode(flags);
    if (mode === undefined) return { ...config, konnector: settings, roles: ['konnector'] };
    // Klutch's konnector serves /healthz on this port, which its Deployment probes.
    return {
      serverAddress: ':8080',
      ...config,
      konnector: { ...settings, dialect: 'klutch', controlPlaneMode: mode },
      roles: ['konnector'],
    };
  });
}

/**
 * Parses the command line of `hawser-syncagent`: flags of the Go agent.
 * @throws ConfigError with one line per mistake.
 */
export function readSyncagentCommand(args: readonly string[], version: string): Command {
  return readDropIn(syncagent, args, version, syncagentFlagsToConfig);
}

/**
 * Parses the command line of `hawser-kbind`: flags of the Go konnector of kbind.
 * @throws ConfigError in one line.
 */
export function readKbindCommand(args: readonly string[], version: string): Command {
  return readDropIn(kbind, args, version, kbindFlagsToConfig);
}

/**
 * Parses the command line of `hawser-backend`: flags of the Go backend.
 * @throws ConfigError with one line per mistake.
 */
export function readBackendCommand(args: readonly string[], version: string): Command {
  return readDropIn(backend, args, version, backendFlagsToConfig, portalNotices);
}

function readDropIn(
  description: CommandDescription,
  args: readonly string[],
  version: string,
  toConfig: (flags: ParsedFlags) => ConfigInput,
  noticesOf: (flags: ParsedFlags) => readonly string[] = () => [],
): Command {
  const flags = parseFlags(args, description.flags);
  if (flags.values.get('help') === 'true') return { kind: 'print', text: helpOf(description) };
  if (flags.values.get('version') === 'true') return { kind: 'print', text: version };
  if (flags.positional[0] !== undefined) throw new ConfigError(`unexpected argument: ${flags.positional[0]}`);
  const notices = noticesOf(flags);
  const config = parseConfig(toConfig(flags), 'flags');
  return { kind: 'run', config, ...(notices.length === 0 ? {} : { notices }) };
}

function readRun(args: readonly string[], version: string): Command {
  const flags = parseFlags(args, runFlags);
  const { values } = flags;
  if (values.get('help') === 'true') return { kind: 'print', text: helpOf(run) };
  if (values.get('version') === 'true') return { kind: 'print', text: version };
  if (flags.positional[0] !== undefined) throw new ConfigError(`unexpected argument: ${flags.positional[0]}`);
  const file = values.get('config');
  // Checks the file on its own first, which attributes a mistake in it to the file.
  const fromFile = file === undefined ? {} : readConfigFile(file);
  if (file !== undefined) parseConfig(fromFile, file);
  const provider: ConfigInput = {};
  const providerKubeconfig = values.get('provider-kubeconfig');
  const providerContext = values.get('provider-context');
  if (providerKubeconfig !== undefined) provider['kubeconfig'] = providerKubeconfig;
  if (providerContext !== undefined) provider['context'] = providerContext;
  const sharedClusterScope = values.get('shared-cluster-scope');
  // Each role's Lease has its own name; both are in the namespace of the process.
  const leaseNamespace = values.get('lease-namespace');
  if (leaseNamespace !== undefined) provider['lease'] = { namespace: leaseNamespace };
  if (sharedClusterScope !== undefined) provider['sharedClusterScope'] = sharedClusterScope === 'true';
  const dialects = values.get('provider-dialects');
  if (dialects !== undefined) provider['dialects'] = dialects.split(',').map((dialect) => dialect.trim());
  const requestAdmission = values.get('provider-request-admission');
  if (requestAdmission !== undefined) provider['requestAdmission'] = requestAdmission;
  const roles = values.get('roles');
  const ofKonnector = konnectorFlagsToConfig(flags);
  const groups = values.get('allowed-groups');
  const orphans = values.get('orphan-policy');
  const dialect = values.get('dialect');
  const shards = values.get('shards');
  const konnector: ConfigInput = {
    ...(ofKonnector['konnector'] as ConfigInput),
    ...(dialect === undefined ? {} : { dialect }),
    ...(orphans === undefined ? {} : { orphans: { policy: orphans } }),
    ...(shards === undefined ? {} : { shards: /^\d+$/u.test(shards) ? Number(shards) : shards }),
    ...(groups === undefined ? {} : { allowedGroups: listOf(groups) }),
  };
  const profiling = values.get('profiling');
  const fromFlags: ConfigInput = {
    ...ofKonnector,
    ...(profiling === undefined ? {} : { profiling: profiling === 'true' }),
    konnector,
    provider,
    ...(roles === undefined ? {} : { roles: roles.split(',').map((role) => role.trim()) }),
  };
  return { kind: 'run', config: parseConfig(merge(fromFile, fromFlags), 'flags') };
}

function merge(base: ConfigInput, over: ConfigInput): ConfigInput {
  const merged = new Map<string, unknown>(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const known = merged.get(key);
    merged.set(key, isMapping(known) && isMapping(value) ? merge(known, value) : value);
  }
  return Object.fromEntries(merged);
}

function isMapping(value: unknown): value is ConfigInput {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
