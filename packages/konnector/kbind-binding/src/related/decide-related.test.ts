import type { Cluster } from '@hawser/controller';
import type { Binding } from '@hawser/core-kbind';
import type { ProviderLink } from '@hawser/kbind-connection';
import { describe, expect, it } from '@jest/globals';
import { decideRelated, decideRelatedEnd, RELATED_KINDS } from './decide-related.js';
import type { RelatedReading } from './reading.js';

const link = { connection: 'demo', cluster: {} as Cluster, localUID: 'l', remoteUID: 'r' } as ProviderLink;
const binding: Binding = {
  apiVersion: 'core.kbind.io/v1alpha1',
  kind: 'ClusterBinding',
  metadata: { name: 'demo', uid: 'the-binding', annotations: { [RELATED_KINDS]: 'secrets' } },
  spec: {
    connectionRef: { name: 'demo' },
    apis: [{ name: 'widgets.example.org' }],
    relatedResources: [{ group: '', resource: 'secrets', direction: 'FromConsumer' }],
  },
};
const reading = (bindingUID: string): RelatedReading => ({
  kind: 'secrets',
  bindingUID,
  link,
  surveyed: true,
  problems: [],
  troubles: [],
  left: 1,
});

describe('related objects', () => {
  it.each([
    ['of this binding run on', 'the-binding', []],
    // As after a restore: its copies bear the uid of this one, and deletions are proven by it.
    ['of another binding that had its name start anew', 'another', ['startRelated']],
  ])('%s', (_, uid, expected) => {
    const types = (actions: readonly { readonly type: string }[]): readonly string[] => actions.map(({ type }) => type);
    expect(types(decideRelated('demo', binding, link, [reading(uid)]))).toEqual(expected);
    expect(types(decideRelatedEnd('demo', binding, link, [reading(uid)]).steps)).toEqual(expected);
  });
});
