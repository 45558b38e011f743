import type { AdmittedWrite } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import { describe, expect, it } from '@jest/globals';
import { Webhooks } from './admission.js';
import { NAMES } from './names.js';

const [{ group, plural }] = NAMES.bindings as readonly [(typeof NAMES.bindings)[number]];
const copy = {
  metadata: {
    name: 'object-24',
    annotations: {
      'hawser.dev/consumer-identity': 'cluster',
      'hawser.dev/consumer-object': 'one',
      'kube-bind.io/consumer-uid': 'uid',
    },
  },
  spec: { object: 24 },
};

function annotationsAfter(webhooks: Webhooks, object: JsonObject): unknown {
  const write = {
    resource: { group, resource: plural },
    subresource: '',
    user: { name: 'konnector' },
    object,
  } as unknown as AdmittedWrite;
  return (webhooks.mutate(write)['metadata'] as JsonObject)['annotations'];
}

describe('a webhook that takes our annotations away', () => {
  it('takes all of them, but from what two clusters want not the one that says whose it is', () => {
    const webhooks = new Webhooks();
    webhooks.add('strips-annotations');
    expect(annotationsAfter(webhooks, copy)).toEqual({ 'kube-bind.io/consumer-uid': 'uid' });
    webhooks.keepClusterOn(({ spec }) => (spec as JsonObject)['object'] === 24);
    expect(annotationsAfter(webhooks, copy)).toEqual({
      'hawser.dev/consumer-identity': 'cluster',
      'kube-bind.io/consumer-uid': 'uid',
    });
    expect(annotationsAfter(webhooks, { ...copy, spec: { object: 0 } })).toEqual({
      'kube-bind.io/consumer-uid': 'uid',
    });
  });
});
