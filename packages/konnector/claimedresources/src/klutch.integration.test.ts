import { resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { klutchMarks } from './klutch-marks.js';
import { readKlutchClaim } from './klutch-claim.js';
import { type Side, otherSide } from './marks.js';
import { type ClaimsPair, claimOn, openClaimsPair } from './testing/claims-pair.js';

const OWNER = 'klutch.anynines.com/resource-owner';
const WORDS = { consumer: 'Consumer', provider: 'Provider' } as const;
const LONG = { timeoutMs: 60_000 };

describeWithControlPlane('claims as Klutch has them', () => {
  let pair: ClaimsPair;
  beforeEach(async () => {
    pair = await openClaimsPair();
  });
  afterEach(async () => {
    await pair.close();
  });

  /** The claim is on these names, of that owner, in the team's namespace. */
  const serve = async (names: readonly string[], owner?: 'Provider' | 'Consumer'): Promise<void> => {
    const claim = readKlutchClaim({
      group: '',
      resource: 'secrets',
      selector: { names: [...names], namespaces: [pair.team], ...(owner === undefined ? {} : { owner }) },
    });
    await pair.start(undefined, { marks: klutchMarks, claimsOf: () => [claim] });
  };
  const ownerOf = async (side: Side, name: string): Promise<string | undefined> =>
    (await pair.read(side, name))?.metadata.annotations?.[OWNER];
  const set = (side: Side, name: string, data: Readonly<Record<string, string | null>>): Promise<unknown> =>
    pair
      .client(side)
      .patch(resources.secrets, pair.key(side, name), { type: 'merge', patch: { data } }, { fieldManager: 'somebody' });

  it.each<Side>(['provider', 'consumer'])(
    'an object of the %s appears on the other side, where edits are overwritten and deletions repaired; its own edits and its deletion arrive',
    async (owner) => {
      const other = otherSide(owner);
      await serve(['db-creds']);
      await pair.bound([claimOn('secrets', {})]);
      await pair.assign();
      await pair.secret(owner, 'db-creds', { data: { password: 'MQ==' } });
      const copy = await pair.eventuallyOn(other, 'db-creds', ({ data }) => {
        expect(data).toEqual({ password: 'MQ==' });
      });
      expect([await ownerOf(owner, 'db-creds'), await ownerOf(other, 'db-creds')]).toEqual([
        WORDS[owner],
        WORDS[owner],
      ]);

      await set(other, 'db-creds', { password: 'eA==' });
      await pair.eventuallyOn(other, 'db-creds', ({ data }) => {
        expect(data).toEqual({ password: 'MQ==' });
      });
      await set(owner, 'db-creds', { password: 'Mg==' });
      await pair.eventuallyOn(other, 'db-creds', ({ data }) => {
        expect(data).toEqual({ password: 'Mg==' });
      });
      await pair.client(other).delete(resources.secrets, pair.key(other, 'db-creds'));
      await pair.eventuallyOn(other, 'db-creds', ({ metadata }) => {
        expect(metadata.uid).not.toBe(copy.metadata.uid);
      });
      await pair.client(owner).delete(resources.secrets, pair.key(owner, 'db-creds'));
      await eventually(async () => {
        expect(await pair.read(other, 'db-creds')).toBeUndefined();
      }, LONG);
      expect(await pair.read(owner, 'db-creds')).toBeUndefined();
    },
  );

  it("takes over what a Klutch konnector made without a write, keeps a copy whose original went unseen, and does not take what is the other side's", async () => {
    await pair.provider.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: pair.teamOnProvider },
    });
    const annotations = { [OWNER]: 'Provider' };
    const made = await Promise.all(
      (['consumer', 'provider'] as const).map((side) => pair.secret(side, 'known', { annotations })),
    );
    await pair.secret('consumer', 'left-over', { annotations });
    const own = await pair.secret('consumer', 'own', { data: { mine: 'MQ==' } });
    await serve(['known', 'left-over', 'own', 'before'], 'Provider');
    await pair.bound([claimOn('secrets', {})]);
    await pair.assign();
    await pair.secret('consumer', 'before', { data: { mine: 'MQ==' } });
    await pair.secret('provider', 'before');
    const condition = await pair.becomes(pair.name, 'ClaimsInSync', { status: 'False', message: 'before' });
    expect(condition.message).toContain('ClaimedObjectExists');
    expect((await pair.read('consumer', 'before'))?.['data']).toEqual({ mine: 'MQ==' });
    expect(await pair.read('consumer', 'left-over')).toBeDefined();
    expect([
      (await pair.read('consumer', 'own'))?.metadata.resourceVersion,
      await pair.read('provider', 'own'),
    ]).toEqual([own.metadata.resourceVersion, undefined]);
    expect([
      (await pair.read('consumer', 'known'))?.metadata.resourceVersion,
      (await pair.read('provider', 'known'))?.metadata.resourceVersion,
    ]).toEqual(made.map(({ metadata }) => metadata.resourceVersion));

    // One that is seen to go takes its copy along; what changes is written with all marks.
    await set('provider', 'known', { k: 'bmV3' });
    const copy = await pair.eventuallyOn('consumer', 'known', ({ data }) => {
      expect(data).toEqual({ k: 'bmV3' });
    });
    expect(copy.metadata.annotations).toMatchObject({
      [OWNER]: 'Provider',
      'kube-bind.io/provider-namespace': pair.teamOnProvider,
    });
    await pair.provider.delete(resources.secrets, pair.key('provider', 'known'));
    await eventually(async () => {
      expect(await pair.read('consumer', 'known')).toBeUndefined();
    }, LONG);

    await pair.consumer.patch(
      resources.apiServiceBindings,
      { name: pair.name },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/conflict-policy': 'Adopt' } } } },
    );
    await pair.eventuallyOn('consumer', 'before', ({ data, metadata }) => {
      expect([data, metadata.annotations?.[OWNER]]).toEqual([{ k: 'dg==' }, 'Provider']);
    });
  });
});
