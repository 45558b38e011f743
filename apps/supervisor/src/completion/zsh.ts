import type { Flag } from '@hawser/config';
import { type Completable, spellings } from './completable.js';

/** A zsh completion script for `hawser`, with the purpose of each command and flag. */
export function zshCompletion(commands: readonly Completable[]): string {
  const all = ['hawser', ...commands.flatMap(({ executable }) => executable ?? [])].join(' ');
  return `#compdef ${all}
# Completion of hawser for zsh. Made by: hawser completion zsh
_hawser() {
  local command
  local -a commands
  if [[ $service == hawser-* ]]; then
    command=\${service#hawser-}
  else
    if (( CURRENT == 2 )); then
      commands=(
${commands.map(({ name, purpose }) => `        ${quoted(`${name}:${purpose}`)}`).join('\n')}
      )
      _describe command commands
      return
    fi
    command=$words[2]
    shift words
    (( CURRENT-- ))
  fi
  case $command in
${commands.map(caseOf).join('\n')}
  esac
}
if [[ $funcstack[1] == _hawser ]]; then
  _hawser "$@"
else
  compdef _hawser ${all}
fi`;
}

function caseOf({ name, words, flags }: Completable): string {
  const first = words.length === 0 ? [] : [quoted(`1:argument:(${words.join(' ')})`)];
  return `    ${name})\n      _arguments ${[...flags.flatMap(specsOf), ...first, quoted('*:argument:_files')].join(' \\\n        ')}\n      ;;`;
}

function specsOf(flag: Flag): readonly string[] {
  const all = spellings(flag);
  const help = `[${flag.help.replace(/[\\[\]]/gu, '\\$&')}]`;
  const excludes = flag.repeatable === true ? '*' : `(${all.join(' ')})`;
  return all.map((one) =>
    quoted(
      `${excludes}${one}${flag.kind === 'boolean' ? help : `${one.startsWith('--') ? '=' : '+'}${help}:value:_files`}`,
    ),
  );
}

function quoted(text: string): string {
  return `'${text.replace(/'/gu, `'\\''`)}'`;
}
