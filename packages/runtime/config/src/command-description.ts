import { type Flag, flagHelp } from './flags.js';

/** One way to call a command, with what it answers. */
export interface Example {
  readonly says: string;
  /** As it is typed. */
  readonly line: string;
}

/** What help and completion know of a command. */
export interface CommandDescription {
  /** As it is typed after `hawser`. */
  readonly name: string;
  /** What it is for, and its exit codes if they are its own. */
  readonly about: string;
  /** As they are typed, one for each form of the command. */
  readonly usage: readonly string[];
  readonly examples: readonly Example[];
  readonly flags: readonly Flag[];
  /** What its first argument may be, where only some words are known. */
  readonly words?: readonly string[];
  /** The same command with `--roles`, which has other flags. */
  readonly variants?: readonly CommandDescription[];
}

/** The help of one command: what it is for, how it is called, examples, flags. */
export function helpOf({ about, usage, examples, flags }: CommandDescription): string {
  return [
    about,
    `Usage:\n${usage.map((line) => `  ${line}`).join('\n')}`,
    `Examples:\n${examples.map(({ says, line }) => `  # ${says}\n  ${line}`).join('\n\n')}`,
    `Flags:\n${flagHelp(flags)}`,
  ].join('\n\n');
}
