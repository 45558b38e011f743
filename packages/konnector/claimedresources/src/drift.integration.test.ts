import { type PermissionClaim, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { type ClaimsPair, claimOn, openClaimsPair } from './testing/claims-pair.js';

const HASH = 'hawser.dev/wanted-hash';

describeWithControlPlane('claimedresources, where somebody changes a copy', () => {
  let pair: ClaimsPair;
  let app: { readonly app: string };
  let labelled: PermissionClaim;
  beforeEach(async () => {
    pair = await openClaimsPair();
    app = { app: pair.group };
    labelled = claimOn('secrets', { labelSelector: { matchLabels: app } });
    await pair.start();
    await pair.bound([labelled]);
    await pair.assign();
  });
  afterEach(async () => {
    await pair.close();
  });

  const annotate = (annotations: Readonly<Record<string, string | null>>): Promise<unknown> =>
    pair.consumer.patch(
      resources.apiServiceBindings,
      { name: pair.name },
      { type: 'merge', patch: { metadata: { annotations } } },
    );
  const change = (
    side: 'consumer' | 'provider',
    name: string,
    data: Readonly<Record<string, string | null>>,
  ): Promise<unknown> =>
    pair
      .client(side)
      .patch(resources.secrets, pair.key(side, name), { type: 'merge', patch: { data } }, { fieldManager: 'somebody' });

  it('leaves and tells it under Report, carries what the original changes, and puts it back under Correct', async () => {
    await pair.secret('provider', 'theirs', { labels: app, data: { a: 'MQ==', b: 'MQ==' } });
    const copy = await pair.eventuallyOn('consumer', 'theirs');
    expect(copy.metadata.annotations).toHaveProperty([HASH]);
    await annotate({ 'hawser.dev/drift-policy': 'Report' });
    await change('consumer', 'theirs', { a: 'eA==' });
    const { message } = await pair.becomes(pair.name, 'ClaimsInSync', {
      status: 'False',
      reason: 'ClaimedObjectDrifted',
      message: 'data.a',
    });
    expect(message).not.toContain('eA==');
    // The provider's later changes come, and they alone: after a restart, too.
    await pair.stop();
    await change('provider', 'theirs', { b: 'Mg==' });
    await pair.start();
    await pair.eventuallyOn('consumer', 'theirs', ({ data }) => {
      expect(data).toEqual({ a: 'eA==', b: 'Mg==' });
    });
    await annotate({ 'hawser.dev/drift-policy': 'Ignore' });
    await pair.becomes(pair.name, 'ClaimsInSync', { status: 'True' });
    expect((await pair.read('consumer', 'theirs'))?.['data']).toEqual({ a: 'eA==', b: 'Mg==' });
    await annotate({ 'hawser.dev/drift-policy': null });
    await pair.eventuallyOn('consumer', 'theirs', ({ data }) => {
      expect(data).toEqual({ a: 'MQ==', b: 'Mg==' });
    });
  });

  it('leaves ignored fields to the side of the copy, in both directions', async () => {
    await annotate({ 'hawser.dev/drift-ignore': '/data/a' });
    await pair.secret('consumer', 'mine', { labels: app, data: { a: 'MQ==', b: 'MQ==' } });
    await pair.eventuallyOn('provider', 'mine', ({ data }) => {
      expect(data).toEqual({ a: 'MQ==', b: 'MQ==' });
    });
    await change('provider', 'mine', { a: 'eA==', b: 'eA==' });
    await pair.eventuallyOn('provider', 'mine', ({ data }) => {
      expect(data).toEqual({ a: 'eA==', b: 'MQ==' });
    });
    await change('consumer', 'mine', { a: 'Mg==', b: 'Mg==' });
    await pair.eventuallyOn('provider', 'mine', ({ data }) => {
      expect(data).toEqual({ a: 'eA==', b: 'Mg==' });
    });
    expect(
      (await pair.binding(pair.name)).status?.conditions?.find(({ type }) => type === 'ClaimsInSync'),
    ).toBeUndefined();
  });

  it('names the other writer of a field that two fight over, and lets go of it', async () => {
    await pair.secret('provider', 'theirs', { labels: app });
    await pair.eventuallyOn('consumer', 'theirs');
    const fight = new AbortController();
    const fighting = (async () => {
      while (!fight.signal.aborted) {
        if (((await pair.read('consumer', 'theirs'))?.['data'] as { readonly k?: string } | undefined)?.k === 'dg==')
          await pair.consumer.patch(
            resources.secrets,
            pair.key('consumer', 'theirs'),
            { type: 'merge', patch: { data: { k: 'eA==' } } },
            { fieldManager: 'vault-agent' },
          );
      }
    })();
    try {
      const condition = await pair.becomes(pair.name, 'ClaimsInSync', {
        status: 'False',
        reason: 'ClaimedFieldContested',
        message: '"vault-agent" writes data.k',
      });
      expect(condition.message).not.toMatch(/eA==|dg==/u);
    } finally {
      fight.abort();
      await fighting;
    }
    const since = await pair.read('consumer', 'theirs');
    expect(since).toMatchObject({ data: { k: 'eA==' } });
    // A change of the original ends that at once.
    await change('provider', 'theirs', { k: 'bmV3' });
    await pair.eventuallyOn('consumer', 'theirs', ({ data }) => {
      expect(data).toEqual({ k: 'bmV3' });
    });
    await pair.becomes(pair.name, 'ClaimsInSync', { status: 'True' });
  });

  it('takes over copies that another konnector made without a write, and tells by managedFields what changed', async () => {
    const original = await pair.secret('provider', 'theirs', { labels: app });
    await pair.eventuallyOn('consumer', 'theirs');
    await pair.stop();
    const bare = (
      await pair.consumer.patch(resources.secrets, pair.key('consumer', 'theirs'), {
        type: 'merge',
        patch: { metadata: { annotations: { [HASH]: null, 'hawser.dev/provider-identity': null } } },
      })
    ).metadata.resourceVersion;
    await annotate({ 'hawser.dev/drift-policy': 'Report' });
    const claimed = await pair.start();
    await eventually(
      () => {
        expect(claimed.plan(resources.secrets, `${pair.team}/theirs`)?.verdict.kind).toBe('inStep');
      },
      { timeoutMs: 60_000 },
    );
    expect((await pair.read('consumer', 'theirs'))?.metadata.resourceVersion).toBe(bare);
    await change('provider', 'theirs', { k: 'bmV3' });
    const copy = await pair.eventuallyOn('consumer', 'theirs', ({ data }) => {
      expect(data).toEqual({ k: 'bmV3' });
    });
    expect(copy.metadata.annotations).toMatchObject({ 'kube-bind.io/provider-uid': original.metadata.uid });
    expect(copy.metadata.annotations).toHaveProperty([HASH]);
    expect(
      (await pair.binding(pair.name)).status?.conditions?.find(({ type }) => type === 'ClaimsInSync'),
    ).toBeUndefined();
  });
});
