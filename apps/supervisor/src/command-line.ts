import { readBind } from './commands/bind.js';
import { readBindings } from './commands/bindings.js';
import { readDoctor } from './commands/doctor.js';
import { readHandback } from './commands/handback.js';
import { readPlan } from './commands/plan.js';
import { readPubres } from './commands/pubres.js';
import { readRbac } from './commands/rbac.js';
import type { Task } from './commands/task.js';
import { readTree } from './commands/tree.js';
import { readUnbind } from './commands/unbind.js';
import { readUninstall } from './commands/uninstall.js';
import { readWhy } from './commands/why.js';
import { readConfigFile } from './config-file.js';
import { type Config, ConfigError, parseConfig } from './config.js';
import { type Flag, type ParsedFlags, flagHelp, parseFlags } from './flags.js';
import { type ConfigInput, konnectorFlags, konnectorFlagsToConfig } from './konnector-flags.js';
import { syncagentFlags, syncagentFlagsToConfig } from './syncagent-flags.js';

/** What a command line asks for. */
export type Command =
  | { readonly kind: 'run'; readonly config: Config }
  | { readonly kind: 'print'; readonly text: string }
  /** Runs once, and ends. */
  | { readonly kind: 'task'; readonly task: Task };

/** Further flags of `hawser run`. */
const runFlags: readonly Flag[] = [
  { name: 'roles', kind: 'string', help: 'comma-separated: konnector, provider, syncagent', default: 'konnector' },
  { name: 'config', kind: 'string', help: 'YAML or JSON file with everything that can be set; flags win over it' },
  { name: 'allowed-groups', kind: 'string', help: 'comma-separated API groups in which providers may install CRDs: example.com, *.example.com, or *, all but those of Kubernetes and kcp', default: '*' },
  { name: 'orphan-policy', kind: 'string', help: 'what becomes of copies whose consumer object is missing: Keep, or Delete once that is proven', default: 'Keep' },
  { name: 'profiling', kind: 'boolean', help: 'serve /debug/profile and /debug/heap beside /metrics', default: 'false' },
  { name: 'provider-kubeconfig', kind: 'string', help: 'kubeconfig of the provider, for the provider role' },
  { name: 'provider-context', kind: 'string', help: 'context of the provider kubeconfig' },
  { name: 'shared-cluster-scope', kind: 'boolean', help: 'let consumers list and watch, in the whole cluster of the provider, what konnectors cannot watch otherwise: cluster-scoped resources, and all under isolation Namespaced', default: 'false' },
  ...konnectorFlags,
];

const USAGE = `hawser binds the APIs of one Kubernetes cluster to another and keeps the objects in step.

Usage:
  hawser run [flags]
  hawser konnector [flags]   takes exactly the flags of the Go konnector; so does hawser-konnector
  hawser syncagent [flags]   takes the flags of the Go agent; so does hawser-syncagent
  hawser bind [flags]        binds APIs of a provider: asks for them, stores the kubeconfig, makes the binding
  hawser unbind NAME         lets go of a binding under its policy
  hawser bindings [flags]    lists bindings, or with --side=provider consumers, with health and what is held
  hawser doctor [flags]      looks at everything that bindings rest on, and says who must act
  hawser plan [flags]        prints what a konnector would write
  hawser why KIND NAME       says what holds an object, since when, and who must act; why --all lists everything
  hawser tree [flags]        draws connections, bindings, exports, resources and claims with their health
  hawser rbac [flags]        prints the rights that are needed, and how they differ from what is there
                             plan, why and rbac speak of agents with --roles syncagent
  hawser pubres crd FILE     prints the CRD or the APIResourceSchema that a PublishedResource makes
  hawser uninstall [flags]   takes everything of kube-bind off a consumer cluster, and proves it
  hawser handback [flags]    removes what a Go konnector would not understand
  hawser version

Flags of run:
`;

