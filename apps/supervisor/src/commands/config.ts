import {
  type CommandDescription,
  helpOf,
  readConfigText,
  configProblems,
  configJsonSchema,
  ConfigError,
  type Flag,
  parseFlags,
  helpFlag,
  unknownWord,
} from '@hawser/config';
import type { Task } from '@hawser/commands';

const verbs = ['check', 'schema'] as const;

const flags: readonly Flag[] = [helpFlag];

/** Help text of the command. */
export const configCommand: CommandDescription = {
  name: 'config',
  about: `About the config file of hawser run. No cluster is asked.

  check FILE   says everything that is wrong with FILE, with its line and what is allowed
  schema       prints the JSON schema of a config file, for editors

Exit codes: 0 in order, 1 something is wrong with the file, 2 wrong usage.`,
  usage: ['hawser config check FILE', 'hawser config schema'],
  examples: [
    { purpose: 'before a roll-out', line: 'hawser config check hawser.yaml' },
    {
      purpose: 'for an editor; begin hawser.yaml with: # yaml-language-server: $schema=hawser.schema.json',
      line: 'hawser config schema > hawser.schema.json',
    },
  ],
  flags,
  words: verbs,
};

/** Reads the arguments of `hawser config`. @throws ConfigError */
export function readConfigCommand(args: readonly string[]): Task | string {
  const {
    values,
    positional: [given, file, surplus],
  } = parseFlags(args, flags);
  if (values.get('help') === 'true') return helpOf(configCommand);
  const verb = verbs.find((one) => one === given);
  if (verb === undefined)
    throw new ConfigError(unknownWord(`config needs one of ${verbs.join(', ')}`, given ?? '', verbs, 'hawser config'));
  const unexpected = verb === 'schema' ? file : surplus;
  if (unexpected !== undefined) throw new ConfigError(`unexpected argument: ${unexpected}`);
  if (verb === 'schema') return configJsonSchema();
  if (file === undefined) throw new ConfigError('config check needs a FILE; see hawser config --help');
  return ({ out }) => {
    const problems = configProblems(readConfigText(file));
    out(
      problems.length === 0
        ? `${file}: is in order`
        : problems
            .map(
              ({ line, path, message }) =>
                `${file}${line === undefined ? '' : `:${line}`}: ${path === '' ? '' : `${path}: `}${message}`,
            )
            .join('\n'),
    );
    return Promise.resolve(problems.length === 0 ? 0 : 1);
  };
}
