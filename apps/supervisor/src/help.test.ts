import { describe, expect, it } from '@jest/globals';

import { type CommandDescription, parseFlags } from '@hawser/config';
import { readCommand } from './command-line.js';
import { onceCommands } from './commands/once.js';
import { runCommands } from './run-commands.js';
import { USAGE, commandGroups, nameOf } from './usage.js';

const described: readonly CommandDescription[] = [
  ...runCommands,
  ...onceCommands.map(({ description }) => description),
];
const all = described.flatMap((one) => [one, ...(one.variants ?? [])]);
const textOf = (...args: readonly string[]): string => {
  const command = readCommand(args, 'v1');
  return command.kind === 'print' ? command.text : '';
};

describe('help', () => {
  it('without a command lists every command once, by task, in lines that fit', () => {
    const listed = commandGroups.flatMap(({ commands }) => commands.map(nameOf));
    expect(listed.toSorted()).toEqual([...described.map(({ name }) => name), 'help', 'version'].toSorted());
    expect(textOf('help')).toBe(textOf('--help'));
    expect(textOf()).toBe(USAGE);
    expect(USAGE.split('\n').filter((line) => line.length > 120)).toEqual([]);
  });

  it.each(described.map(({ name }) => [name]))(
    'of %s has what it is for, its usage, examples and flags, however it is asked for',
    (name) => {
      const text = textOf('help', name);
      expect(text).toBe(textOf(name, '--help'));
      expect(text).toMatch(
        new RegExp(`^[A-Z].*\\n\\nUsage:\\n  hawser ${name}.*\\n\\nExamples:\\n  # .*\\n\\nFlags:\\n`, 'su'),
      );
    },
  );

  it.each(all.map((one) => [one.usage[0] ?? one.name, one] as const))(
    'every example of %s has flags that there are',
    (_usage, { name, flags, variants = [], examples }) => {
      expect(examples.length).toBeGreaterThanOrEqual(2);
      for (const { line } of examples) {
        const call = line.split(/ (?:&&|>) |; |[()]/u).find((part) => /^hawser[- ]/u.test(part)) ?? '';
        const args = call
          .replace(/"[^"]*"/gu, 'text')
          .split(' ')
          .slice(call.startsWith('hawser-') ? 1 : 2);
        expect(call).toMatch(new RegExp(`^hawser[ -]${name}\\b`, 'u'));
        const known = line.includes('--roles ')
          ? [
              ...flags,
              ...variants.flatMap((variant) => variant.flags),
              { name: 'roles', kind: 'string', help: '' } as const,
            ]
          : flags;
        expect(() => parseFlags(args, known)).not.toThrow();
      }
    },
  );
});
