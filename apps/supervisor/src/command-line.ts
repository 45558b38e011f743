import { readFileSync } from 'node:fs';

import { parse } from 'yaml';

import { type Config, ConfigError, parseConfig } from './config.js';
import { type Flag, flagHelp, parseFlags } from './flags.js';
import { type ConfigInput, konnectorFlags, konnectorFlagsToConfig } from './konnector-flags.js';

/** What a command line asks for. */
export type Command =
  | { readonly kind: 'run'; readonly config: Config }
  | { readonly kind: 'print'; readonly text: string };

/** Further flags of `hawser run`. */
const runFlags: readonly Flag[] = [
  { name: 'roles', kind: 'string', help: 'comma-separated: konnector, provider', default: 'konnector' },
  { name: 'config', kind: 'string', help: 'YAML or JSON file with everything that can be set; flags win over it' },
  { name: 'provider-kubeconfig', kind: 'string', help: 'kubeconfig of the provider, for the provider role' },
  { name: 'provider-context', kind: 'string', help: 'context of the provider kubeconfig' },
  ...konnectorFlags,
];

const USAGE = `hawser binds the APIs of one Kubernetes cluster to another and keeps the objects in step.

Usage:
  hawser run [flags]
  hawser konnector [flags]   takes exactly the flags of the Go konnector; so does hawser-konnector
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

/** Reads the command line of `hawser-konnector`: the Go konnector's flags, and no others. @throws ConfigError in one line. */
export function readKonnectorCommand(args: readonly string[], version: string): Command {
  const flags = parseFlags(args, konnectorFlags);
  if (flags.values.get('help') === 'true') return { kind: 'print', text: `Usage:\n  hawser-konnector [flags]\n\nFlags:\n${flagHelp(konnectorFlags)}` };
  if (flags.values.get('version') === 'true') return { kind: 'print', text: version };
  if (flags.positional[0] !== undefined) throw new ConfigError(`unexpected argument: ${flags.positional[0]}`);
  return { kind: 'run', config: parseConfig({ ...konnectorFlagsToConfig(flags), roles: ['konnector'] }, 'flags') };
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
  const roles = values.get('roles');
  const fromFlags: ConfigInput = { ...konnectorFlagsToConfig(flags), provider, ...(roles === undefined ? {} : { roles: roles.split(',').map((role) => role.trim()) }) };
  return { kind: 'run', config: parseConfig(merge(fromFile, fromFlags), 'flags') };
}

function readConfigFile(file: string): ConfigInput {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file}: cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`);
  }
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 50 });
  } catch (error) {
    throw new ConfigError(`${file}: is not YAML: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''}`);
  }
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new ConfigError(`${file}: must be a mapping`);
  return value as ConfigInput;
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
