import type { KubeObject } from '@hawser/client';
import { expect, it } from '@jest/globals';
import { readListOptions } from './options.js';
import { ownObjects } from './page.js';
import { Sight } from './sight.js';

/** Counts how often it is asked. */
class CountingSight extends Sight {
  count = 0;
  override sees(object: Pick<KubeObject, 'metadata'>): boolean {
    this.count++;
    return super.sees(object);
  }
}

const object = (namespace: string, name: string): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Plot',
  metadata: { namespace, name },
});
const objects = [
  ...Array.from({ length: 50 }, (_, index) => object('other', `o${index}`)),
  ...Array.from({ length: 3 }, (_, index) => object('own', `o${index}`)),
];

it.each([
  ['other', []],
  ['nobody', []],
  ['own', ['o0', 'o1', 'o2']],
  ['', ['o0', 'o1', 'o2']],
])(
  'does the same work for a list in the namespace "%s", so that its time does not tell what others have there',
  async (namespace, names) => {
    const sight = new CountingSight('own', [{ kind: 'namespaces', own: new Set(['own']), shared: new Set() }]);
    const own = await ownObjects({ objects }, sight, readListOptions(new URLSearchParams(), false), namespace);
    expect(own.map(({ metadata }) => metadata.name)).toEqual(names);
    expect(sight.count).toBe(objects.length);
  },
);
