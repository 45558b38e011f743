import type { KubeObject } from '@hawser/client';
import type { Binding } from '@hawser/core-kbind';
import { describe, expect, it } from '@jest/globals';
import { routeOf } from './object-route.js';
import { assign, rulesOf } from './routes.js';

const api = 'widgets.example.org';

interface BindingOptions {
  readonly namespace?: string;
  readonly selector?: string;
  readonly isGoing?: boolean;
}

function binding(
  name: string,
  connection: string,
  { namespace, selector, isGoing = false }: BindingOptions = {},
): Binding {
  return {
    apiVersion: 'core.kbind.io/v1alpha1',
    kind: namespace === undefined ? 'ClusterBinding' : 'Binding',
    metadata: {
      name,
      namespace,
      finalizers: ['core.kbind.io/cleanup'],
      ...(selector === undefined ? {} : { annotations: { 'hawser.dev/object-selector': selector } }),
      ...(isGoing ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
    },
    spec: { connectionRef: { name: connection }, apis: [{ name: api }] },
  };
}

function object(tier: string | undefined, at?: string): Pick<KubeObject, 'metadata'> {
  return {
    metadata: {
      name: 'one',
      namespace: 'team',
      ...(tier === undefined ? {} : { labels: { tier } }),
      ...(at === undefined ? {} : { finalizers: ['core.kbind.io/syncer'] }),
      ...(at === undefined || at === '' ? {} : { annotations: { 'hawser.dev/connection': at } }),
    },
  };
}

const gold = binding('gold', 'alpha', { selector: 'tier=gold' });
const silver = binding('silver', 'beta', { selector: 'tier=silver' });
const goldGoing = binding('gold', 'alpha', { selector: 'tier=gold', isGoing: true });

/** `kind rule`, and where the rules lead instead. */
function assigned(bindings: readonly Binding[], of: Pick<KubeObject, 'metadata'>, installedBy?: string): string {
  const found = assign(of, rulesOf(api, bindings), installedBy);
  switch (found.kind) {
    case 'none':
      return 'none';
    case 'served':
      return `served ${found.rule.key}`;
    case 'kept':
      return `kept ${found.rule.key}, not ${found.chosen?.key ?? 'any'}`;
    case 'lost':
      return `lost ${found.connection}, told by ${found.reporter.key}`;
  }
}

describe('an object', () => {
  it.each<[string, readonly Binding[], Pick<KubeObject, 'metadata'>, string]>([
    ['goes where its labels lead', [gold, silver], object('silver'), 'served silver'],
    ['goes nowhere without a rule', [gold, silver], object('bronze'), 'none'],
    ['goes nowhere by a selector that is none', [binding('a', 'alpha', { selector: '' })], object('gold'), 'none'],
    ['does not go where a binding is deleted', [goldGoing], object('gold'), 'none'],
    ['stays where its copy is', [gold, silver], object('silver', 'alpha'), 'kept gold, not silver'],
    ['stays there when no rule selects it', [gold, silver], object('bronze', 'alpha'), 'kept gold, not any'],
    ['is served as before by a rule that goes', [goldGoing, silver], object('gold', 'alpha'), 'served gold'],
    [
      'goes on by the rule of the same Connection',
      [goldGoing, binding('b', 'alpha')],
      object('gold', 'alpha'),
      'served b',
    ],
    ['is lost without a rule of its Connection', [silver], object('silver', 'alpha'), 'lost alpha, told by silver'],
    ['is of no Binding elsewhere', [binding('own', 'beta', { namespace: 'shop' })], object('gold'), 'none'],
    [
      'is of the ClusterBinding, and the Binding keeps what it has',
      [binding('all', 'alpha'), binding('own', 'beta', { namespace: 'team' })],
      object('gold', 'beta'),
      'kept team/own, not all',
    ],
    [
      'that is new is of the ClusterBinding',
      [binding('all', 'alpha'), binding('own', 'beta', { namespace: 'team' })],
      object('gold'),
      'served all',
    ],
  ])('%s', (_, bindings, of, expected) => {
    expect(assigned(bindings, of)).toBe(expected);
    expect(assigned(bindings.toReversed(), of)).toBe(expected);
  });

  it('that does not say its Connection belongs to that of the CRD, or to the only one', () => {
    expect(assigned([gold, silver], object('silver', ''), 'alpha')).toBe('kept gold, not silver');
    expect(assigned([gold, silver], object('silver', ''))).toBe('none');
    expect(assigned([gold], object('gold', ''))).toBe('served gold');
  });

  it('is left by the sync of a binding that has just been led elsewhere', () => {
    const of = object('gold', 'alpha');
    const rules = rulesOf(api, [gold]);
    const assignment = assign(of, rules, undefined);
    expect(routeOf(of, assignment, rules, { key: 'gold', connection: 'alpha' })).toEqual({ kind: 'served' });
    expect(routeOf(of, assignment, rules, { key: 'gold', connection: 'beta' })).toEqual({ kind: 'left' });
  });

  it('is let go of by a binding that lists the API no more', () => {
    const without: Binding = { ...gold, spec: { ...gold.spec, apis: [{ name: 'others.example.org' }] } };
    expect(rulesOf(api, [without])).toEqual([]);
    expect(rulesOf(api, [without], 'gold')).toMatchObject([{ key: 'gold', isGoing: true }]);
  });
});
