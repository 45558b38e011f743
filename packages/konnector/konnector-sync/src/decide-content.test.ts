import { describe, expect, it } from '@jest/globals';

import { type BindingPolicy, defaultPolicy } from './binding-policy.js';
import { decide } from './decide.js';
import type { Action, Decision } from './decision.js';
import type { Observed } from './observed.js';
import { consumerObject, copyObject, observed, ownMarks, settings } from './testing/snapshots.js';
import { wantedHash, wantedOf } from './wanted.js';

const under = (policy: Partial<BindingPolicy>, pair: Observed): Decision =>
  decide(pair, { ...settings, policy: { ...defaultPolicy, ...policy } });
const patchOf = ({ actions }: Decision): Extract<Action, { type: 'patchCopy' }> | undefined =>
  actions.find((action) => action.type === 'patchCopy');

describe('a copy of a former object of that name', () => {
  it.each(['Report', 'Ignore'] as const)(
    'gets all that the new object says, also under the drift policy %s',
    (drift) => {
      const recreated = consumerObject({ size: 'large' }, { uid: 'new-uid' });
      const decision = under(
        { drift },
        observed(recreated, copyObject({ size: 'changed by the provider' }, {}, recreated)),
      );
      expect(patchOf(decision)).toMatchObject({
        wanted: { fields: { spec: { size: 'large' } } },
        annotations: { 'kube-bind.io/consumer-uid': 'new-uid' },
      });
    },
  );
});

describe('a look at managedFields', () => {
  const consumer = consumerObject();
  const copy = copyObject({ size: 'small', leftover: true, more: 1 }, { annotations: ownMarks });
  const after = (extrasKey: (asked: string) => string, hash: (asked: string) => string): readonly string[] => {
    const [asked] = decide(observed(consumer, copy), settings).actions;
    if (asked?.type !== 'inspectCopy') throw new Error('expected an inspection');
    const inspection = {
      wantedHash: hash(asked.wantedHash),
      extrasKey: extrasKey(asked.extrasKey),
      leftover: [['spec', 'leftover']],
    };
    return decide(observed(consumer, copy, { memory: { inspection } }), settings).actions.map(({ type }) => type);
  };
  const same = (text: string): string => text;

  it('counts for the fields and the content that it was made for', () => {
    expect(after(same, same)).toEqual(['patchCopy']);
  });
  it('is repeated where other fields are left over by now', () => {
    expect(after(() => 'spec\u0000leftover', same)).toEqual(['inspectCopy']);
  });
  it('is repeated where something else is wanted by now', () => {
    expect(after(same, () => wantedHash(wantedOf(consumerObject({ size: 'huge' }))))).toEqual(['inspectCopy']);
  });
});
