import { spawnSync } from 'node:child_process';

import { describe, expect, it } from '@jest/globals';

import { completables } from '../completion/completable.js';
import { ConfigError } from '@hawser/config';
import { runCommands } from '../run-commands.js';
import { readCompletion } from './completion.js';
import { onceCommands } from './once.js';

const descriptions = [...runCommands, ...onceCommands.map(({ description }) => description)];
const script = (shell: string): string => readCompletion([shell], descriptions);

/** What bash completes, with the cursor behind the last word. */
function completed(...words: readonly string[]): readonly string[] {
  // The function is the one that `complete` has registered.
  const source = `${script('bash')}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
"$(complete -p "$1" | sed 's/.* -F \\([^ ]*\\) .*/\\1/')"
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', source, 'bash', ...words], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.trim() === '' ? [] : stdout.trim().split('\n');
}

describe('bash completes', () => {
  it('commands', () => {
    expect(completed('hawser', 'wh')).toEqual(['why']);
    expect(completed('hawser', 'un').toSorted()).toEqual(['unbind', 'uninstall']);
    expect(completed('hawser', '')).toEqual(
      expect.arrayContaining([...descriptions.map(({ name }) => name), 'help', 'version']),
    );
    expect(completed('hawser', 'help', 'bindi')).toEqual(['bindings']);
  });

  it('flags of a command, and of its variants', () => {
    expect(completed('hawser', 'why', '--')).toEqual(
      expect.arrayContaining(['--all', '--namespace', '--output', '--roles', '--workspace']),
    );
    expect(completed('hawser', 'why', '--')).not.toContain('--orphan-policy');
    expect(completed('hawser', 'why', 'database', 'orders', '--names')).toEqual(['--namespace']);
    expect(completed('hawser', 'run', '--orph')).toEqual(['--orphan-policy']);
    expect(completed('hawser-konnector', '--lease-namesp')).toEqual(['--lease-namespace']);
  });

  it('the words that the first argument may be', () => {
    expect(completed('hawser', 'schema', '')).toEqual(['status', 'diff', 'approve', 'reject', 'prove']);
    expect(completed('hawser', 'schema', 'status', '')).toEqual([]);
    expect(completed('hawser', 'completion', 'z')).toEqual(['zsh']);
  });

  it('nothing of its own where a value belongs, so that files are offered', () => {
    expect(completed('hawser', 'why', '--kubeconfig', '')).toEqual([]);
    expect(completed('hawser', 'why', '--kubeconfig', '=', '')).toEqual([]);
    expect(completed('hawser', 'why', '-n', '-')).toEqual([]);
    expect(script('bash')).toMatch(
      /^complete -o default -F _hawser hawser hawser-konnector hawser-kbind hawser-backend hawser-syncagent$/mu,
    );
  });
});

describe('the scripts', () => {
  it.each(['bash', 'zsh', 'fish'])('for %s name every command and every flag', (shell) => {
    const text = script(shell);
    for (const { name, flags } of completables(descriptions)) {
      expect(text).toContain(name);
      for (const flag of flags)
        expect(text).toMatch(new RegExp(`-${shell === 'fish' ? `(?:l|s) ${flag.name}` : flag.name}[^-\\w]`, 'u'));
    }
  });

  it.each([
    [[], 'completion needs one of bash, zsh, fish; see hawser completion --help'],
    [
      ['bsh'],
      'completion needs one of bash, zsh, fish; did you mean hawser completion bash? See hawser completion --help',
    ],
    [['zsh', 'more'], 'unexpected argument: more'],
  ])('%j is wrong usage', (args, message) => {
    expect(() => readCompletion(args, [])).toThrow(new ConfigError(message));
  });

  it('for zsh and fish quote what help says', () => {
    const flags = [{ name: 'x', kind: 'string', help: "it's a [path]" }] as const;
    const one = [{ name: 'run', about: '', usage: [], examples: [], flags }];
    expect(readCompletion(['zsh'], one)).toContain(`'(-x)-x+[it'\\''s a \\[path\\]]:value:_files'`);
    expect(readCompletion(['fish'], one)).toContain(`-s x -r -d 'it\\'s a [path]'`);
  });
});
