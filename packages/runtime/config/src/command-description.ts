import { type Flag, flagHelp } from './flags.js';

/** One call of a command, with its output. */
export interface Example {
  readonly purpose: string;
  /** The command line as typed. */
  readonly line: string;
}

/** Describes a command for help and completion. */
export interface CommandDescription {
  /** Name as typed after `hawser`. */
  readonly name: string;
  /** Purpose, and exit codes that only this command has. */
  readonly about: string;
  /** Usage lines as typed, one for each form of the command. */
  readonly usage: readonly string[];
  readonly examples: readonly Example[];
  readonly flags: readonly Flag[];
  /** Allowed first arguments, if they are a closed set. */
  readonly words?: readonly string[];
  /** The same command with `--roles`, which has other flags. */
  readonly variants?: readonly CommandDescription[];
}

/** Help of one command: purpose, usage, examples, flags. */
export function helpOf({ about, usage, examples, flags }: CommandDescription): string {
  return [
    about,
    `Usage:\n${usage.map((line) => `  ${line}`).join('\n')}`,
    `Examples:\n${examples.map(({ purpose, line }) => `  # ${purpose}\n  ${line}`).join('\n\n')}`,
    `Flags:\n${flagHelp(flags)}`,
  ].join('\n\n');
}
