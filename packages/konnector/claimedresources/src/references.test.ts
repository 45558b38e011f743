import { describe, expect, it } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import { parsePath } from './path.js';
import { namedBy } from './references.js';

const named = (
  object: Readonly<Record<string, unknown>>,
  name: string,
  namespace?: string,
  own: string | undefined = 'team-a',
): readonly string[] =>
  namedBy(
    { apiVersion: 'v1', kind: 'X', metadata: { name: 'x', namespace: own }, ...object },
    { name: parsePath(name)!, namespace: namespace === undefined ? undefined : parsePath(namespace) },
  ).map((one) => `${one.namespace ?? '*'}/${one.name}`);

describe('objects that are named by another', () => {
  const pairs = { spec: { refs: [{ name: 'a', ns: 'x' }, { name: 'b', ns: 'y' }, { name: 'c' }] } };
  it('stand in its own namespace where it says nothing else', () => {
    expect(named(pairs, 'spec.refs.#.name')).toEqual(['team-a/a', 'team-a/b', 'team-a/c']);
  });
  it('of a cluster-scoped object stand in any', () => {
    expect(
      namedBy({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, spec: { ref: 'a' } } as never, {
        name: parsePath('spec.ref')!,
      }),
    ).toEqual([{ namespace: undefined, name: 'a' }]);
  });
  roughEdge('R30', 'are paired with the namespaces beside them, not crosswise', () => {
    expect(named(pairs, 'spec.refs.#.name', 'spec.refs.#.ns')).toEqual(['x/a', 'y/b', 'team-a/c']);
  });
  it('are paired by position where names and namespaces are lists of their own', () => {
    expect(named({ spec: { names: ['a', 'b', 'c'], spaces: ['x', 'y'] } }, 'spec.names', 'spec.spaces')).toEqual([
      'x/a',
      'y/b',
    ]);
  });
  it('share a namespace that is given once', () => {
    expect(named({ spec: { ns: 'x', refs: [{ name: 'a' }, { name: 'b' }] } }, 'spec.refs.#.name', 'spec.ns')).toEqual([
      'x/a',
      'x/b',
    ]);
  });
  it('share one for each element of an outer list', () => {
    const object = {
      spec: {
        groups: [
          { ns: 'x', refs: ['a', 'b'] },
          { ns: 'y', refs: ['c'] },
        ],
      },
    };
    expect(named(object, 'spec.groups.#.refs', 'spec.groups.#.ns')).toEqual(['x/a', 'x/b', 'y/c']);
  });
  it('are none where the path leads nowhere', () => {
    expect(named({ spec: {} }, 'spec.refs.#.name', 'spec.refs.#.ns')).toEqual([]);
  });
});
