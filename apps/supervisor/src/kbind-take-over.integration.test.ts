import { getIfExists, type KubeObject, listAll, type Resource } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type ProcessContext, readKonnectorPlan } from '@hawser/commands';
import { parseConfig, parseFlags } from '@hawser/config';
import { annotations, type Connection, consumerCRD, labels, resources as core } from '@hawser/core-kbind';
import { crdOf, type SampleApi } from '@hawser/installation';
import { type CustomResourceDefinition, resources } from '@hawser/kube-bind';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { describeWithControlPlane, eventually, settled } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import {
  type KbindClusters,
  openKbindClusters,
} from '../../../packages/konnector/kbind-connection/src/testing/kbind-clusters.js';
import { kbindFlags, kbindFlagsToConfig } from './kbind-flags.js';
import { createKonnectorRole } from './konnector-role.js';

/** 1 000 by hand: docs/reference/migration-counts.md. */
const COUNT = Number(process.env['HAWSER_TAKE_OVER_OBJECTS'] ?? 100);
const REMADE = 3;
const widgets: SampleApi = { group: 'example.org', plural: 'widgets', kind: 'Widget', scope: 'Namespaced' };
const resource: Resource = { group: 'example.org', version: 'v1', resource: 'widgets' };
const API = 'widgets.example.org';
const leases: Resource = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const GO = { fieldManager: 'konnector' } as const;
const TIME = '2026-01-01T00:00:00Z';

