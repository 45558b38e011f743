import type { Completable } from './completable.js';

/** A fish completion script for `hawser`, with the purpose of each command and flag. */
export function fishCompletion(commands: readonly Completable[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c hawser -n '__hawser_at 1' -f -a ${command.name} -d ${quoted(command.purpose)}`,
    ...(command.words.length === 0
      ? []
      : [`complete -c hawser -n '__hawser_at 2 ${command.name}' -f -a ${quoted(command.words.join(' '))}`]),
    ...flagLines('hawser', command, ` -n '__hawser_is ${command.name}'`),
    ...(command.executable === undefined ? [] : flagLines(command.executable, command, '')),
  ]);
  return `# Completion of hawser for fish. Made by: hawser completion fish
function __hawser_is
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test "$words[2]" = "$argv[1]"
end
function __hawser_at
    set -l words (commandline -opc)
    test (count $words) -eq $argv[1]; and begin
        test (count $argv) -eq 1; or __hawser_is $argv[2]
    end
end
${lines.join('\n')}`;
}

function flagLines(program: string, { flags }: Completable, where: string): readonly string[] {
  return flags.map(({ name, short, kind, help }) => {
    const letter = name.length === 1 ? name : short;
    return `complete -c ${program}${where}${name.length === 1 ? '' : ` -l ${name}`}${letter === undefined ? '' : ` -s ${letter}`}${kind === 'string' ? ' -r' : ''} -d ${quoted(help)}`;
  });
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/gu, '\\$&')}'`;
}
