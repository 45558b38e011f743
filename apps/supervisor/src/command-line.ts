import type { Command } from './command.js';
import { onceCommands } from './commands/once.js';
import { ConfigError, unknownWord } from '@hawser/config';
import { readRunCommand } from './run-commands.js';
import { USAGE, commandGroups, nameOf } from './usage.js';

/** Reads the command line of `hawser`. @throws ConfigError in one line. */
export function readCommand(args: readonly string[], version: string): Command {
  const runs = readRunCommand(args, version);
  if (runs !== undefined) return runs;
  const [verb, ...rest] = args;
  switch (verb) {
    case 'version':
    case '--version':
      return { kind: 'print', text: version };
    case 'help':
      return rest.length === 0 ? usage : readCommand([...rest, '--help'], version);
    case undefined:
    case '--help':
    case '-h':
      return usage;
    default: {
      const command = onceCommands.find(({ description: { name } }) => name === verb);
      if (command === undefined) throw new ConfigError(unknownWord(`unknown command: ${verb}`, verb, names, 'hawser'));
      const read = command.read(rest, version);
      return typeof read === 'string' ? { kind: 'print', text: read } : { kind: 'task', task: read };
    }
  }
}

const names = commandGroups.flatMap(({ commands }) => commands.map(nameOf));

const usage: Command = { kind: 'print', text: USAGE };
