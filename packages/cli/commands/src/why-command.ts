import { type CommandDescription, ConfigError, type Flag, type ParsedFlags, choice } from '@hawser/config';
import type { Paint } from '@hawser/preview';

import { readExplainFlags } from './explain-command.js';
import { noColorFlag, paintOf } from './output.js';
import type { Task, Terminal } from './task.js';

/** Flags of every `why`, after those for where it looks. */
export const whyFlags: readonly Flag[] = [
  { name: 'all', kind: 'boolean', help: 'list everything that is not in step' },
  {
    name: 'dry-run',
    kind: 'string',
    help: 'server: have the API servers say what they would make of writes that are due; or none',
    default: 'server',
  },
  { name: 'output', short: 'o', kind: 'string', help: 'text or json', default: 'text' },
  noColorFlag,
];

/** Question to `why`. */
export interface WhyQuestion {
  /** Undefined: all that is not in step. */
  readonly about: { readonly kind: string; readonly name: string } | undefined;
  /** Asks the API servers by a dry run what they would make of the due writes. */
  readonly dryRun: boolean;
  readonly parsed: ParsedFlags;
}

/** Answer of `why`, in the requested form. */
export interface WhyAnswer {
  readonly isInStep: boolean;
  text(paint: Paint): string;
  json(): string;
}

/**
 * Reads the arguments of a `why`, or its help. `command`: the name of the command. `answer` looks. @throws ConfigError
 */
export function readWhy(
  description: CommandDescription,
  command: string,
  args: readonly string[],
  answer: (question: WhyQuestion, terminal: Terminal) => Promise<WhyAnswer>,
): Task | string {
  const parsed = readExplainFlags(description, 2, args);
  if (typeof parsed === 'string') return parsed;
  const [kind, name] = parsed.positional;
  const all = parsed.values.get('all') === 'true';
  if (all && kind !== undefined) throw new ConfigError(`unexpected argument: ${kind}; --all names nothing`);
  if (!all && (kind === undefined || name === undefined))
    throw new ConfigError(`why needs KIND and NAME, or --all; see ${command} --help`);
  const json = choice(parsed, 'output', ['text', 'json']) === 'json';
  const dryRun = choice(parsed, 'dry-run', ['server', 'none']) === 'server';
  const about = kind === undefined || name === undefined ? undefined : { kind, name };
  return async (terminal) => {
    const answered = await answer({ about, dryRun, parsed }, terminal);
    terminal.out(json ? answered.json() : answered.text(paintOf(parsed, terminal)));
    return answered.isInStep ? 0 : 1;
  };
}
