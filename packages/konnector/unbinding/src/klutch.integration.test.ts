import { type Client, type KubeObject, createClient } from '@hawser/client';
import { klutchMarks } from '@hawser/claimedresources';
import { systemClock } from '@hawser/clock';
import { consumerCRDs, createKlutchClient, finalizers, installCRDs, klutchDialect } from '@hawser/klutch';
import { consumerCRDs as kubeBindCRDs, installCRDs as installKubeBind, resources } from '@hawser/kube-bind';
import { noEvents } from '@hawser/telemetry';
import { type ControlPlane, describeWithControlPlane, eventually, startControlPlane } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { type Inventory, checksOf, handback, planHandback, planUninstall, takeInventory, uninstall } from './index.js';

const { apiVersion, names } = klutchDialect;
const bindings = klutchDialect.resources.apiServiceBindings;
const lease = { namespace: names.konnectorNamespace, name: names.konnectorLease };
const databases = { group: 'example.com', version: 'v1', resource: 'databases' };
const name = 'databases.example.com';
const terms = {
  dialect: klutchDialect,
  crds: consumerCRDs,
  bundles: false,
  labelledSecrets: false,
  marks: klutchMarks,
};

// Uninstalling takes the whole cluster, so it gets one of its own.
describeWithControlPlane('what Klutch has on a consumer', () => {
  const signal = new AbortController().signal;
  let plane: ControlPlane;
  let wire: Client;
  let client: Client;
  const look = (): Promise<Inventory> => takeInventory({ client, terms, clock: systemClock, lease }, signal);
  const crdNames = async (): Promise<readonly string[]> =>
    (await wire.list(resources.customResourceDefinitions)).items.map(({ metadata }) => metadata.name);

  beforeAll(async () => {
    plane = await startControlPlane({ name: 'klutch-uninstall' });
    wire = createClient({ name: 'consumer', connection: plane.connection });
    client = createKlutchClient(wire);
    await wire.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: names.konnectorNamespace },
    });
    await installCRDs(wire, consumerCRDs, { clock: systemClock });
    await installKubeBind(wire, kubeBindCRDs, { clock: systemClock });
    await wire.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: names.konnectorNamespace, name: 'kubeconfig-abcde' },
    });
    await wire.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        namespace: 'default',
        name: 'creds',
        annotations: { 'klutch.anynines.com/resource-owner': 'Provider' },
      },
    });
    // Of kube-bind on the same cluster, which is nobody's concern here.
    await wire.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'default', name: 'other', labels: { 'kube-bind.io/provider-kubeconfig': 'true' } },
    });
    const binding = await wire.create(bindings, {
      apiVersion,
      kind: 'APIServiceBinding',
      metadata: { name, annotations: { 'hawser.dev/provider-identity': 'uid' } },
      spec: {
        kubeconfigSecretRef: { namespace: names.konnectorNamespace, name: 'kubeconfig-abcde', key: 'kubeconfig' },
      },
    } as KubeObject);
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await wire.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {
        name,
        ownerReferences: [
          { apiVersion, kind: 'APIServiceBinding', name, uid: binding.metadata.uid ?? '', controller: true },
        ],
      },
      spec: {
        group: 'example.com',
        names: { plural: 'databases', kind: 'Database' },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    } as KubeObject);
    await eventually(
      () =>
        wire.create(databases, {
          apiVersion: 'example.com/v1',
          kind: 'Database',
          metadata: {
            namespace: 'default',
            name: 'one',
            finalizers: [finalizers.syncer],
            annotations: { 'klutch.anynines.com/bound': 'true', 'hawser.dev/adopted-from': 'uid' },
          },
        }),
      { timeoutMs: 30_000 },
    );
  });
  afterAll(async () => {
    await wire.close();
    await plane.stop();
  });

  it("is handed back: what is ours goes, and what is Klutch's stays", async () => {
    const plan = await planHandback(client, await look(), signal);
    expect(plan.ours.map(({ what, annotations }) => [what, annotations])).toEqual([
      [`APIServiceBinding ${name}`, ['hawser.dev/provider-identity']],
      [`${name} default/one`, ['hawser.dev/adopted-from']],
    ]);
    await handback(client, plan, systemClock, Math.random, signal);
    expect((await wire.get(bindings, { name })).metadata.annotations).toBeUndefined();
    expect((await wire.get(databases, { namespace: 'default', name: 'one' })).metadata).toMatchObject({
      finalizers: [finalizers.syncer],
      annotations: { 'klutch.anynines.com/bound': 'true' },
    });
  });

  it('is taken off, and what kube-bind has on the same cluster stays', async () => {
    const before = await look();
    expect(before.claimed).toEqual(['secrets default/creds']);
    expect(planUninstall(before, 'klutch-bind/klutch-bind', false)).toEqual([
      `delete APIServiceBinding ${name}: 1 object here is deleted, the copies on the provider stay (policy Orphan)`,
      `release 1 object of ${name}, as far as it is left by then`,
      `delete CRD ${name} and with it 1 object`,
      'delete Secret klutch-bind/kubeconfig-abcde',
      'delete CRD apiservicebindings.klutch.anynines.com',
    ]);
    const after = await uninstall(
      {
        client,
        clock: systemClock,
        random: Math.random,
        events: noEvents,
        lease,
        timeoutMs: 20_000,
        print: () => undefined,
      },
      before,
      signal,
    );
    expect(checksOf(after, 'klutch-bind/klutch-bind').flatMap(({ found }) => found)).toEqual([]);
    expect((await crdNames()).filter((one) => !one.endsWith('.kube-bind.io'))).toEqual([]);
    expect(await crdNames()).toHaveLength(kubeBindCRDs.length);
    expect((await wire.list(resources.secrets)).items.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      'creds',
      'other',
    ]);
  });
});
