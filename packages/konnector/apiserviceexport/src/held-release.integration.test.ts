import { afterEach, beforeEach, expect, it } from '@jest/globals';

import type { Resource, UnstructuredObject } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { crdOf } from '@hawser/installation';
import { type APIServiceExport, type Condition, resources, kubeBindDialect } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';

import { type KonnectorPair, openKonnectorPair } from '../../konnector-connection/src/testing/konnector-pair.js';
import { createServiceBinding } from '../../servicebinding/src/index.js';
import { type APIServiceExportController, createAPIServiceExport } from './index.js';

const LONG = { timeoutMs: 30_000 };

describeWithControlPlane('an object that a held schema change refuses', () => {
  let pair: KonnectorPair;
  let name: string;
  let zones: Resource;
  /** Of the controller alone: nothing is tried in its own time unless a test lets it pass. */
  let clock: FakeClock;
  let exports: APIServiceExportController;
  let closers: (() => Promise<void>)[];

  beforeEach(async () => {
    pair = await openKonnectorPair();
    closers = [];
    name = `held-${pair.clusterNamespace}`;
    zones = { group: pair.group, version: 'v1', resource: 'zones' };
    await pair.provider.create(resources.customResourceDefinitions, crdWith({ type: 'string', enum: ['small'] }));
    await pair.createSchema('zones', { scope: 'Cluster' });
    const rbac = (resource: string): Resource => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource });
    await pair.provider.create(rbac('clusterroles'), {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name },
      rules: [{ apiGroups: [pair.group], resources: ['*'], verbs: ['*'] }],
    } as UnstructuredObject);
    await pair.provider.create(rbac('clusterrolebindings'), {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', namespace: pair.clusterNamespace, name: 'kube-binder' }],
    } as UnstructuredObject);
    await pair.createExport(name, ['zones']);
    await holds([
      {
        type: 'SchemaUpdateHeld',
        status: 'True',
        reason: 'BreakingSchemaChange',
        message: `zones.${pair.group}: spec.size may only be small.`,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ]);
    clock = new FakeClock();
    exports = createAPIServiceExport({ dialect: kubeBindDialect, connection: pair.connection, reportDelayMs: 50 });
    const installing = createServiceBinding({ connection: pair.connection });
    await Promise.all([installing.start(pair.context()), exports.start(pair.context({ clock }))]);
    closers.push(async () => {
      await Promise.all([installing.stop(), exports.stop()]);
    });
  });
  afterEach(async () => {
    await Promise.all(closers.map((close) => close()));
    await pair.close();
  });

  const crdWith = (size: object): UnstructuredObject =>
    crdOf(
      { group: pair.group, plural: 'zones', kind: 'Zone', scope: 'Cluster' },
      {
        properties: {
          spec: { type: 'object', properties: { size } },
          status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ) as unknown as UnstructuredObject;
  const zone = (object: string): UnstructuredObject => ({
    apiVersion: `${pair.group}/v1`,
    kind: 'Zone',
    metadata: { name: object },
    spec: { size: 'huge' },
  });
  /** The provider's conditions, as it writes them; those of the konnector stay. */
  const holds = async (conditions: readonly Condition[]): Promise<void> => {
    const key = { namespace: pair.clusterNamespace, name };
    const others = (
      (await pair.provider.get<APIServiceExport>(resources.apiServiceExports, key)).status?.conditions ?? []
    ).filter(({ type }) => type !== 'SchemaUpdateHeld');
    await pair.provider.patch(
      resources.apiServiceExports,
      key,
      { type: 'merge', patch: { status: { conditions: [...others, ...conditions] } } },
      { subresource: 'status' },
    );
  };
  const copyOf = (object: string): Promise<UnstructuredObject | undefined> =>
    pair.find(pair.provider, zones, { name: `${pair.clusterNamespace}-${object}` });

  it('is tried at once when the change is withdrawn, long before its next try', async () => {
    await pair.bind(name);
    await eventually(() => pair.consumer.create(zones, zone('one')), LONG);
    // Refused again and again, until the next try is minutes away.
    await eventually(
      async () => {
        await clock.advance(10_000);
        expect(exports.deadLetters()).toMatchObject([{ object: 'one', reason: 'SchemaChangeHeld' }]);
        expect((exports.deadLetters()[0]?.nextAttempt ?? 0) - clock.now()).toBeGreaterThan(60_000);
      },
      { timeoutMs: 60_000 },
    );
    // From here on no time passes for the controller.
    await pair.provider.patch(
      resources.customResourceDefinitions,
      { name: `zones.${pair.group}` },
      { type: 'merge', patch: { spec: crdWith({ type: 'string' })['spec'] as never } },
    );
    await eventually(
      () =>
        pair.provider.create(
          zones,
          { ...zone('probe'), metadata: { name: `probe-${pair.clusterNamespace}` } },
          { dryRun: true },
        ),
      LONG,
    );
    expect(await copyOf('one')).toBeUndefined();
    await holds([]);
    await eventually(async () => {
      expect((await copyOf('one'))?.['spec']).toEqual({ size: 'huge' });
    }, LONG);
    await eventually(() => {
      expect(exports.deadLetters()).toEqual([]);
    }, LONG);
  }, 120_000);
});
