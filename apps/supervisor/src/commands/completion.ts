import {
  type CommandDescription,
  helpOf,
  ConfigError,
  type Flag,
  parseFlags,
  helpFlag,
  unknownWord,
} from '@hawser/config';
import { bashCompletion } from '../completion/bash.js';
import { completables } from '../completion/completable.js';
import { fishCompletion } from '../completion/fish.js';
import { zshCompletion } from '../completion/zsh.js';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
const shells = ['bash', 'zsh', 'fish'] as const;

const flags: readonly Flag[] = [helpFlag];

/** Help text of the command. */
export const completionCommand: CommandDescription = {
  name: 'completion',
  about: `Prints a script that makes the Tab key complete commands and flags of hawser, hawser-konnector, hawser-kbind, hawser-backend and hawser-syncagent. Nothing is installed by it.

Exit codes: 0 printed, 2 wrong usage.`,
  usage: [`hawser completion ${shells.join('|')}`],
  examples: [
    { purpose: 'bash: for this shell, or as a line of ~/.bashrc', line: 'source <(hawser completion bash)' },
    {
      purpose: 'zsh: in a folder of $fpath, before compinit runs',
      line: 'hawser completion zsh > "${fpath[1]}/_hawser"',
    },
    { purpose: 'fish', line: 'hawser completion fish > ~/.config/fish/completions/hawser.fish' },
  ],
  flags,
  words: shells,
};

/**
 * Parses the arguments of `hawser completion`; returns the script.
 * @throws ConfigError
 */
export function readCompletion(args: readonly string[], descriptions: readonly CommandDescription[]): string {
  const {
    values,
    positional: [given, surplus],
  } = parseFlags(args, flags);
  if (values.get('help') === 'true') return helpOf(completionCommand);
  const shell = shells.find((one) => one === given);
  if (shell === undefined)
    throw new ConfigError(
      unknownWord(`completion needs one of ${shells.join(', ')}`, given ?? '', shells, 'hawser completion'),
    );
  if (surplus !== undefined) throw new ConfigError(`unexpected argument: ${surplus}`);
  return scripts[shell](completables(descriptions));
}
