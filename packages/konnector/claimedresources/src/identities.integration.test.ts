import { readConsumerIdentity, readProviderIdentity } from '@hawser/konnector-connection';
import { describeWithControlPlane } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { type KonnectorPair, openKonnectorPair } from '../../konnector-connection/src/testing/konnector-pair.js';
import { type Identities, isReplaced } from './identities.js';

describeWithControlPlane('isReplaced', () => {
  const { signal } = new AbortController();
  let pair: KonnectorPair;
  let known: Identities;
  beforeEach(async () => {
    pair = await openKonnectorPair();
    const { clusterNamespace, consumer, provider } = pair;
    known = {
      clusterNamespace,
      consumerCluster: await readConsumerIdentity(consumer, signal),
      clusterNamespaceUid: await readProviderIdentity(provider, clusterNamespace, signal),
    };
  });
  afterEach(async () => {
    await pair.close();
  });

  it('tells the cluster that is served from another one that answers in its place, on both sides', async () => {
    expect(await isReplaced('consumer', pair.consumer, known, signal)).toBe(false);
    expect(await isReplaced('provider', pair.provider, known, signal)).toBe(false);
    expect(await isReplaced('consumer', pair.consumer, { ...known, consumerCluster: 'another' }, signal)).toBe(true);
    expect(await isReplaced('provider', pair.provider, { ...known, clusterNamespaceUid: 'another' }, signal)).toBe(
      true,
    );
  });
});
