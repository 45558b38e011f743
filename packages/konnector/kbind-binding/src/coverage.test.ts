import type { Binding } from '@hawser/core-kbind';
import { describe, expect, it } from '@jest/globals';
import { isNeeded, nameOf, rivalOf } from './coverage.js';

const api = 'widgets.example.org';
const held = { finalizers: ['core.kbind.io/cleanup'] };
const going = { ...held, deletionTimestamp: '2026-01-02T00:00:00Z' };

function binding(name: string, namespace?: string, metadata: object = held, apis: readonly string[] = [api]): Binding {
  return {
    apiVersion: 'core.kbind.io/v1alpha1',
    kind: namespace === undefined ? 'ClusterBinding' : 'Binding',
    metadata: { name, namespace, creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    spec: { connectionRef: { name: 'demo' }, apis: apis.map((one) => ({ name: one })) },
  };
}

function selecting(name: string, selector: string): Binding {
  return binding(name, undefined, { ...held, annotations: { 'hawser.dev/object-selector': selector } });
}

function leadingTo(name: string, connection: string): Binding {
  const made = binding(name);
  return { ...made, spec: { ...made.spec, connectionRef: { name: connection } } };
}

describe('who has the say over the objects of an API', () => {
  it.each<[string, Binding, readonly Binding[], string | undefined]>([
    ['a binding alone', binding('a'), [], undefined],
    [
      'not one of another API',
      binding('a', 'team'),
      [binding('b', undefined, held, ['gadgets.example.org'])],
      undefined,
    ],
    ['a ClusterBinding before a Binding', binding('a', 'team'), [binding('b')], 'b'],
    ['and not the other way round', binding('b'), [binding('a', 'team')], undefined],
    ['not a Binding of another namespace', binding('a', 'team'), [binding('b', 'other')], undefined],
    [
      'the older one',
      binding('a', undefined, { ...held, creationTimestamp: '2026-01-03T00:00:00Z' }),
      [binding('b')],
      'b',
    ],
    ['of two of the same age the first by name', binding('b'), [binding('a')], 'a'],
    ['one that goes until it is gone', binding('a'), [binding('b', undefined, going)], 'b'],
    [
      'not one that goes and has let go',
      binding('a'),
      [binding('b', undefined, { ...going, finalizers: [] })],
      undefined,
    ],
    ['whoever stays and has all of its objects, when it goes', binding('a', 'team', going), [binding('b')], 'b'],
    ['nobody who stays and has some of them', binding('a', undefined, going), [binding('b', 'team')], undefined],
  ])('has %s', (_, own, others, rival) => {
    expect(rivalOf(own, api, [own, ...others])?.binding.metadata.name).toBe(rival);
  });

  it.each<[string, Binding, readonly Binding[], boolean]>([
    ['a ClusterBinding that stays', binding('a', undefined, going), [binding('b', 'team')], true],
    ['a Binding of another namespace', binding('a', 'team', going), [binding('b', 'shop')], true],
    ['one of other labels', binding('a', undefined, going), [selecting('b', 'tier=gold')], true],
    ['none that goes as well', binding('a', undefined, going), [binding('b', 'team', going)], false],
  ])('keeps the CRD for %s', (_, own, others, expected) => {
    expect(isNeeded(own, api, [own, ...others])).toBe(expected);
  });

  it.each<[string, Binding, Binding, { readonly takesAll: boolean } | undefined]>([
    ['selectors that meet', selecting('a', 'tier=gold'), selecting('b', 'team=a'), { takesAll: false }],
    ['selectors that never meet', selecting('a', 'tier=gold'), selecting('b', 'tier=silver'), undefined],
    ['a selector that is none', selecting('a', 'tier=('), binding('b'), undefined],
    ['one that selects all', binding('a'), selecting('b', 'tier=silver'), { takesAll: true }],
    ['another Connection', leadingTo('a', 'other'), selecting('b', 'tier=silver'), { takesAll: false }],
  ])('by %s', (_, older, younger, expected) => {
    const rival = rivalOf(younger, api, [older, younger]);
    expect(rival).toEqual(expected === undefined ? undefined : { binding: older, ...expected });
    expect(rivalOf(older, api, [older, younger])).toBeUndefined();
  });
});

it('bindings have the names that kubectl needs', () => {
  expect([nameOf(binding('a')), nameOf(binding('a', 'team'))]).toEqual([
    'clusterbindings.core.kbind.io a',
    'bindings.core.kbind.io a --namespace team',
  ]);
});
