import { type Client, type KubeObject, createClient, isNotFound } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { consumerCRDs, finalizers, installCRDs, resources } from '@hawser/kube-bind';
import { noEvents } from '@hawser/telemetry';
import { type ControlPlane, describeWithControlPlane, eventually, startControlPlane } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import {
  type Inventory,
  type UninstallOptions,
  checksOf,
  handback,
  planHandback,
  planUninstall,
  takeInventory,
  uninstall,
} from './index.js';

const lease = { namespace: 'kube-bind', name: 'kube-bind' };
const signal = new AbortController().signal;

// Uninstalling takes the whole cluster, so it gets one of its own.
describeWithControlPlane('uninstall', () => {
  let plane: ControlPlane;
  let client: Client;
  const printed: string[] = [];

  beforeAll(async () => {
    plane = await startControlPlane({ name: 'uninstall' });
    client = createClient({ name: 'consumer', connection: plane.connection });
    await client.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-bind' } });
  });
  afterAll(async () => {
    await client.close();
    await plane.stop();
  });

  const options = (more: Partial<UninstallOptions> = {}): UninstallOptions => ({
    client,
    clock: systemClock,
    random: Math.random,
    events: noEvents,
    lease,
    timeoutMs: 5_000,
    print: (line) => {
      printed.push(line);
    },
    ...more,
  });
  const look = (): Promise<Inventory> => takeInventory({ client, clock: systemClock, lease }, signal);
  const left = (inventory: Inventory): readonly string[] =>
    checksOf(inventory, 'kube-bind/kube-bind').flatMap(({ found }) => found);
  const resourceOf = (plural: string) => ({ group: 'example.com', version: 'v1', resource: plural });
  async function installCRD(
    plural: string,
    kind: string,
    owner?: { readonly name: string; readonly uid: string },
  ): Promise<void> {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await client.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {
        name: `${plural}.example.com`,
        ...(owner === undefined
          ? {}
          : { ownerReferences: [{ apiVersion: 'kube-bind.io/v1alpha2', kind: 'APIServiceBinding', ...owner }] }),
      },
      spec: {
        group: 'example.com',
        names: { plural, kind },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    } as KubeObject);
    await eventually(() => client.list(resourceOf(plural)), { timeoutMs: 20_000 });
  }
  const createHeld = (plural: string, kind: string, name: string): Promise<KubeObject> =>
    client.create(resourceOf(plural), {
      apiVersion: 'example.com/v1',
      kind,
      metadata: { namespace: 'default', name, finalizers: [finalizers.syncer] },
    });
  const exists = async (
    resource: Parameters<Client['get']>[0],
    key: { readonly namespace?: string; readonly name: string },
  ): Promise<boolean> => {
    try {
      await client.get(resource, key);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };
  const bind = (name: string, annotations: Record<string, string> = {}): Promise<KubeObject> =>
    client.create<KubeObject>(resources.apiServiceBindings, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceBinding',
      metadata: { name, annotations },
      spec: { kubeconfigSecretRef: { namespace: 'default', name: 'provider', key: 'kubeconfig' } },
    } as KubeObject);

  it('finds nothing where nothing is', async () => {
    const inventory = await look();
    expect(left(inventory)).toEqual([]);
    expect(planUninstall(inventory, 'kube-bind/kube-bind', false)).toEqual([]);
  });

  it('works where konnector and bindings went first, and leaves alone what is not ours', async () => {
    await installCRD('widgets', 'Widget', { name: 'gone', uid: 'gone' });
    await installCRD('gadgets', 'Gadget');
    for (let at = 0; at < 3; at++) await createHeld('widgets', 'Widget', `w-${at}`);
    await createHeld('gadgets', 'Gadget', 'held');
    await client.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'kube-bind', name: 'kubeconfig-x1' },
    });
    await client.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'kube-bind', name: 'mine' },
    });
    await client.create(resources.leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: lease,
      spec: { holderIdentity: 'crashed', renewTime: '2026-01-01T00:00:00.000000Z' },
    } as KubeObject);
    const before = await look();
    expect(left(before).toSorted()).toEqual([
      '1 of gadgets.example.com',
      '3 of widgets.example.com',
      'kube-bind/kube-bind',
      'kube-bind/kubeconfig-x1',
      'widgets.example.com (3 objects)',
    ]);

    const after = await uninstall(options(), before, signal);
    expect(left(after)).toEqual([]);
    expect(await exists(resources.customResourceDefinitions, { name: 'widgets.example.com' })).toBe(false);
    expect(
      (await client.get(resourceOf('gadgets'), { namespace: 'default', name: 'held' })).metadata.finalizers,
    ).toBeUndefined();
    expect(await exists(resources.secrets, { namespace: 'kube-bind', name: 'mine' })).toBe(true);
  });

  it('stops at a binding that blocks, says why, and goes on when it is broken open', async () => {
    await installCRDs(client, consumerCRDs, { clock: systemClock });
    const binding = await eventually(() => bind('blocking', { 'hawser.dev/unbind-policy': 'Block' }), {
      timeoutMs: 20_000,
    });
    await installCRD('widgets', 'Widget', { name: 'blocking', uid: binding.metadata.uid ?? '' });
    await createHeld('widgets', 'Widget', 'used');
    printed.length = 0;
    const stopped = await uninstall(options({ timeoutMs: 1_500 }), await look(), signal);
    expect(stopped.bindings.map(({ metadata }) => metadata.name)).toEqual(['blocking']);
    expect(printed.join('\n')).toContain(
      'blocking: 1 object is left: 1 widgets.example.com. Unbinding waits until they are deleted.',
    );
    expect(
      (await client.get(resourceOf('widgets'), { namespace: 'default', name: 'used' })).metadata.deletionTimestamp,
    ).toBeUndefined();
    expect(await exists(resources.customResourceDefinitions, { name: 'apiservicebindings.kube-bind.io' })).toBe(true);

    const after = await uninstall(options({ release: 'the cluster goes' }), await look(), signal);
    expect(left(after)).toEqual([]);
    expect(printed.join('\n')).toContain('widgets.example.com default/used uid=');
    expect(await exists(resources.customResourceDefinitions, { name: 'apiservicebindings.kube-bind.io' })).toBe(false);
  });

  it('handback ends what a Go konnector would never end, once nobody wants copies to be deleted', async () => {
    await installCRDs(client, consumerCRDs, { clock: systemClock });
    const binding = await eventually(() => bind('halfway', { 'hawser.dev/unbind-policy': 'Delete' }), {
      timeoutMs: 20_000,
    });
    await installCRD('sprockets', 'Sprocket', { name: 'halfway', uid: binding.metadata.uid ?? '' });
    await createHeld('sprockets', 'Sprocket', 'held');
    await client.patch(
      resources.apiServiceBindings,
      { name: 'halfway' },
      { type: 'merge', patch: { metadata: { finalizers: [finalizers.unbind] } } },
    );
    await client.delete(resources.apiServiceBindings, { name: 'halfway' });
    expect((await planHandback(client, await look(), signal)).obstacles).toEqual([
      expect.stringContaining('APIServiceBinding halfway is being deleted under policy Delete'),
    ]);

    await client.patch(
      resources.apiServiceBindings,
      { name: 'halfway' },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/unbind-policy': 'Orphan' } } } },
    );
    const plan = await planHandback(client, await look(), signal);
    expect(plan).toMatchObject({
      obstacles: [],
      ours: [{ what: 'APIServiceBinding halfway', finalizer: true }],
      unbound: [{ held: 1 }],
    });
    await handback(client, plan, systemClock, Math.random, signal);
    expect(await exists(resources.apiServiceBindings, { name: 'halfway' })).toBe(false);
    expect(
      (await client.get(resourceOf('sprockets'), { namespace: 'default', name: 'held' })).metadata,
    ).not.toHaveProperty('finalizers');
  });
});
