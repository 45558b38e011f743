import type { Resource } from '@hawser/client';
import { crdOf } from '@hawser/installation';
import { type PermissionClaim, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { createClaimDiscovery } from './discovery.js';
import type { Side } from './marks.js';
import { type ClaimsPair, claimOn, openClaimsPair } from './testing/claims-pair.js';

const services: Resource = { group: '', version: 'v1', resource: 'services' };

describeWithControlPlane('claims on any resource', () => {
  let pair: ClaimsPair;
  let app: { readonly app: string };
  let labelled: PermissionClaim['selector'];
  let gadgets: Resource;
  const installed: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    pair = await openClaimsPair();
    app = { app: pair.group };
    labelled = { labelSelector: { matchLabels: app } };
    gadgets = { group: `gadgets.${pair.group}`, version: 'v1', resource: 'gadgets' };
    await pair.grant([
      { apiGroups: [''], resources: ['services'], verbs: ['*'] },
      { apiGroups: [gadgets.group], resources: ['*'], verbs: ['*'] },
    ]);
  });
  afterEach(async () => {
    for (const undo of installed.splice(0)) await undo().catch(() => undefined);
    await pair.close();
  });

  const install = async (
    side: Side,
    plural = 'gadgets',
    scope: 'Namespaced' | 'Cluster' = 'Namespaced',
  ): Promise<void> => {
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const crd = crdOf(
      { group: gadgets.group, plural, kind: plural === 'gadgets' ? 'Gadget' : 'Wide', scope },
      { properties: { spec: open, config: open, status: open } },
    );
    await pair.client(side).create(resources.customResourceDefinitions, crd);
    installed.push(() => pair.client(side).delete(resources.customResourceDefinitions, { name: crd.metadata.name }));
  };
  const gadget = (side: Side, name: string, fields: object): Promise<unknown> =>
    pair.client(side).create(gadgets, {
      apiVersion: `${gadgets.group}/v1`,
      kind: 'Gadget',
      metadata: { ...pair.key(side, name), labels: app },
      ...fields,
    });
  const claimOnGadgets = (): PermissionClaim => ({ group: gadgets.group, resource: 'gadgets', selector: labelled });

  it('are served for a CRD in both directions: everything but metadata and status, changed, repaired and taken away', async () => {
    await Promise.all([install('consumer'), install('provider')]);
    await pair.start(undefined, { claimable: 'Any' });
    await pair.bound([claimOnGadgets()]);
    await pair.assign();
    await gadget('consumer', 'mine', { spec: { size: 1 }, config: { a: 'b' }, status: { phase: 'here' } });
    await gadget('provider', 'theirs', { spec: { size: 2 } });
    const copy = await pair.eventuallyOn(
      'provider',
      'mine',
      ({ spec, config }) => {
        expect([spec, config]).toEqual([{ size: 1 }, { a: 'b' }]);
      },
      gadgets,
    );
    expect(copy).not.toHaveProperty('status');
    await pair.eventuallyOn(
      'consumer',
      'theirs',
      ({ spec }) => {
        expect(spec).toEqual({ size: 2 });
      },
      gadgets,
    );

    // What the other side adds stays; what it changes is put back; what goes goes.
    await pair.provider.patch(
      gadgets,
      pair.key('provider', 'mine'),
      { type: 'merge', patch: { spec: { size: 9, defaulted: true } } },
      { fieldManager: 'somebody' },
    );
    await pair.eventuallyOn(
      'provider',
      'mine',
      ({ spec }) => {
        expect(spec).toEqual({ size: 1, defaulted: true });
      },
      gadgets,
    );
    await pair.consumer.patch(gadgets, pair.key('consumer', 'mine'), {
      type: 'merge',
      patch: { spec: { size: null, shape: 'round' }, config: null },
    });
    await pair.eventuallyOn(
      'provider',
      'mine',
      (found) => {
        expect([found['spec'], found['config']]).toEqual([{ shape: 'round', defaulted: true }, undefined]);
      },
      gadgets,
    );
    await pair.consumer.delete(gadgets, pair.key('consumer', 'theirs'));
    await pair.eventuallyOn('consumer', 'theirs', undefined, gadgets);
    for (const [side, name] of [
      ['consumer', 'mine'],
      ['provider', 'theirs'],
    ] as const)
      await pair.client(side).delete(gadgets, pair.key(side, name));
    await eventually(
      async () => {
        expect([await pair.read('provider', 'mine', gadgets), await pair.read('consumer', 'theirs', gadgets)]).toEqual([
          undefined,
          undefined,
        ]);
      },
      { timeoutMs: 60_000 },
    );
  });

  it('are served for what is built in: a Service without what its cluster has assigned, and nothing is written once in step', async () => {
    await pair.start(undefined, { claimable: 'Any' });
    await pair.bound([claimOn('services', labelled), claimOn('secrets', labelled)]);
    await pair.assign();
    const original = await pair.provider.create(services, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...pair.key('provider', 'db'), labels: app },
      spec: { type: 'NodePort', ports: [{ port: 5432 }], selector: app },
    } as never);
    const copy = await pair.eventuallyOn('consumer', 'db', undefined, services);
    expect(copy).toMatchObject({ spec: { type: 'NodePort', selector: app, ports: [{ port: 5432, protocol: 'TCP' }] } });
    expect(original['spec' as never]).toHaveProperty('clusterIP');
    await pair.stop();
    const writes = await pair.writesDuring(async () => {
      const claimed = await pair.start(undefined, { claimable: 'Any' });
      await eventually(
        () => {
          expect(claimed.plan(services, `${pair.team}/db`)?.verdict.kind).toMatch(/^(?:inStep|rewritten)$/u);
        },
        { timeoutMs: 60_000 },
      );
    });
    expect(writes).toEqual([]);
    expect((await pair.read('consumer', 'db', services))?.metadata.resourceVersion).toBe(copy.metadata.resourceVersion);
    await pair.provider.patch(services, pair.key('provider', 'db'), {
      type: 'merge',
      patch: { spec: { ports: [{ port: 5433 }] } },
    });
    await pair.eventuallyOn(
      'consumer',
      'db',
      ({ spec }) => {
        expect(spec).toMatchObject({ ports: [{ port: 5433 }] });
      },
      services,
    );
    await pair.provider.delete(services, pair.key('provider', 'db'));
    await eventually(
      async () => {
        expect(await pair.read('consumer', 'db', services)).toBeUndefined();
      },
      { timeoutMs: 60_000 },
    );
  });

  it("wait for nobody else's: what is missing, cluster-scoped or not for claims is told, and served when it comes", async () => {
    await Promise.all([
      install('provider'),
      install('consumer', 'wides', 'Cluster'),
      install('provider', 'wides', 'Cluster'),
    ]);
    await pair.start(undefined, { claimable: 'Any', discoveryRetryMs: 300 });
    await pair.bound([
      claimOnGadgets(),
      { group: gadgets.group, resource: 'wides', selector: labelled },
      { group: 'rbac.authorization.k8s.io', resource: 'roles', selector: labelled },
      claimOn('secrets', labelled),
    ]);
    await pair.assign();
    await pair.secret('consumer', 'mine', { labels: app });
    await pair.eventuallyOn('provider', 'mine');
    const { message } = await pair.becomes(pair.name, 'ClaimsInSync', {
      status: 'False',
      reason: 'ClaimedResourceMissing',
      message: "the consumer's API server does not have that resource",
    });
    expect(message).toContain('on the consumer it is not namespaced');
    expect(message).toContain('group rbac.authorization.k8s.io is not for claims');
    await install('consumer');
    await gadget('provider', 'theirs', { spec: { size: 2 } });
    await pair.eventuallyOn('consumer', 'theirs', undefined, gadgets);
    await pair.becomes(pair.name, 'ClaimsInSync', { status: 'False', reason: 'ClaimNotSupported' });
  });

  it('are waited for only as long as somebody claims them', async () => {
    const discovery = createClaimDiscovery({ consumer: pair.consumer, provider: pair.provider }, () => 0);
    const missing = { group: pair.group, resource: 'nowheres' };
    const { signal } = new AbortController();
    await discovery.learn([missing], signal);
    expect([discovery.claimable(missing).kind, discovery.waits]).toEqual(['refused', true]);
    await discovery.learn([services], signal);
    expect([discovery.claimable(services).kind, discovery.waits]).toEqual(['claimable', false]);
  });
});
