import { expect, it } from '@jest/globals';

import { createDependencies } from './dependencies.js';

const namespaces = { group: '', resource: 'namespaces' };
const on = { side: 'service', cluster: undefined, resource: namespaces } as const;

it('finds those that selected an object, or had selected it, and nobody else', () => {
  const dependencies = createDependencies();
  const selects =
    (team: string) =>
    (labels: Readonly<Record<string, string>>): boolean =>
      labels['team'] === team;
  dependencies.set('ws1|one', [{ ...on, matches: selects('a') }]);
  dependencies.set('ws1|two', [{ ...on, matches: selects('b') }]);
  dependencies.set('ws1|both', [
    { ...on, matches: selects('a') },
    { ...on, matches: selects('b') },
  ]);
  dependencies.set('ws1|any', [on]);
  dependencies.set('ws1|any-too', [{ ...on, matches: selects('a') }, on]);
  dependencies.set('ws1|this', [{ ...on, name: 'x' }]);
  const affected = (
    labels: readonly (Readonly<Record<string, string>> | undefined)[] | undefined,
    name = 'y',
  ): readonly string[] => [...dependencies.affectedBy({ ...on, name, labels })].sort();
  expect(affected([undefined])).toEqual(['ws1|any', 'ws1|any-too']);
  expect(affected([{ team: 'a' }])).toEqual(['ws1|any', 'ws1|any-too', 'ws1|both', 'ws1|one']);
  expect(affected([{ team: 'a' }, { team: 'b' }])).toEqual([
    'ws1|any',
    'ws1|any-too',
    'ws1|both',
    'ws1|one',
    'ws1|two',
  ]);
  expect(affected(undefined)).toEqual(['ws1|any', 'ws1|any-too', 'ws1|both', 'ws1|one', 'ws1|two']);
  expect(affected([{}], 'x')).toEqual(['ws1|any', 'ws1|any-too', 'ws1|this']);
  dependencies.forget('ws1|one');
  expect(affected([{ team: 'a' }])).toEqual(['ws1|any', 'ws1|any-too', 'ws1|both']);
});
