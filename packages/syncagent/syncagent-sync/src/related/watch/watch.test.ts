import { describe, expect, it } from '@jest/globals';
import { compileRelated, ownersOf } from '../index.js';

describe('owners of a related object', () => {
  const owner = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, name, uid: name });
  const object = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 's',
      namespace: 'team',
      ownerReferences: [
        owner('apps/v1', 'Deployment', 'd'),
        owner('example.com/v1', 'CronTab', 'one'),
        owner('example.com/v2', 'CronTab', 'two'),
        owner('other.com/v1', 'CronTab', 'three'),
        owner('v1', 'Pod', 'p'),
      ],
    },
  };

  it('are all of the kind, in whatever version, in the same namespace', () => {
    expect(ownersOf(object, { group: 'example.com', kind: 'CronTab', namespaced: true })).toEqual([
      { namespace: 'team', name: 'one' },
      { namespace: 'team', name: 'two' },
    ]);
    expect(ownersOf(object, { group: '', kind: 'Pod', namespaced: true })).toEqual([{ namespace: 'team', name: 'p' }]);
  });

  it('have no namespace where their kind has none', () => {
    expect(ownersOf(object, { group: 'other.com', kind: 'CronTab', namespaced: false })).toEqual([{ name: 'three' }]);
  });

  it('may be none', () => {
    expect(ownersOf({ ...object, metadata: { name: 's' } }, { group: '', kind: 'Pod', namespaced: true })).toEqual([]);
  });
});

describe('watch rules', () => {
  const watchOf = (watch: object) => {
    const compilation = compileRelated(
      [{ identifier: 'a', origin: 'kcp', kind: 'Secret', object: { template: { template: 'x' } }, watch }],
      { functions: {} },
    );
    return compilation.kind === 'compiled' ? compilation.value[0]?.watch : compilation.findings;
  };

  it('by owner', () => {
    expect(watchOf({ byOwner: {} })).toEqual({ kind: 'byOwner' });
  });

  it('by selector: of primary objects; an empty one selects all', () => {
    const watch = watchOf({ bySelector: { matchLabels: { a: 'b' } } });
    expect(watch).toMatchObject({ kind: 'bySelector' });
    if (watch === undefined || !('kind' in watch) || watch.kind !== 'bySelector') return;
    expect([watch.matches({ a: 'b' }), watch.matches({ a: 'c' })]).toEqual([true, false]);
    expect(watchOf({ bySelector: {} })).toMatchObject({ kind: 'bySelector' });
  });

  it('neither', () => {
    expect(watchOf({})).toEqual([
      { severity: 'error', path: 'spec.related[0].watch', message: 'needs one of byOwner, bySelector' },
    ]);
  });
});
