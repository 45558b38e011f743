import { describe, expect, it } from '@jest/globals';
import { decideMismatch } from './decide-mismatch.js';

const object = 'APIServiceBinding databases';
const clusterNamespace = 'kube-bind-1';
const nowhere = { provider: undefined, consumer: undefined };
const here = { provider: 'p1', consumer: 'c1' };
const otherProvider = { side: 'provider', object, expected: 'p1', found: 'p2', clusterNamespace };
const otherConsumer = { side: 'consumer', object, expected: 'c1', found: 'c2' };

describe('decideMismatch', () => {
  it.each([
    ['the clusters that it is bound to', here, here, undefined],
    ['clusters, while it is bound to none', nowhere, here, undefined],
    ['nothing yet', here, nowhere, undefined],
    ['another provider', here, { provider: 'p2', consumer: 'c1' }, otherProvider],
    ['another provider, in a consumer that is not known', here, { provider: 'p2', consumer: undefined }, otherProvider],
    ['another consumer', here, { provider: 'p1', consumer: 'c2' }, otherConsumer],
    ['another consumer, without a connection', here, { provider: undefined, consumer: 'c2' }, otherConsumer],
    ['two other clusters: the consumer counts', here, { provider: 'p2', consumer: 'c2' }, otherConsumer],
  ])('of an object that finds %s', (_, bound, found, mismatch) => {
    expect(decideMismatch({ object, bound, found, clusterNamespace })).toEqual(mismatch);
  });
});
