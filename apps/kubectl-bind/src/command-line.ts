import {
  type Task,
  bindingsCommand,
  doctorCommand,
  konnectorPlanCommand,
  konnectorWhyCommand,
  readBindings,
  readDoctor,
  readKonnectorPlan,
  readKonnectorWhy,
  readTree,
  readUnbind,
  treeCommand,
  unbindCommand,
} from '@hawser/commands';
import { type CommandDescription, ConfigError, unknownWord } from '@hawser/config';
import { apiserviceCommand, deployCommand, readApiservice, readDeploy } from './apiservice.js';
import { identityCommand, readIdentity } from './cluster-identity.js';
import { readUpgrade, upgradeCommand } from './konnector.js';
import { loginCommand, logoutCommand, readLogin, readLogout, readServers, serversCommand } from './login.js';
import { pagesCommand, readPages } from './pages.js';
import { readRotate, rotateCommand } from './rotate.js';
import { collectionsCommand, readCollections, readTemplates, templatesCommand } from './templates.js';

/** A command of `kubectl bind`. */
export interface BindCommand {
  /** Short description. */
  readonly purpose: string;
  readonly description: CommandDescription;
  /**
   * A text result is printed.
   * @throws ConfigError for wrong usage
   */
  readonly read: (args: readonly string[]) => Task | string;
}

/** A command that `hawser` has too, with its help. */
function shared(
  purpose: string,
  description: CommandDescription,
  read: BindCommand['read'],
  name: string = description.name,
): BindCommand {
  const ours = (text: string): string => inOurWords(text).replaceAll('kubectl bind list', `kubectl bind ${name}`);
  return {
    purpose,
    description: {
      ...description,
      name,
      about: ours(description.about),
      usage: description.usage.map(ours),
      examples: description.examples.map(({ purpose: what, line }) => ({ purpose: what, line: ours(line) })),
    },
    read: (args) => {
      const task = read(args);
      return typeof task === 'string' ? ours(task) : task;
    },
  };
}

/** Commands have the same names in both programs, except `list`. */
export function inOurWords(text: string): string {
  return text
    .replaceAll(/\bhawser bindings\b/gu, 'kubectl bind list')
    .replaceAll(/\bhawser (unbind|why|plan|tree|doctor)\b/gu, 'kubectl bind $1')
    .replaceAll(/\bhawser bind\b/gu, 'kubectl bind apiservice');
}

/** Every command, in the order of the help. */
export const commands: readonly BindCommand[] = [
  { purpose: 'sign in at a portal', description: loginCommand, read: readLogin },
  { purpose: 'end a login', description: logoutCommand, read: readLogout },
  { purpose: 'list logins', description: serversCommand, read: readServers },
  { purpose: 'list what you may bind', description: templatesCommand, read: readTemplates },
  { purpose: 'list templates that belong together', description: collectionsCommand, read: readCollections },
  { purpose: 'choose on the pages of a portal; the same as no command', description: pagesCommand, read: readPages },
  { purpose: 'bind from the terminal, by a template or a file', description: apiserviceCommand, read: readApiservice },
  { purpose: 'bring what a provider has answered to this cluster', description: deployCommand, read: readDeploy },
  { purpose: 'install the konnector, or have it run another image', description: upgradeCommand, read: readUpgrade },
  { purpose: 'have the provider replace the credential', description: rotateCommand, read: readRotate },
  { purpose: 'print who this cluster is for a provider', description: identityCommand, read: readIdentity },
  shared('list what is bound, and whether it is in step', bindingsCommand, readBindings, 'list'),
  shared('the same', bindingsCommand, readBindings, 'status'),
  shared('why is this object not in step, and who must act?', konnectorWhyCommand, readKonnectorWhy),
  shared('print what a konnector would write', konnectorPlanCommand, readKonnectorPlan),
  shared('draw connections, bindings, resources and claims', treeCommand, readTree),
  shared('check everything that bindings need', doctorCommand, readDoctor),
  shared('end a binding under its policy', unbindCommand, readUnbind),
];

/** Reads the command line of `kubectl bind`. @throws ConfigError in one line */
export function readCommand(args: readonly string[], version: string): Task | string {
  const [verb, ...rest] = args;
  switch (verb) {
    case 'version':
    case '--version':
      return version;
    case 'help':
      return rest.length === 0 ? usage() : readCommand([...rest, '--help'], version);
    case '--help':
    case '-h':
      return usage();
    case '__complete':
      return completion(rest);
    case undefined:
      return readPages([]);
    default: {
      const command = commands.find(({ description: { name } }) => name === verb);
      if (command !== undefined) return command.read(rest);
      if (verb.startsWith('-') || verb.includes('://')) return readPages(args);
      throw new ConfigError(
        unknownWord(
          `unknown command: ${verb}`,
          verb,
          commands.map(({ description: { name } }) => name),
          'kubectl bind',
        ),
      );
    }
  }
}

/**
 * Completions for a command line, as cobra sends them to kubectl: a word and its description per line, then a directive
 * that excludes files.
 */
function completion(args: readonly string[]): string {
  const word = args.at(-1) ?? '';
  const [verb] = args.length > 1 ? args : [];
  const flags = commands.find(({ description: { name } }) => name === (verb ?? 'pages'))?.description.flags ?? [];
  const found: readonly (readonly [string, string])[] = word.startsWith('-')
    ? flags.map(({ name, help }) => [`--${name}`, help])
    : verb === undefined
      ? commands.map(({ purpose, description: { name } }) => [name, purpose])
      : [];
  return [...found.filter(([text]) => text.startsWith(word)).map((line) => line.join('\t')), ':4'].join('\n');
}

function usage(): string {
  const width = Math.max(...commands.map(({ description: { name } }) => name.length));
  return `Binds APIs of a provider on your cluster, and looks after what is bound.

Usage:
  kubectl bind [ADDRESS] [flags]   choose on the pages of a portal
  kubectl bind COMMAND [flags]

Commands:
${commands.map(({ purpose, description: { name } }) => `  ${name.padEnd(width)}   ${purpose}`).join('\n')}

kubectl bind COMMAND --help says more.`;
}
