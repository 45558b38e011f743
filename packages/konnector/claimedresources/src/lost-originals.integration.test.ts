import { resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { type Side, otherSide } from './marks.js';
import { type ClaimsPair, claimOn, openClaimsPair } from './testing/claims-pair.js';

const NAMES = ['one', 'two', 'three'];
const LONG = { timeoutMs: 30_000 };

describeWithControlPlane('claimed objects that a restored backup has lost', () => {
  let pair: ClaimsPair;
  beforeEach(async () => {
    pair = await openClaimsPair();
  });
  afterEach(async () => {
    await pair.close();
  });

  it.each<Side>(['consumer', 'provider'])(
    'of the %s take no copy along before somebody says so, also after a restart',
    async (side) => {
      const copies = otherSide(side);
      const labels = { app: pair.group };
      const bounds = { deletionsPerMinute: 2, missingGraceMs: 500 };
      const there = async (): Promise<number> =>
        (await Promise.all(NAMES.map((name) => pair.read(copies, name)))).filter((copy) => copy !== undefined).length;
      await pair.start(undefined, bounds);
      await pair.bound([claimOn('secrets', { labelSelector: { matchLabels: labels } })]);
      await pair.assign();
      for (const name of NAMES) await pair.secret(side, name, { labels });
      for (const name of NAMES) await pair.eventuallyOn(copies, name);
      // Nobody watches meanwhile: what is missing afterwards may have been lost.
      await pair.stop();
      for (const name of NAMES) await pair.client(side).delete(resources.secrets, pair.key(side, name));
      await pair.start(undefined, bounds);
      const { message = '' } = await pair.becomes(pair.name, 'ClaimsInSync', {
        status: 'False',
        reason: 'ClaimedDeletionsHeld',
        message: '3 claimed copies would be deleted',
      });
      await pair.stop();
      const again = await pair.start(undefined, bounds);
      await eventually(() => {
        expect(again.plan(resources.secrets, `${pair.team}/three`)?.verdict).toMatchObject({
          kind: 'orphan',
          message: expect.stringContaining('It is kept'),
        });
      }, LONG);
      expect(await there()).toBe(3);
      // One comes back: the rest would be few enough, and waits all the same.
      await pair.secret(side, 'one', { labels, data: { k: 'bmV3' } });
      await pair.eventuallyOn(copies, 'one', ({ data }) => {
        expect(data).toEqual({ k: 'bmV3' });
      });
      const next = await pair.becomes(pair.name, 'ClaimsInSync', {
        status: 'False',
        reason: 'ClaimedDeletionsHeld',
        message: '2 claimed copies',
      });
      expect(await there()).toBe(3);
      const tokenOf = (text: string): string => /approve-deletions: ([^"]+)"/u.exec(text)?.[1] ?? '';
      const approve = (token: string): Promise<unknown> =>
        pair.consumer.patch(
          resources.apiServiceBindings,
          { name: pair.name },
          { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/approve-deletions': token } } } },
        );
      // What was said of others approves nothing.
      await approve(tokenOf(message));
      expect(await there()).toBe(3);
      await approve(tokenOf(next.message ?? ''));
      await eventually(async () => {
        expect(await there()).toBe(1);
      }, LONG);
      await pair.becomes(pair.name, 'ClaimsInSync', { status: 'True' });
    },
  );
});
