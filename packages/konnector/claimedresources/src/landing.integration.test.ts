import { resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueNamespace } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { type ClaimsPair, claimOn, openClaimsPair } from './testing/claims-pair.js';

const LONG = { timeoutMs: 30_000 };

describeWithControlPlane('namespaces into which claims bring objects', () => {
  let pair: ClaimsPair;
  beforeEach(async () => {
    pair = await openClaimsPair();
  });
  afterEach(async () => {
    await pair.close();
  });

  it('are those with bound objects of the provider, those made for it, and those that the operator opens', async () => {
    const labels = { app: pair.group };
    await pair.start();
    await pair.bound([claimOn('secrets', { labelSelector: { matchLabels: labels } })], 'Prefixed', false);
    await pair.assign();
    // As Argo CD would take it for a cluster, in a namespace that only the provider has asked for.
    await pair.secret('provider', 'cluster', { labels: { ...labels, 'argocd.argoproj.io/secret-type': 'cluster' } });
    const { message = '' } = await pair.becomes(pair.name, 'ClaimsInSync', {
      status: 'False',
      reason: 'ClaimedNamespaceClosed',
      message: pair.team,
    });
    expect(message).toContain(`hawser.dev/claim-namespaces: ${pair.team}`);
    expect(await pair.read('consumer', 'cluster')).toBeUndefined();
    expect((await pair.read('provider', 'cluster'))?.metadata.labels).not.toHaveProperty(['kube-bind.io/owner']);
    // What the consumer has there goes out as ever.
    await pair.secret('consumer', 'mine', { labels });
    await pair.eventuallyOn('provider', 'mine');
    expect(await pair.read('consumer', 'cluster')).toBeUndefined();

    await eventually(
      () =>
        pair.consumer.create(pair.tests, {
          apiVersion: `${pair.group}/v1`,
          kind: 'Test',
          metadata: pair.key('consumer', 'one'),
          spec: {},
        } as never),
      LONG,
    );
    await pair.eventuallyOn('consumer', 'cluster');
    await pair.becomes(pair.name, 'ClaimsInSync', { status: 'True' });
    // What has come is looked after when the last object goes; nothing more comes.
    await pair.consumer.delete(pair.tests, pair.key('consumer', 'one'));
    await pair.provider.patch(resources.secrets, pair.key('provider', 'cluster'), {
      type: 'merge',
      patch: { data: { k: 'bmV3' } },
    });
    await pair.eventuallyOn('consumer', 'cluster', ({ data }) => {
      expect(data).toEqual({ k: 'bmV3' });
    });
    await pair.secret('provider', 'second', { labels });
    await pair.becomes(pair.name, 'ClaimsInSync', { status: 'False', reason: 'ClaimedNamespaceClosed' });
    await pair.consumer.patch(
      resources.apiServiceBindings,
      { name: pair.name },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/claim-namespaces': pair.team } } } },
    );
    await pair.eventuallyOn('consumer', 'second');
  });

  it('are those that were made for the provider, and for no other', async () => {
    const labels = { app: pair.group };
    const identity =
      (await pair.provider.get(resources.namespaces, { name: pair.clusterNamespace })).metadata.uid ?? '';
    const others = uniqueNamespace('others');
    const made = (name: string, provider: string): Promise<unknown> =>
      pair.consumer.patch(
        resources.namespaces,
        { name },
        {
          type: 'merge',
          patch: {
            metadata: {
              labels: { 'kube-bind.io/owner': 'provider' },
              annotations: { 'hawser.dev/provider-identity': provider },
            },
          },
        },
      );
    await pair.consumer.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: others },
    });
    await made(others, 'another');
    await made(pair.team, identity);
    await pair.start();
    await pair.bound([claimOn('secrets', { labelSelector: { matchLabels: labels } })], 'Prefixed', false);
    await pair.assign();
    await pair.secret('provider', 'issued', { labels });
    await pair.eventuallyOn('consumer', 'issued');
    const assigned = `${pair.clusterNamespace}-${others}`;
    await pair.provider.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: assigned },
    });
    await pair.secret('provider', 'issued', { labels, namespace: assigned });
    const key = { namespace: pair.clusterNamespace, name: others };
    await pair.provider.create(resources.apiServiceNamespaces, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceNamespace',
      metadata: key,
      spec: {},
    } as never);
    await pair.provider.patch(
      resources.apiServiceNamespaces,
      key,
      { type: 'merge', patch: { status: { namespace: assigned } } },
      { subresource: 'status' },
    );
    await pair.becomes(pair.name, 'ClaimsInSync', {
      status: 'False',
      reason: 'ClaimedNamespaceClosed',
      message: others,
    });
  });
});
