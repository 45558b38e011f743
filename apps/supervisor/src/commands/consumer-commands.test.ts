import { describe, expect, it } from '@jest/globals';

import { ConfigError } from '@hawser/config';
import { readHandback } from './handback.js';
import type { Terminal } from '@hawser/commands';
import { readUninstall } from './uninstall.js';

const terminal: Terminal = {
  out: () => undefined,
  err: () => undefined,
  ask: () => Promise.resolve(undefined),
  env: {},
  signal: new AbortController().signal,
};

describe.each([
  ['uninstall', readUninstall],
  ['handback', readHandback],
] as const)('hawser %s', (name, read) => {
  it('has help that names its flags', () => {
    expect(read(['--help'])).toEqual(
      expect.stringMatching(new RegExp(`hawser ${name} \\[flags\\][^]*--kubeconfig[^]*--dry-run`, 'u')),
    );
  });

  it.each([[['--no-such-flag']], [['surplus']]])('refuses %j', (args) => {
    expect(() => read(args)).toThrow(ConfigError);
  });

  it('names a kubeconfig that is not there', async () => {
    const task = read(['--kubeconfig=/does/not/exist']);
    if (typeof task === 'string') throw new Error('expected a task');
    await expect(task(terminal)).rejects.toThrow(/kubeconfig \/does\/not\/exist/u);
  });
});

it.each(['0s', 'soon', '-1m'])('uninstall refuses a timeout of %s', (timeout) => {
  expect(() => readUninstall([`--timeout=${timeout}`])).toThrow(ConfigError);
});
