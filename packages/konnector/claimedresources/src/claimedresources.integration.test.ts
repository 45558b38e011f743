import type { Resource } from '@hawser/client';
import { type PermissionClaim, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { type ClaimsPair, claimOn, openClaimsPair } from './testing/claims-pair.js';

const OWNER = 'kube-bind.io/owner';

describeWithControlPlane('claimedresources', () => {
  let pair: ClaimsPair;
  let app: { readonly app: string };
  let labelled: PermissionClaim;
  beforeEach(async () => {
    pair = await openClaimsPair();
    // Labels are looked for in the whole cluster, which others use too.
    app = { app: pair.group };
    labelled = claimOn('secrets', { labelSelector: { matchLabels: app } });
  });
  afterEach(async () => {
    await pair.close();
  });

  it('copies a labelled Secret to the provider, follows it, and takes the copy away when it is deleted', async () => {
    await pair.start();
    await pair.bound([labelled]);
    const original = await pair.secret('consumer', 'mine', {
      labels: { ...app, tier: 'gold' },
      annotations: { note: 'x', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
    });
    await pair.secret('consumer', 'private');
    // Asked for, and not waited for.
    await eventually(
      () => pair.provider.get(resources.apiServiceNamespaces, { namespace: pair.clusterNamespace, name: pair.team }),
      { timeoutMs: 20_000 },
    );
    await pair.assign();
    const copy = await pair.eventuallyOn('provider', 'mine');
    expect(copy).toMatchObject({ data: { k: 'dg==' }, type: 'Opaque' });
    expect(copy.metadata.labels).toEqual({ ...app, tier: 'gold', [OWNER]: 'consumer' });
    expect(copy.metadata.annotations).toMatchObject({
      note: 'x',
      'kube-bind.io/consumer-namespace': pair.team,
      'kube-bind.io/consumer-uid': original.metadata.uid,
    });
    expect(copy.metadata.annotations).not.toHaveProperty(['kubectl.kubernetes.io/last-applied-configuration']);
    expect((await pair.read('consumer', 'mine'))?.metadata.labels).toMatchObject({ [OWNER]: 'consumer' });

    await pair.consumer.patch(resources.secrets, pair.key('consumer', 'mine'), {
      type: 'merge',
      patch: { data: { k: null, other: 'bmV3' }, metadata: { labels: { tier: null } } },
    });
    await pair.eventuallyOn('provider', 'mine', ({ data, metadata }) => {
      expect([data, metadata.labels]).toEqual([{ other: 'bmV3' }, { ...app, [OWNER]: 'consumer' }]);
    });
    expect(await pair.read('provider', 'private')).toBeUndefined();

    await pair.consumer.delete(resources.secrets, pair.key('consumer', 'mine'));
    await eventually(async () => {
      expect(await pair.read('provider', 'mine')).toBeUndefined();
    });
  });

  it('brings a Secret of the provider to the consumer, puts back what is changed there, keeps what others add, and takes it away', async () => {
    await pair.start();
    await pair.bound([labelled]);
    await pair.assign();
    const original = await pair.secret('provider', 'theirs', { labels: app });
    const copy = await pair.eventuallyOn('consumer', 'theirs');
    expect(copy.metadata.labels).toEqual({ ...app, [OWNER]: 'provider' });
    expect(copy.metadata.annotations).toMatchObject({
      'kube-bind.io/provider-namespace': pair.teamOnProvider,
      'kube-bind.io/provider-uid': original.metadata.uid,
    });
    expect((await pair.read('provider', 'theirs'))?.metadata.labels).toEqual({ ...app, [OWNER]: 'provider' });

    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u-1' };
    await pair.consumer.patch(
      resources.secrets,
      pair.key('consumer', 'theirs'),
      {
        type: 'merge',
        patch: {
          data: { k: null, tampered: 'eA==' },
          metadata: {
            finalizers: ['example.com/hold'],
            ownerReferences: [owner],
            labels: { theirs: 'kept', [OWNER]: null, app: 'other' },
            annotations: { note: 'kept' },
          },
        },
      },
      { fieldManager: 'somebody' },
    );
    const repaired = await pair.eventuallyOn('consumer', 'theirs', ({ data, metadata }) => {
      expect([data, metadata.labels]).toEqual([{ k: 'dg==' }, { ...app, [OWNER]: 'provider', theirs: 'kept' }]);
    });
    expect(repaired.metadata).toMatchObject({
      uid: copy.metadata.uid,
      finalizers: ['example.com/hold'],
      ownerReferences: [owner],
      annotations: { note: 'kept' },
    });
    await pair.consumer.patch(resources.secrets, pair.key('consumer', 'theirs'), {
      type: 'merge',
      patch: { metadata: { finalizers: null, ownerReferences: null } },
    });

    // One that is deleted is made again while its original lives, and goes with it.
    await pair.consumer.delete(resources.secrets, pair.key('consumer', 'theirs'));
    await pair.eventuallyOn('consumer', 'theirs', ({ metadata }) => {
      expect(metadata.uid).not.toBe(copy.metadata.uid);
    });
    await pair.provider.delete(resources.secrets, pair.key('provider', 'theirs'));
    await eventually(async () => {
      expect(await pair.read('consumer', 'theirs')).toBeUndefined();
    });
  });

  it('leaves a Secret that was there before, and takes it over when the binding wants that, without making it anew', async () => {
    await pair.start();
    await pair.bound([labelled]);
    await pair.assign();
    const before = await pair.secret('consumer', 'ours', { data: { own: 'bWluZQ==' }, annotations: { note: 'kept' } });
    const other = await pair.secret('consumer', 'typed', {
      data: { username: 'bWluZQ==' },
      type: 'kubernetes.io/basic-auth',
    });
    for (const name of ['ours', 'typed'])
      await pair.secret('provider', name, { labels: { ...app, [OWNER]: 'provider' } });
    await pair.becomes(pair.name, 'ClaimsInSync', { status: 'False', reason: 'ClaimedObjectExists', message: 'ours' });
    expect((await pair.read('consumer', 'ours'))?.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    const policy = (value: string): Promise<unknown> =>
      pair.consumer.patch(
        resources.apiServiceBindings,
        { name: pair.name },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/conflict-policy': value } } } },
      );
    await policy('Adopt');
    const adopted = await pair.eventuallyOn('consumer', 'ours', ({ data }) => {
      expect(data).toEqual({ k: 'dg==' });
    });
    expect(adopted.metadata).toMatchObject({
      uid: before.metadata.uid,
      labels: { ...app, [OWNER]: 'provider' },
      annotations: { note: 'kept', 'kube-bind.io/provider-namespace': pair.teamOnProvider },
    });
    // It would have to be deleted first.
    await pair.becomes(pair.name, 'ClaimsInSync', { status: 'False', reason: 'ClaimedObjectExists', message: 'typed' });
    expect((await pair.read('consumer', 'typed'))?.metadata.resourceVersion).toBe(other.metadata.resourceVersion);
    await policy('Skip');
    await pair.becomes(pair.name, 'ClaimsInSync', { status: 'True' });
    expect((await pair.read('consumer', 'typed'))?.metadata.resourceVersion).toBe(other.metadata.resourceVersion);
    // It goes with its original, like every copy.
    await pair.provider.delete(resources.secrets, pair.key('provider', 'ours'));
    await eventually(async () => {
      expect(await pair.read('consumer', 'ours')).toBeUndefined();
    });
  });

  it('lets no more objects come by the claims of a binding than the bound, keeps what is there, and goes on when one goes', async () => {
    await pair.start(undefined, { maxObjects: 2 });
    await pair.bound([labelled, claimOn('configmaps', { labelSelector: { matchLabels: app } })]);
    await pair.assign();
    await pair.secret('provider', 'first', { labels: app });
    await pair.eventuallyOn('consumer', 'first');
    await pair.provider.create(resources.configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...pair.key('provider', 'second'), labels: app },
      data: { k: 'v' },
    } as never);
    await pair.eventuallyOn('consumer', 'second', undefined, resources.configMaps);
    for (const name of ['third', 'fourth']) await pair.secret('provider', name, { labels: app });
    const condition = await pair.becomes(pair.name, 'ClaimsInSync', {
      status: 'False',
      reason: 'TooManyClaimedObjects',
      message: 'the 2 that may come to the consumer by the claims of one',
    });
    expect(condition.severity ?? '').toBe('');
    // What goes out is no matter of the bound, and what is there is looked after as before.
    await pair.secret('consumer', 'mine', { labels: app });
    await pair.eventuallyOn('provider', 'mine');
    await pair.provider.patch(resources.secrets, pair.key('provider', 'first'), {
      type: 'merge',
      patch: { data: { k: 'bmV3' } },
    });
    await pair.eventuallyOn('consumer', 'first', ({ data }) => {
      expect(data).toEqual({ k: 'bmV3' });
    });
    expect([await pair.read('consumer', 'third'), await pair.read('consumer', 'fourth')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(pair.events.filter((event) => event.includes('TooManyClaimedObjects'))).toHaveLength(1);

    await pair.provider.delete(resources.configMaps, pair.key('provider', 'second'));
    await eventually(
      async () => {
        const came = (await Promise.all(['third', 'fourth'].map((name) => pair.read('consumer', name)))).filter(
          (object) => object !== undefined,
        );
        expect(came).toHaveLength(1);
      },
      { timeoutMs: 20_000 },
    );
    expect(await pair.read('consumer', 'second', resources.configMaps)).toBeUndefined();

    // After a restart it is counted anew, from what is there.
    await pair.stop();
    const writes = await pair.writesDuring(async () => {
      const claimed = await pair.start(undefined, { maxObjects: 2 });
      await eventually(
        () => {
          const held = ['third', 'fourth'].filter(
            (name) => claimed.plan(resources.secrets, `${pair.team}/${name}`)?.verdict.kind === 'held',
          );
          expect(held).toHaveLength(1);
        },
        { timeoutMs: 20_000 },
      );
    });
    expect(writes.filter((line) => line.includes(' create '))).toEqual([]);
  });

  it('follows references as referencing objects come, change and go, and claims by name; ConfigMaps and ServiceAccounts too', async () => {
    await pair.start();
    const reference = {
      group: pair.group,
      resource: 'tests',
      jsonPath: { name: 'spec.refs.#.name', namespace: 'spec.refs.#.namespace' },
    };
    const statusReference = { group: pair.group, resource: 'tests', jsonPath: { name: 'status.secretName' } };
    await pair.bound([
      claimOn('secrets', { references: [reference, statusReference] }),
      claimOn('secrets', { namedResources: [{ name: 'named' }] }),
      claimOn('configmaps', { namedResources: [{ name: 'settings', namespace: pair.team }] }),
      claimOn('serviceaccounts', {
        labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: [pair.group] }] },
      }),
    ]);
    await pair.assign();
    for (const name of ['one', 'two', 'named', 'tempting']) await pair.secret('consumer', name);
    await pair.consumer.create(resources.configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: pair.key('consumer', 'settings'),
      data: { a: 'b' },
    } as never);
    await pair.consumer.create(resources.serviceAccounts, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { ...pair.key('consumer', 'robot'), labels: app },
    });
    await pair.eventuallyOn('provider', 'named');
    await pair.eventuallyOn(
      'provider',
      'settings',
      ({ data }) => {
        expect(data).toEqual({ a: 'b' });
      },
      resources.configMaps,
    );
    await pair.eventuallyOn('provider', 'robot', undefined, resources.serviceAccounts);
    // R30: `two` is referred to, but in another namespace.
    const refs = [
      { name: 'one', namespace: pair.team },
      { name: 'two', namespace: 'elsewhere' },
    ];
    await eventually(() =>
      pair.consumer.create(pair.tests, {
        apiVersion: `${pair.group}/v1`,
        kind: 'Test',
        metadata: pair.key('consumer', 'referrer'),
        spec: { refs },
      } as never),
    );
    // What the provider writes does not choose among the consumer's Secrets.
    await pair.consumer.patch(
      pair.tests,
      pair.key('consumer', 'referrer'),
      { type: 'merge', patch: { status: { secretName: 'tempting' } } },
      { subresource: 'status' },
    );
    await pair.eventuallyOn('provider', 'one');
    expect(await pair.read('provider', 'two')).toBeUndefined();
    await pair.consumer.patch(pair.tests, pair.key('consumer', 'referrer'), {
      type: 'merge',
      patch: { spec: { refs: [{ name: 'two' }] } },
    });
    await pair.eventuallyOn('provider', 'two');
    // No longer referred to: left as it is on both sides, and no longer followed.
    await pair.consumer.patch(resources.secrets, pair.key('consumer', 'one'), {
      type: 'merge',
      patch: { data: { k: 'bmV3' } },
    });
    await pair.consumer.patch(resources.secrets, pair.key('consumer', 'two'), {
      type: 'merge',
      patch: { data: { k: 'bmV3' } },
    });
    await pair.eventuallyOn('provider', 'two', ({ data }) => {
      expect(data).toEqual({ k: 'bmV3' });
    });
    expect(await pair.read('provider', 'one')).toMatchObject({ data: { k: 'dg==' } });
    expect(await pair.read('provider', 'tempting')).toBeUndefined();
    // But the provider may give one of its own that way.
    await pair.secret('provider', 'given');
    await pair.consumer.patch(
      pair.tests,
      pair.key('consumer', 'referrer'),
      { type: 'merge', patch: { status: { secretName: 'given' } } },
      { subresource: 'status' },
    );
    await pair.eventuallyOn('consumer', 'given');
  });

  it('R12: a label alone claims nothing, and what is no longer claimed is left alone', async () => {
    await pair.start();
    await pair.bound([labelled]);
    await pair.assign();
    await pair.secret('consumer', 'marked', { labels: { [OWNER]: 'consumer' } });
    await pair.secret('provider', 'marked-there', { labels: { [OWNER]: 'provider' } });
    await pair.secret('consumer', 'claimed', { labels: app });
    await pair.eventuallyOn('provider', 'claimed');
    await pair.consumer.patch(resources.secrets, pair.key('consumer', 'claimed'), {
      type: 'merge',
      patch: { metadata: { labels: { app: null } }, data: { k: 'bmV3' } },
    });
    await pair.secret('consumer', 'later');
    await pair.consumer.patch(resources.secrets, pair.key('consumer', 'later'), {
      type: 'merge',
      patch: { metadata: { labels: app } },
    });
    await pair.eventuallyOn('provider', 'later');
    expect(await pair.read('provider', 'claimed')).toMatchObject({ data: { k: 'dg==' } });
    expect([await pair.read('provider', 'marked'), await pair.read('consumer', 'marked-there')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('leaves alone what it cannot tell, what was there before, credentials, and what is of others, and says so', async () => {
    await pair.start();
    await pair.bound([labelled]);
    await pair.assign();
    pair.secrets.push({ namespace: pair.team, name: 'mine', key: 'kubeconfig' });
    await pair.secret('provider', 'both', { labels: app });
    await pair.secret('consumer', 'before', { labels: { precious: 'yes' }, data: { k: 'cHJlY2lvdXM=' } });
    await pair.secret('provider', 'before', { labels: { ...app, [OWNER]: 'provider' } });
    await eventually(async () => {
      expect(await pair.read('consumer', 'both')).toBeDefined();
    });
    // The konnector has to know it before the provider's comes: without it, the provider's is claimed and marked as an original.
    await pair.secret('consumer', 'undecided');
    const held: readonly (readonly [string, string, () => Promise<unknown>])[] = [
      [
        'token',
        'ClaimedObjectProtected',
        () =>
          pair.secret('consumer', 'token', {
            labels: app,
            type: 'kubernetes.io/service-account-token',
            annotations: { 'kubernetes.io/service-account.name': 'default' },
          }),
      ],
      ['mine', 'ClaimedObjectProtected', () => pair.secret('consumer', 'mine', { labels: app })],
      [
        'labelled',
        'ClaimedObjectProtected',
        () => pair.secret('consumer', 'labelled', { labels: { ...app, 'kube-bind.io/provider-kubeconfig': 'true' } }),
      ],
      [
        'other',
        'ClaimedByAnotherProvider',
        () =>
          pair.secret('consumer', 'other', {
            labels: { ...app, [OWNER]: 'provider' },
            annotations: { 'kube-bind.io/provider-namespace': 'elsewhere', 'kube-bind.io/provider-uid': 'u-9' },
          }),
      ],
      [
        'orphan',
        'ClaimedCopyLeftOver',
        () =>
          pair.secret('consumer', 'orphan', {
            labels: { ...app, [OWNER]: 'provider' },
            annotations: { 'kube-bind.io/provider-namespace': pair.teamOnProvider, 'kube-bind.io/provider-uid': 'u-9' },
          }),
      ],
      [
        'bare',
        'ClaimedObjectUndecided',
        () => pair.secret('consumer', 'bare', { labels: { ...app, [OWNER]: 'provider' } }),
      ],
      ['undecided', 'ClaimedObjectUndecided', () => pair.secret('provider', 'undecided', { labels: app })],
    ];
    for (const [name, reason, make] of held) {
      await make();
      await eventually(() => {
        expect(pair.events.filter((line) => line.startsWith(`Secret ${name} Warning ${reason}:`))).toHaveLength(1);
      });
    }
    await pair.becomes(pair.name, 'ClaimsInSync', {
      status: 'False',
      message: `${held.length + 1} claimed objects are not in step`,
    });
    for (const name of ['token', 'mine', 'labelled', 'other', 'orphan', 'bare']) {
      expect(await pair.read('provider', name)).toBeUndefined();
      expect(await pair.read('consumer', name)).toBeDefined();
    }
    expect(await pair.read('consumer', 'undecided')).not.toHaveProperty(['metadata', 'labels']);
    // Nothing of a Secret is told.
    expect(JSON.stringify([pair.events, await pair.binding(pair.name)])).not.toContain('dg==');

    // Cleared as soon as the obstacle goes.
    for (const [name] of held) await pair.consumer.delete(resources.secrets, pair.key('consumer', name));
    await pair.eventuallyOn('consumer', 'undecided');
    await pair.consumer.delete(resources.secrets, pair.key('consumer', 'before'));
    await pair.becomes(pair.name, 'ClaimsInSync', { status: 'True' });
  });

  it('holds claims that come after the binding until they are accepted, and drops those that go', async () => {
    await pair.start();
    await pair.bound([labelled]);
    await pair.assign();
    await pair.secret('consumer', 'early', { labels: app });
    await pair.secret('consumer', 'late', { labels: { app: `${pair.group}-web` } });
    await pair.eventuallyOn('provider', 'early');
    const at = { namespace: pair.clusterNamespace, name: pair.name };
    const setClaims = async (claims: readonly unknown[] | null): Promise<void> => {
      // The rule that makes them immutable does not see that they are taken away and put back.
      await pair.provider.patch(resources.apiServiceExports, at, {
        type: 'merge',
        patch: { spec: { permissionClaims: null } },
      });
      await pair.provider.patch(resources.apiServiceExports, at, {
        type: 'merge',
        patch: { spec: { permissionClaims: claims } },
      });
    };
    // In one step for whoever watches: the konnector does not run meanwhile.
    await pair.stop();
    await setClaims([labelled, claimOn('secrets', { labelSelector: { matchLabels: { app: `${pair.group}-web` } } })]);
    await pair.start();
    const { message = '' } = await pair.becomes(pair.name, 'ClaimsAccepted', { status: 'False', reason: 'ClaimsHeld' });
    await eventually(() => {
      expect(pair.events).toContainEqual(expect.stringContaining('Warning ClaimsHeld'));
    });
    expect((await pair.binding(pair.name)).status?.permissionClaims).toEqual([labelled]);
    await pair.consumer.patch(resources.secrets, pair.key('consumer', 'early'), {
      type: 'merge',
      patch: { data: { k: 'bmV3' } },
    });
    await pair.eventuallyOn('provider', 'early', ({ data }) => {
      expect(data).toEqual({ k: 'bmV3' });
    });
    expect(await pair.read('provider', 'late')).toBeUndefined();

    const [, key = '', value = ''] = /annotate apiservicebinding \S+ (\S+)=(\S+) /u.exec(message) ?? [];
    await pair.consumer.patch(
      resources.apiServiceBindings,
      { name: pair.name },
      { type: 'merge', patch: { metadata: { annotations: { [key]: value } } } },
    );
    await pair.eventuallyOn('provider', 'late');
    await pair.becomes(pair.name, 'ClaimsAccepted', { status: 'True' });
    await pair.consumer.patch(
      resources.apiServiceBindings,
      { name: pair.name },
      { type: 'merge', patch: { metadata: { annotations: { [key]: null } } } },
    );
    await setClaims(null);
    await eventually(async () => {
      expect((await pair.binding(pair.name)).status?.permissionClaims).toBeUndefined();
    });
    expect([await pair.read('provider', 'late'), await pair.read('provider', 'early')]).not.toContain(undefined);
  });

  it('reads no Secret for a provider whose export is made anew until it claims all of them', async () => {
    await pair.start();
    await pair.bound([]);
    await pair.assign();
    await pair.secret('consumer', 'private', { labels: app });
    const exports = { namespace: pair.clusterNamespace, name: pair.name };
    const remake = async (resource: string, permissionClaims: readonly PermissionClaim[]): Promise<void> => {
      await pair.provider.delete(resources.apiServiceExports, exports);
      await pair.provider.create(resources.apiServiceExports, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'APIServiceExport',
        metadata: exports,
        spec: {
          resources: [{ group: pair.group, resource, versions: ['v1'] }],
          informerScope: 'Namespaced',
          isolation: 'Prefixed',
          permissionClaims,
        },
      } as never);
    };
    // One without a schema leaves the binding as if it were not bound yet.
    await remake('absent', []);
    await eventually(
      async () => {
        expect((await pair.binding(pair.name)).status?.boundSchemas).toBeUndefined();
      },
      { timeoutMs: 20_000 },
    );
    await remake('tests', [claimOn('secrets', { labelSelector: {} })]);
    const { message = '' } = await pair.becomes(pair.name, 'ClaimsAccepted', { status: 'False', reason: 'ClaimsHeld' });
    expect((await pair.binding(pair.name)).status?.permissionClaims).toBeUndefined();
    // Not even if a Go konnector, which knows no consent, has copied it there.
    await pair.stop();
    await pair.consumer.patch(
      resources.apiServiceBindings,
      { name: pair.name },
      { type: 'merge', patch: { status: { permissionClaims: [claimOn('secrets', { labelSelector: {} })] } } },
      { subresource: 'status' },
    );
    const claimed = await pair.start();
    await eventually(
      async () => {
        expect((await pair.binding(pair.name)).status?.permissionClaims).toBeUndefined();
      },
      { timeoutMs: 20_000 },
    );
    expect([claimed.plan(resources.secrets, `${pair.team}/private`), await pair.read('provider', 'private')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(await pair.read('consumer', 'private')).not.toHaveProperty(['metadata', 'labels', OWNER]);
    // A person agrees, and it is written down who did.
    const [, key = '', value = ''] = /annotate apiservicebinding \S+ (\S+)=(\S+) /u.exec(message) ?? [];
    await pair.consumer.patch(
      resources.apiServiceBindings,
      { name: pair.name },
      { type: 'merge', patch: { metadata: { annotations: { [key]: value } } } },
      { fieldManager: 'kubectl-annotate' },
    );
    await pair.eventuallyOn('provider', 'private');
    const { metadata } = await pair.binding(pair.name);
    expect(JSON.parse(metadata.annotations?.['hawser.dev/claim-consent'] ?? '')).toMatchObject({
      binding: metadata.uid,
      claims: { [value]: { by: 'annotation', writers: ['kubectl-annotate'], bindingGeneration: 1 } },
    });
  });

  it('writes nothing when in step, nor after a restart, and reads contents only of what is claimed', async () => {
    const other = await pair.secret('consumer', 'unclaimed');
    await pair.start();
    await pair.bound([labelled]);
    await pair.assign();
    await pair.secret('consumer', 'mine', { labels: app });
    await pair.secret('provider', 'theirs', { labels: app });
    await pair.eventuallyOn('provider', 'mine');
    await pair.eventuallyOn('consumer', 'theirs');
    await pair.stop();
    const writes = await pair.writesDuring(async () => {
      const claimed = await pair.start();
      const plan = (name: string): string | undefined =>
        claimed.plan(resources.secrets, `${pair.team}/${name}`)?.verdict.kind;
      await eventually(
        () => {
          expect([plan('mine'), plan('theirs'), plan('unclaimed')]).toEqual(['inStep', 'inStep', 'notSelected']);
        },
        { timeoutMs: 20_000 },
      );
      await pair.consumer.patch(
        resources.secrets,
        pair.key('consumer', 'unclaimed'),
        { type: 'merge', patch: { metadata: { annotations: { touched: 'yes' } } } },
        { fieldManager: 'test' },
      );
      await pair.becomes(pair.name, 'SchemaInSync', { status: 'True' });
    });
    expect(writes).toEqual(['consumer: patch secrets unclaimed 200']);
    expect(pair.projections('secrets')).toEqual(['metadata']);
    const reads = await pair.consumerPlane.auditLog().entries({});
    expect(
      reads.filter(
        ({ verb, resource, name }) => verb === 'get' && resource === 'secrets' && name === other.metadata.name,
      ),
    ).toEqual([]);
  });

  it('writes nothing while a binding or its connection is paused, says what waits, and goes on', async () => {
    const credentials = { namespace: pair.secretNamespace, name: `pause-${pair.clusterNamespace}`, key: 'kubeconfig' };
    await pair.consumer
      .create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: pair.secretNamespace } })
      .catch(() => undefined);
    await pair.secret('consumer', credentials.name, {
      namespace: pair.secretNamespace,
      annotations: { 'hawser.dev/paused': 'new network' },
    });
    pair.secrets.push(credentials);
    const pause = (reason: string | null): Promise<unknown> =>
      pair.consumer.patch(
        resources.apiServiceBindings,
        { name: pair.name },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/paused': reason } } } },
      );
    await pair.start();
    await pair.bound([labelled]);
    await pair.assign();
    await pair.secret('consumer', 'mine', { labels: app });
    await pair.becomes(pair.name, 'ClaimsInSync', { status: 'False', reason: 'Paused', message: '"new network"' });
    expect(await pair.read('provider', 'mine')).toBeUndefined();
    expect((await pair.read('consumer', 'mine'))?.metadata.labels).toEqual(app);
    await pair.consumer.patch(resources.secrets, credentials, {
      type: 'merge',
      patch: { metadata: { annotations: { 'hawser.dev/paused': null } } },
    });
    await pair.eventuallyOn('provider', 'mine');
    await pair.becomes(pair.name, 'ClaimsInSync', { status: 'True' });

    await pause('for now');
    await eventually(async () => {
      expect((await pair.binding(pair.name)).metadata.annotations).toHaveProperty(['hawser.dev/paused']);
    });
    await pair.secret('provider', 'theirs', { labels: app });
    await pair.consumer.delete(resources.secrets, pair.key('consumer', 'mine'));
    await pair.becomes(pair.name, 'ClaimsInSync', {
      status: 'False',
      reason: 'Paused',
      message: '2 claimed objects are not in step',
    });
    expect([await pair.read('consumer', 'theirs'), (await pair.read('provider', 'mine'))?.kind]).toEqual([
      undefined,
      'Secret',
    ]);
    await pause(null);
    await pair.eventuallyOn('consumer', 'theirs');
    await eventually(async () => {
      expect(await pair.read('provider', 'mine')).toBeUndefined();
    });
    await pair.becomes(pair.name, 'ClaimsInSync', { status: 'True' });
  });

  it("makes a copy anew where it cannot be changed, and one namespace waits for nobody else's", async () => {
    await pair.start();
    await pair.bound([labelled]);
    await pair.assign();
    const otherNamespace = `${pair.team}-b`;
    await pair.consumer.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: otherNamespace },
    });
    await pair.secret('consumer', 'waiting', { labels: app, namespace: otherNamespace });
    await pair.becomes(pair.name, 'ClaimsInSync', {
      status: 'False',
      reason: 'NamespacePending',
      message: otherNamespace,
    });
    await pair.secret('consumer', 'fixed', { labels: app, immutable: true });
    const first = await pair.eventuallyOn('provider', 'fixed', ({ immutable }) => {
      expect(immutable).toBe(true);
    });
    await pair.stop();
    await pair.consumer.delete(resources.secrets, pair.key('consumer', 'fixed'));
    await pair.secret('consumer', 'fixed', { labels: app, type: 'example.com/other', data: { k: 'bmV3' } });
    await pair.start();
    const second = await pair.eventuallyOn('provider', 'fixed', ({ data, type }) => {
      expect([data, type]).toEqual([{ k: 'bmV3' }, 'example.com/other']);
    });
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
  });

  it('names what the consumer does not let it do, and goes on by itself when it may', async () => {
    const { connection } = await pair.consumerPlane.userAccess(`limited-${pair.clusterNamespace}`);
    const rules = (more: readonly object[]): object => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: `limited-${pair.clusterNamespace}` },
      rules: [
        { apiGroups: ['kube-bind.io', 'apiextensions.k8s.io'], resources: ['*'], verbs: ['*'] },
        { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
        ...more,
      ],
    });
    const rbac = (resource: string): Resource => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource });
    const grant = (more: readonly object[]): Promise<unknown> =>
      pair.consumer.patch(
        rbac('clusterroles'),
        { name: `limited-${pair.clusterNamespace}` },
        { type: 'apply', object: rules(more), force: true },
        { fieldManager: 'test' },
      );
    await grant([]);
    await pair.consumer.create(rbac('clusterrolebindings'), {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: `limited-${pair.clusterNamespace}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `limited-${pair.clusterNamespace}` },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `limited-${pair.clusterNamespace}` }],
    } as never);
    await pair.start({ consumer: connection });
    await pair.bound([labelled]);
    await pair.assign();
    await pair.secret('provider', 'theirs', { labels: app });
    await pair.becomes(pair.name, 'ClaimsInSync', {
      status: 'False',
      reason: 'ForbiddenOnConsumer',
      message: 'Cannot list secrets on the consumer',
    });
    await grant([{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] }]);
    await pair.becomes(pair.name, 'ClaimsInSync', {
      status: 'False',
      reason: 'ForbiddenOnConsumer',
      message: 'Cannot create secrets',
    });
    await grant([{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }]);
    await pair.eventuallyOn('consumer', 'theirs');
    await pair.becomes(pair.name, 'ClaimsInSync', { status: 'True' });
  });
});
