import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KubeObject } from '@hawser/client';
import { Store } from './store.js';

const object = (name: string, namespace: string | undefined, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels },
});
const byLabel = (thing: KubeObject): string[] => Object.values(thing.metadata.labels ?? {});

describe('the store', () => {
  it('lists one namespace, before and after changes', () => {
    const store = new Store();
    store.set('a/1', object('1', 'a'));
    expect(store.list('a').map((o) => o.metadata.name)).toEqual(['1']);
    store.set('a/2', object('2', 'a'));
    store.set('b/3', object('3', 'b'));
    store.delete('a/1');
    expect(store.list('a').map((o) => o.metadata.name)).toEqual(['2']);
    expect(store.list().map((o) => o.metadata.name)).toEqual(['2', '3']);
    expect(store.list('c')).toEqual([]);
  });

  it('indexes what is there already, and knows no other index', () => {
    const store = new Store();
    store.set('a', object('a', undefined, { l: 'x' }));
    store.addIndex('label', byLabel);
    expect(store.byIndex('label', 'x')).toHaveLength(1);
    expect(() => store.byIndex('other', 'x')).toThrow(expect.objectContaining({ code: 'UnknownIndex' }));
  });

  it('keeps the first function of a name', () => {
    const store = new Store();
    store.addIndex('label', byLabel);
    store.addIndex('label', () => ['nothing']);
    store.set('a', object('a', undefined, { l: 'x' }));
    expect(store.byIndex('label', 'x')).toHaveLength(1);
  });

  it('keeps indexes equal to a search, whatever is changed', () => {
    const change = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      labels: fc.option(fc.dictionary(fc.constantFrom('k1', 'k2', 'k3'), fc.constantFrom('x', 'y', 'z')), {
        nil: undefined,
      }),
    });
    fc.assert(
      fc.property(fc.array(change), fc.array(change), (before, after) => {
        const store = new Store();
        const truth = new Map<string, KubeObject>();
        const apply = ({ key, labels }: { key: string; labels: Record<string, string> | undefined }): void => {
          if (labels === undefined) {
            store.delete(key);
            truth.delete(key);
          } else {
            store.set(key, object(key, undefined, labels));
            truth.set(key, object(key, undefined, labels));
          }
        };
        before.forEach(apply);
        store.addIndex('label', byLabel);
        after.forEach(apply);
        for (const value of ['x', 'y', 'z']) {
          const expected = [...truth.values()]
            .filter((o) => byLabel(o).includes(value))
            .map((o) => o.metadata.name)
            .sort();
          expect(
            store
              .byIndex('label', value)
              .map((o) => o.metadata.name)
              .sort(),
          ).toEqual(expected);
        }
      }),
    );
  });
});