/** Reads the command line of `hawser`. @throws ConfigError in one line. */
export function readCommand(args: readonly string[], version: string): Command {
  const [verb, ...rest] = args;
  switch (verb) {
    case 'run':
      return readRun(rest, version);
    case 'konnector':
      return readKonnectorCommand(rest, version);
    case 'syncagent':
      return readSyncagentCommand(rest, version);
    case 'bind':
      return asCommand(readBind(rest));
    case 'unbind':
      return asCommand(readUnbind(rest));
    case 'bindings':
      return asCommand(readBindings(rest));
    case 'doctor':
      return asCommand(readDoctor(rest));
    case 'plan':
      return asCommand(readPlan(rest));
    case 'why':
      return asCommand(readWhy(rest));
    case 'tree':
      return asCommand(readTree(rest));
    case 'rbac':
      return asCommand(readRbac(rest));
    case 'pubres':
      return asCommand(readPubres(rest, version));
    case 'uninstall':
      return asCommand(readUninstall(rest));
    case 'handback':
      return asCommand(readHandback(rest));
    case 'version':
    case '--version':
      return { kind: 'print', text: version };
    case undefined:
    case 'help':
    case '--help':
    case '-h':
      return { kind: 'print', text: USAGE + flagHelp(runFlags) };
    default:
      throw new ConfigError(`unknown command: ${verb}; see hawser --help`);
  }
}

/** A command that runs once, or its help. */
function asCommand(read: Task | string): Command {
  return typeof read === 'string' ? { kind: 'print', text: read } : { kind: 'task', task: read };
}

/** Reads the command line of `hawser-konnector`: the Go konnector's flags, and no others. @throws ConfigError in one line. */
export function readKonnectorCommand(args: readonly string[], version: string): Command {
  return readDropIn('hawser-konnector', konnectorFlags, args, version, (flags) => {
    const config = konnectorFlagsToConfig(flags);
    // In the Go konnector's place changes of schemas are to arrive as they did; annotations of the bindings restrain them.
    return { ...config, konnector: { schemaUpdate: 'Always', ...(config['konnector'] as ConfigInput) }, roles: ['konnector'] };
  });
}

/** Reads the command line of `hawser-syncagent`: the Go agent's flags. @throws ConfigError with a line for each mistake. */
export function readSyncagentCommand(args: readonly string[], version: string): Command {
  return readDropIn('hawser-syncagent', syncagentFlags, args, version, syncagentFlagsToConfig);
}

function readDropIn(name: string, known: readonly Flag[], args: readonly string[], version: string, toConfig: (flags: ParsedFlags) => ConfigInput): Command {
  const flags = parseFlags(args, known);
  if (flags.values.get('help') === 'true') return { kind: 'print', text: `Usage:\n  ${name} [flags]\n\nFlags:\n${flagHelp(known)}` };
  if (flags.values.get('version') === 'true') return { kind: 'print', text: version };
  if (flags.positional[0] !== undefined) throw new ConfigError(`unexpected argument: ${flags.positional[0]}`);
  return { kind: 'run', config: parseConfig(toConfig(flags), 'flags') };
}

function readRun(args: readonly string[], version: string): Command {
  const flags = parseFlags(args, runFlags);
  const { values } = flags;
  if (values.get('help') === 'true') return { kind: 'print', text: USAGE + flagHelp(runFlags) };
  if (values.get('version') === 'true') return { kind: 'print', text: version };
  if (flags.positional[0] !== undefined) throw new ConfigError(`unexpected argument: ${flags.positional[0]}`);
  const file = values.get('config');
  // The file is checked by itself first, so that a mistake in it is said to be there.
  const fromFile = file === undefined ? {} : readConfigFile(file);
  if (file !== undefined) parseConfig(fromFile, file);
  const provider: ConfigInput = {};
  const providerKubeconfig = values.get('provider-kubeconfig');
  const providerContext = values.get('provider-context');
  if (providerKubeconfig !== undefined) provider['kubeconfig'] = providerKubeconfig;
  if (providerContext !== undefined) provider['context'] = providerContext;
  const sharedClusterScope = values.get('shared-cluster-scope');
  if (sharedClusterScope !== undefined) provider['sharedClusterScope'] = sharedClusterScope === 'true';
  const roles = values.get('roles');
  const ofKonnector = konnectorFlagsToConfig(flags);
  const groups = values.get('allowed-groups');
  const orphans = values.get('orphan-policy');
  const konnector: ConfigInput = { ...(ofKonnector['konnector'] as ConfigInput), ...(orphans === undefined ? {} : { orphans: { policy: orphans } }), ...(groups === undefined ? {} : { allowedGroups: groups.split(',').map((group) => group.trim()).filter((group) => group !== '') }) };
  const profiling = values.get('profiling');
  const fromFlags: ConfigInput = { ...ofKonnector, ...(profiling === undefined ? {} : { profiling: profiling === 'true' }), konnector, provider, ...(roles === undefined ? {} : { roles: roles.split(',').map((role) => role.trim()) }) };
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
