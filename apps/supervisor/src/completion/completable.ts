import type { CommandDescription, Flag } from '@hawser/config';
import { commandGroups, nameOf } from '../usage.js';

/** A command for shell completion. */
export interface Completable {
  readonly name: string;
  /** Short description. */
  readonly purpose: string;
  /** Choices of its first argument; empty: anything, such as a file. */
  readonly words: readonly string[];
  readonly flags: readonly Flag[];
  /** The executable for the same command. */
  readonly executable: string | undefined;
}

/** Every listed command, with the flags of its description and of its variants. */
export function completables(descriptions: readonly CommandDescription[]): readonly Completable[] {
  const listed = commandGroups.flatMap(({ commands }) =>
    commands.map((command) => ({ name: nameOf(command), purpose: command.purpose })),
  );
  return listed.map(({ name, purpose }) => {
    const description = descriptions.find((one) => one.name === name);
    const flags =
      description === undefined ? [] : [description, ...(description.variants ?? [])].flatMap((one) => one.flags);
    const unique = flags.filter((flag, at) => flags.findIndex((other) => other.name === flag.name) === at);
    const executable = `hawser-${name}`;
    return {
      name,
      purpose,
      words:
        name === 'help' ? listed.map((one) => one.name).filter((one) => one !== 'help') : (description?.words ?? []),
      flags: unique,
      executable:
        description?.usage.some((line) => line.startsWith(`${executable} `)) === true ? executable : undefined,
    };
  });
}

/** Every spelling of a flag. */
export function spellings({ name, short }: Flag): readonly string[] {
  return name.length === 1 ? [`-${name}`] : [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
}
