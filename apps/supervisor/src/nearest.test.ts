import { describe, expect, it } from '@jest/globals';

import { readCommand } from './command-line.js';
import { ConfigError, nearest } from '@hawser/config';
import { readKonnectorCommand } from './run-commands.js';

describe('the nearest word', () => {
  const known = ['bind', 'bindings', 'unbind', 'why', 'tree', 'doctor', 'version'];
  it.each([
    ['wy', 'why'],
    ['hwy', 'why'],
    ['bnidings', 'bindings'],
    ['Doctor', 'doctor'],
    ['docter', 'doctor'],
    ['binds', 'bind'],
    ['bind', 'bind'],
    ['treee', 'tree'],
    ['cook', undefined],
    ['x', undefined],
    ['', undefined],
    ['walk', undefined],
  ])('to %j is %j', (given, word) => {
    expect(nearest(given, known)).toBe(word);
  });
});

describe('what is not known', () => {
  it.each([
    [['bindngs'], 'unknown command: bindngs; did you mean hawser bindings? See hawser --help'],
    [['help', 'wyh'], 'unknown command: wyh; did you mean hawser why? See hawser --help'],
    [['verison'], 'unknown command: verison; did you mean hawser version? See hawser --help'],
    [['knonector'], 'unknown command: knonector; did you mean hawser konnector? See hawser --help'],
    [['elsewhere'], 'unknown command: elsewhere; see hawser --help'],
    [['why', '--outptu=json', 'database', 'orders'], 'unknown flag: --outptu; did you mean --output?'],
    [['run', '--role=konnector'], 'unknown flag: --role; did you mean --roles?'],
    [
      ['schema', 'aprove'],
      'schema needs one of status, diff, approve, reject, prove; did you mean hawser schema approve? See hawser schema --help',
    ],
    [['schema', 'apply'], 'schema needs one of status, diff, approve, reject, prove; see hawser schema --help'],
  ])('%j names what is near', (args, message) => {
    expect(() => readCommand(args, 'v1')).toThrow(new ConfigError(message));
  });

  it('a flag of the Go programs too', () => {
    expect(() => readKonnectorCommand(['--lease-nmae=x'], 'v1')).toThrow(
      new ConfigError('unknown flag: --lease-nmae; did you mean --lease-name?'),
    );
  });
});
