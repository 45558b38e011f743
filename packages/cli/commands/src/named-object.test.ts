import { describe, expect, it } from '@jest/globals';

import { type Flag, parseFlags } from '@hawser/config';
import { namespaceOf, objectNamed, unknownKind } from './named-object.js';

const flags: readonly Flag[] = [{ name: 'namespace', short: 'n', kind: 'string', help: '' }];

describe('the object that a command names', () => {
  it.each([
    [[], 'of-context'],
    [['-n', ''], 'of-context'],
    [['--namespace='], 'of-context'],
    [['-n', 'team'], 'team'],
  ])('%j is in namespace %s', (args, expected) => {
    expect(namespaceOf(parseFlags(args, flags), 'of-context')).toBe(expected);
  });

  it.each([
    ['one', 'team', { namespace: 'team', name: 'one' }],
    ['other/one', 'team', { namespace: 'other', name: 'one' }],
    ['one', undefined, { name: 'one' }],
  ])('%s in %s', (name, namespace, expected) => {
    expect(objectNamed(name, namespace)).toEqual(expected);
  });

  it.each([
    ['', 'team'],
    ['/one', 'team'],
    ['a/b/c', 'team'],
    ['../one', 'team'],
    ['..', undefined],
    ['a/b', undefined],
  ])('%j in %s is none', (name, namespace) => {
    expect(() => objectNamed(name, namespace)).toThrow('must be NAME');
  });
});

it('an unknown kind is answered by the bound APIs, each once', () => {
  expect(unknownKind('secret', ['pools.example.com', 'zones.example.com', 'pools.example.com'])).toBe(
    'no bound API is called secret; there are: pools.example.com, zones.example.com',
  );
  expect(unknownKind('secret', [])).toBe('no bound API is called secret; nothing is bound');
});
