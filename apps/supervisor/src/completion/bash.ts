import { type Completable, spellings } from './completable.js';

/** A bash completion script for `hawser`. Values and files fall back to file name completion. */
export function bashCompletion(commands: readonly Completable[]): string {
  const executables = commands.flatMap(({ executable }) => executable ?? []);
  return `# Completion of hawser for bash. Made by: hawser completion bash
_hawser() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} program=\${COMP_WORDS[0]##*/}
  local command first=1 flags= valued= words=
  COMPREPLY=()
  case $program in
    hawser-*) command=\${program#hawser-} ;;
    *)
      if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')}' -- "$cur"))
        return
      fi
      command=\${COMP_WORDS[1]}
      first=2
      ;;
  esac
  case $command in
${commands.map(caseOf).join('\n')}
  esac
  if [ "$cur" = = ] || [ "$prev" = = ]; then return; fi
  case $valued in *" $prev "*) return ;; esac
  case $cur in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$cur")) ;;
    *) if [ "$COMP_CWORD" -eq "$first" ]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); fi ;;
  esac
}
complete -o default -F _hawser ${['hawser', ...executables].join(' ')}`;
}

function caseOf({ name, words, flags }: Completable): string {
  const valued = flags.filter(({ kind }) => kind === 'string').flatMap(spellings);
  return `    ${name})
      flags='${flags.flatMap(spellings).join(' ')}'
      valued=' ${valued.join(' ')} '
      words='${words.join(' ')}'
      ;;`;
}
