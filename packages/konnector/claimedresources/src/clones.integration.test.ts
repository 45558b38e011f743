import type { UnstructuredObject } from '@hawser/client';
import { resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { type Side, otherSide } from './marks.js';
import { type ClaimsPair, claimOn, openClaimsPair } from './testing/claims-pair.js';

const LONG = { timeoutMs: 30_000 };

describeWithControlPlane('clones of claimed objects', () => {
  let pair: ClaimsPair;
  beforeEach(async () => {
    pair = await openClaimsPair();
  });
  afterEach(async () => {
    await pair.close();
  });

  /** `get -o yaml | sed s/name/other/ | create`: annotations and labels come along, and managedFields too, if somebody shows them. */
  const clone = (
    side: Side,
    { metadata, ...content }: UnstructuredObject,
    name: string,
    more: object = {},
  ): Promise<UnstructuredObject> => {
    const { annotations = {}, labels = {}, managedFields = [] } = metadata;
    return pair.client(side).create(resources.secrets, {
      ...content,
      metadata: { ...pair.key(side, name), annotations, labels, managedFields, ...more },
    });
  };

  it.each<Side>(['consumer', 'provider'])(
    'a clone of a copy on the %s, and the child of an operator with its marks, stay, and are told',
    async (side) => {
      const from = otherSide(side);
      const labels = { app: pair.group };
      await pair.start();
      await pair.bound([claimOn('secrets', { labelSelector: { matchLabels: labels } })]);
      await pair.assign();
      await pair.secret(from, 'credentials', { labels });
      const copy = await pair.eventuallyOn(side, 'credentials');
      await clone(side, copy, 'my-backup');
      await clone(side, { ...copy, data: { own: 'MQ==' } }, 'child', {
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            name: 'x',
            uid: crypto.randomUUID(),
            controller: true,
            blockOwnerDeletion: false,
          },
        ],
      });
      await pair.becomes(pair.name, 'ClaimsInSync', {
        status: 'False',
        reason: 'ClaimedCopyMisleading',
        message: 'my-backup',
      });
      // An object of that name on the other side does not overwrite it, and does not take it along when it goes.
      await pair.secret(from, 'child', { labels, data: { k: 'Mg==' } });
      await pair.client(from).delete(resources.secrets, pair.key(from, 'credentials'));
      await eventually(async () => {
        expect(await pair.read(side, 'credentials')).toBeUndefined();
      }, LONG);
      await pair.client(from).delete(resources.secrets, pair.key(from, 'child'));
      await pair.becomes(pair.name, 'ClaimsInSync', { status: 'False', message: 'child' });
      expect((await pair.read(side, 'child'))?.['data']).toEqual({ own: 'MQ==' });
      expect((await pair.read(side, 'my-backup'))?.['data']).toEqual({ k: 'dg==' });
    },
  );
});