// rc4 cannot be fetched everywhere, so what it leaves is written here as the contract says (spec/kbind-v2.md §3–§5, §9.2, §12, §17).
describeWithControlPlane(`${COUNT} objects of a Go konnector of core.kbind.io`, () => {
  let clusters: KbindClusters;
  let uids: { readonly consumer: string; readonly provider: string };
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  beforeAll(async () => {
    clusters = await openKbindClusters(['team']);
    const { consumer, provider } = clusters;
    const uidOf = async (client: typeof consumer): Promise<string> =>
      (await client.get<KubeObject>(resources.namespaces, { name: 'kube-system' })).metadata.uid ?? '';
    uids = { consumer: await uidOf(consumer), provider: await uidOf(provider) };
    await leaveCRDs();
    await leaveBinding();
    await leaveObjects();
  }, 900_000);
  afterAll(async () => {
    stopping.abort();
    await running;
    await clusters.close();
  }, 60_000);

  const condition = (type: string, status = 'True') => ({
    type,
    status,
    reason: 'AsExpected',
    message: '',
    lastTransitionTime: TIME,
    observedGeneration: 1,
  });

  /** The provider's CRD as the consumer gets it, labels of the provider included. */
  async function leaveCRDs(): Promise<void> {
    const { consumer, provider } = clusters;
    const crd = crdOf(widgets, {
      labels: { [labels.exported]: 'true' },
      properties: {
        spec: {
          type: 'object',
          properties: {
            size: { type: 'string' },
            note: { type: 'string' },
            replicas: { type: 'integer', default: 1 },
          },
        },
        status: { type: 'object', properties: { phase: { type: 'string' } } },
      },
    });
    await provider.create(resources.customResourceDefinitions, crd);
    const provided = await provider.get<CustomResourceDefinition>(resources.customResourceDefinitions, { name: API });
    const made = consumerCRD(provided, 'demo');
    if (made === undefined) throw new Error('there is no version');
    const own = { ...made.crd.metadata, labels: { ...made.crd.metadata.labels, [labels.exported]: 'true' } };
    await consumer.create(resources.customResourceDefinitions, { ...made.crd, metadata: own }, GO);
    for (const client of [consumer, provider]) await eventually(() => client.list(resource), { timeoutMs: 30_000 });
  }

  async function leaveBinding(): Promise<void> {
    const { consumer, provider } = clusters;
    await clusters.putSecret('demo');
    const secret = { namespace: 'kbind', name: 'demo' };
    const finalizers = ['core.kbind.io/cleanup'];
    await consumer.patch(resources.secrets, secret, { type: 'merge', patch: { metadata: { finalizers } } }, GO);
    const apiVersion = 'core.kbind.io/v1alpha1';
    await consumer.create(
      core.connections,
      {
        apiVersion,
        kind: 'Connection',
        metadata: { name: 'demo', finalizers },
        spec: { kubeconfigSecretRef: secret },
      } as KubeObject,
      GO,
    );
    await consumer.patch(
      core.connections,
      { name: 'demo' },
      {
        type: 'merge',
        patch: {
          status: {
            remoteClusterUID: uids.provider,
            localClusterUID: uids.consumer,
            activeSchemaSource: 'CRD',
            exportedAPIs: [
              { name: API, group: 'example.org', resource: 'widgets', scope: 'Namespaced', versions: ['v1'] },
            ],
            conditions: ['SecretValid', 'Connected']
              .map((type) => condition(type))
              .concat(condition('PermissionDenied', 'False'), condition('Ready')),
          },
        },
      },
      { ...GO, subresource: 'status' },
    );
    const crd = await consumer.get<KubeObject>(resources.customResourceDefinitions, { name: API });
    await consumer.create(
      core.clusterBindings,
      {
        apiVersion,
        kind: 'ClusterBinding',
        metadata: { name: 'widgets', finalizers },
        spec: { connectionRef: { name: 'demo' }, apis: [{ name: API }] },
      } as KubeObject,
      GO,
    );
    const status = {
      boundAPIs: [{ name: API, crdHash: crd.metadata.annotations?.[annotations.schemaHash] }],
      conditions: [
        condition('Conflicts', 'False'),
        condition('PermissionDenied', 'False'),
        condition('Synced'),
        condition('Ready'),
      ],
    };
    await consumer.patch(
      core.clusterBindings,
      { name: 'widgets' },
      { type: 'merge', patch: { status } },
      { ...GO, subresource: 'status' },
    );
    await provider.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kbind' } });
    await provider.create(
      leases,
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: {
          namespace: 'kbind',
          name: `consumer-${uids.consumer}`,
          labels: { [labels.managed]: 'true' },
          annotations: { [annotations.consumerClusterUID]: uids.consumer },
        },
        spec: {
          holderIdentity: uids.consumer,
          leaseDurationSeconds: 60,
          acquireTime: '2026-01-01T00:00:00.000000Z',
          renewTime: '2026-01-01T00:00:00.000000Z',
        },
      } as KubeObject,
      GO,
    );
    await provider.create(
      resources.namespaces,
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: {
          name: 'team',
          labels: { [labels.managed]: 'true', [annotations.consumerClusterUID]: uids.consumer },
        },
      },
      GO,
    );
  }

  const nameOf = (index: number): string => `w-${index}`;
  const keyOf = (index: number) => ({ namespace: 'team', name: nameOf(index) });

  /** Made anew under policy Orphan: the Go konnector takes the copy for that of another object, for ever. */
  const isRemade = (index: number): boolean => index >= COUNT - REMADE;

  /** An object with its finalizer and status, and its copy by server-side apply: spec, label and two annotations, nothing else. */
  async function leaveObject(index: number): Promise<void> {
    const { consumer, provider } = clusters;
    const head = { apiVersion: 'example.org/v1', kind: 'Widget' };
    const spec = { size: `s-${index}`, ...(index % 3 === 0 ? { note: 'kept' } : {}) };
    const made = await consumer.create(resource, {
      ...head,
      metadata: { ...keyOf(index), labels: { app: 'shop' }, finalizers: ['core.kbind.io/syncer'] },
      spec,
    } as KubeObject);
    const copy = {
      ...head,
      metadata: {
        ...keyOf(index),
        labels: { [labels.managed]: 'true' },
        annotations: {
          [annotations.consumerClusterUID]: uids.consumer,
          [annotations.consumerObjectUID]: isRemade(index) ? `former-${index}` : made.metadata.uid,
        },
      },
      // As it is read back from the consumer, defaults included.
      spec: made['spec'],
    };
    await provider.patch(
      resource,
      keyOf(index),
      { type: 'apply', object: copy, force: true },
      { fieldManager: 'kbind-konnector' },
    );
    if (isRemade(index)) {
      const conflict = { metadata: { annotations: { [annotations.conflict]: 'OwnedByAnother' } } };
      await consumer.patch(resource, keyOf(index), { type: 'merge', patch: conflict }, GO);
    }
    const patch = { status: { phase: `p-${index}` } };
    for (const client of [provider, consumer])
      await client.patch(resource, keyOf(index), { type: 'merge', patch }, { subresource: 'status' });
  }

  async function leaveObjects(): Promise<void> {
    const waiting = Array.from({ length: COUNT }, (_, index) => index);
    const worker = async (): Promise<void> => {
      for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) await leaveObject(index);
    };
    await Promise.all(Array.from({ length: 16 }, worker));
  }

  const both = async (): Promise<readonly (readonly string[])[]> =>
    await Promise.all(
      [clusters.consumer, clusters.provider].map(async (client) =>
        (await listAll<KubeObject>(client, resource)).map(
          ({ metadata }) => `${metadata.name} ${metadata.uid ?? ''} ${metadata.deletionTimestamp ?? ''}`,
        ),
      ),
    );

  function start(): Promise<void> {
    const flags = parseFlags(
      ['--kubeconfig', clusters.planes.consumer.kubeconfigFile, '--metrics-bind-address=0'],
      kbindFlags,
    );
    const { konnector } = parseConfig(kbindFlagsToConfig(flags), 'test');
    const context: ProcessContext = {
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
      version: 'test',
      env: {},
    };
    return createKonnectorRole(konnector, context).then((role) => role.run(stopping.signal));
  }

  it('are taken over: none lost, none made twice, none deleted, no write where marks agree', async () => {
    const { consumer, provider, planes } = clusters;
    const before = await both();
    expect(before.map((side) => side.length)).toEqual([COUNT, COUNT]);
    const logs = [planes.consumer.auditLog(), planes.provider.auditLog()];
    const marks = await Promise.all(logs.map((log) => log.mark()));
    const writes = async (group: string) =>
      (
        await Promise.all(
          logs.map((log, index) => {
            const since = marks[index];
            return log.writes({ ...(since === undefined ? {} : { since }), group, userAgent: 'hawser-konnector' });
          }),
        )
      ).flat();

    running = start();
    // The Lease is renewed once the Connection works, and a status comes once all objects are listed.
    const patch = { status: { phase: 'new' } };
    await provider.patch(resource, keyOf(0), { type: 'merge', patch }, { subresource: 'status' });
    await eventually(
      async () => {
        expect(await consumer.get(resource, keyOf(0))).toMatchObject({ status: { phase: 'new' } });
      },
      { timeoutMs: 60_000 },
    );
    const toObjects = await settled(() => writes('example.org'), { quiet: 15, intervalMs: 100 });
    const remade = Array.from({ length: REMADE }, (_, index) => nameOf(COUNT - REMADE + index));
    // A copy whose marks differ is written once, and its object, which said that there was a conflict.
    expect(toObjects.map(({ verb, subresource = '', name = '' }) => `${verb} ${name} ${subresource}`).sort()).toEqual(
      [...remade, ...remade]
        .map((name) => `patch ${name} `)
        .concat(`update ${nameOf(0)} status`)
        .sort(),
    );
    expect(await both()).toEqual(before);
    // Nothing is left to do for any.
    const output: string[] = [];
    const plan = readKonnectorPlan(['--kubeconfig', planes.consumer.kubeconfigFile]);
    if (typeof plan === 'string') throw new Error(plan);
    const code = await plan({
      out: (text) => output.push(text),
      err: (text) => output.push(text),
      ask: () => Promise.resolve(undefined),
      env: {},
      signal: new AbortController().signal,
    });
    expect([code, output.join('\n')]).toEqual([0, 'Nothing to write.']);
    const others = [...(await writes('core.kbind.io')), ...(await writes('apiextensions.k8s.io'))];
    const connection = await consumer.get<Connection>(core.connections, { name: 'demo' });
    expect(connection.status?.remoteClusterUID).toBe(uids.provider);
    // Conditions that the Go konnector does not know, and the conflicts that are none any more.
    expect(new Set(others.map(({ resource: kind, subresource = '' }) => `${kind}/${subresource}`))).toEqual(
      new Set(['clusterbindings/status']),
    );
    expect(others.length).toBeLessThanOrEqual(3);
  }, 300_000);

  it('go on: what the consumer removes goes, what a user deletes goes on both sides', async () => {
    const { consumer, provider } = clusters;
    await consumer.patch(resource, keyOf(0), { type: 'merge', patch: { spec: { note: null, size: 'other' } } });
    await eventually(async () => {
      const copy = await provider.get(resource, keyOf(0));
      expect(copy['spec']).toEqual({ size: 'other', replicas: 1 });
    });
    await consumer.delete(resource, keyOf(1));
    await eventually(async () => {
      expect(await getIfExists(provider, resource, keyOf(1))).toBeUndefined();
      expect(await getIfExists(consumer, resource, keyOf(1))).toBeUndefined();
    });
    expect((await both()).map((side) => side.length)).toEqual([COUNT - 1, COUNT - 1]);
  }, 120_000);
});
