import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '@hawser/config';
import { readConformance } from './conformance.js';

describe('hawser conformance', () => {
  it.each<[string, readonly string[], string]>([
    ['no provider', ['--consumer', 'c'], '--provider is missing'],
    ['no consumer for a konnector', ['--provider', 'p', '--role', 'konnector'], '--consumer is missing'],
    [
      'an unknown role',
      ['--provider', 'p', '--role', 'agents'],
      'must be one of pair, konnector, provider, agent, not "agents"',
    ],
    ['an unknown format', ['--provider', 'p', '-o', 'yaml'], 'must be one of table, json, junit, not "yaml"'],
    ['no time', ['--provider', 'p', '--timeout', '0s'], '--timeout: is not a duration longer than zero: "0s"'],
    [
      'an account without namespace',
      ['--provider', 'p', '--consumer', 'c', '--konnector-account', 'konnector'],
      'must be NAMESPACE/NAME',
    ],
    ['an unknown check', ['--provider', 'p', '--only', 'deletion,speed'], '--only: there is no check speed'],
    ['no kcp for an agent', ['--role', 'agent', '--service', 's', '--export', 'e'], '--kcp is missing'],
    ['no export for an agent', ['--role', 'agent', '--service', 's', '--kcp', 'k'], '--export is missing'],
    ['a check of another role', ['--role', 'agent', '--only', 'heartbeat'], '--only: there is no check heartbeat'],
    [
      'half a label',
      ['--role', 'agent', '--service', 's', '--kcp', 'k', '--export', 'e', '--published-labels', 'team'],
      '--published-labels: must be KEY=VALUE, not "team"',
    ],
    ['more words', ['--provider', 'p', 'pair'], 'unexpected argument: pair'],
  ])('says of %s what is wrong', (_, args, words) => {
    expect(() => readConformance(args)).toThrow(ConfigError);
    expect(() => readConformance(args)).toThrow(words);
  });

  it('needs no consumer to look at a backend', () => {
    expect(typeof readConformance(['--provider', 'p', '--role', 'provider'])).toBe('function');
  });

  it('explains itself', () => {
    expect(readConformance(['--help'])).toContain('What MUST hold is');
  });
});
