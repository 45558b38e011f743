import { afterEach, beforeEach, expect, it } from '@jest/globals';

import type { Resource, UnstructuredObject } from '@hawser/client';
import { crdOf } from '@hawser/installation';
import { resources, kubeBindDialect } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';

import {
  type KonnectorPair,
  binderRules,
  openKonnectorPair,
} from '../../konnector-connection/src/testing/konnector-pair.js';
import { createServiceBinding } from '../../servicebinding/src/index.js';
import { type APIServiceExportController, type APIServiceExportOptions, createAPIServiceExport } from './index.js';

describeWithControlPlane('policies of a binding', () => {
  let pair: KonnectorPair;
  let closers: (() => Promise<void>)[];
  let name: string;
  let zones: Resource;

  beforeEach(async () => {
    pair = await openKonnectorPair();
    closers = [];
    name = `policies-${pair.clusterNamespace}`;
    zones = { group: pair.group, version: 'v1', resource: 'zones' };
    await pair.provider.create(
      resources.customResourceDefinitions,
      crdOf(
        { group: pair.group, plural: 'zones', kind: 'Zone', scope: 'Cluster' },
        { properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
      ),
    );
    await pair.createSchema('zones', { scope: 'Cluster' });
    const rbac = (resource: string): Resource => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource });
    await pair.grant(binderRules);
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
  });
  afterEach(async () => {
    await Promise.all(closers.map((close) => close()));
    await pair.close();
  });

  const start = async (options: Partial<APIServiceExportOptions> = {}): Promise<APIServiceExportController> => {
    const { connection } = pair;
    const exports = createAPIServiceExport({ dialect: kubeBindDialect, connection, reportDelayMs: 50, ...options });
    const controllers = [createServiceBinding({ connection }), exports];
    const context = pair.context();
    await Promise.all(controllers.map((controller) => controller.start(context)));
    closers.push(async () => {
      await Promise.all(controllers.map((controller) => controller.stop()));
    });
    return exports;
  };
  const annotate = (annotations: Record<string, string | null>): Promise<unknown> =>
    pair.consumer.patch(
      resources.apiServiceBindings,
      { name },
      { type: 'merge', patch: { metadata: { annotations } } },
    );
  const write = (object: string, spec: unknown): Promise<unknown> =>
    eventually(
      () =>
        pair.consumer.patch(
          zones,
          { name: object },
          {
            type: 'apply',
            object: { apiVersion: `${pair.group}/v1`, kind: 'Zone', metadata: { name: object }, spec },
            force: true,
          },
          { fieldManager: 'test' },
        ),
      { timeoutMs: 20_000 },
    );
  const copyOf = (object: string): Promise<UnstructuredObject | undefined> =>
    pair.find(pair.provider, zones, { name: `${pair.clusterNamespace}-${object}` });
  const isThere = (object: string): Promise<void> =>
    eventually(
      async () => {
        expect(await copyOf(object)).toBeDefined();
      },
      { timeoutMs: 20_000 },
    );

  it('are followed while the syncs run: pause of binding and Secret, and words that are not known', async () => {
    pair.secrets.push({ namespace: pair.secretNamespace, name: 'kubeconfig', key: 'kubeconfig' });
    const secret = { namespace: pair.secretNamespace, name: 'kubeconfig' };
    await pair.consumer.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...secret, annotations: { 'hawser.dev/paused': 'new network' } },
    });
    const controller = await start();
    await pair.bind(name);
    // Nothing is written before it is known whether the connection is paused.
    await pair.becomes(name, 'Paused', { status: 'True', reason: 'Paused', message: '"new network"' });
    await write('one', { size: 'small' });
    await pair.becomes(name, 'ObjectsInSync', { status: 'False', reason: 'Paused', message: 'one: ' });
    expect(await copyOf('one')).toBeUndefined();
    const sync = controller.syncs()[0]?.sync;
    expect(sync?.plan('one').withheld?.map(({ type }) => type)).toEqual(['addFinalizer', 'createCopy']);
    await pair.consumer.patch(resources.secrets, secret, {
      type: 'merge',
      patch: { metadata: { annotations: { 'hawser.dev/paused': null } } },
    });
    await isThere('one');
    await pair.becomes(name, 'ObjectsInSync', { status: 'True' });
    await eventually(async () => {
      expect(await pair.condition(name, 'Paused')).toBeUndefined();
    });

    await annotate({
      'hawser.dev/paused': 'for now',
      'hawser.dev/drift-policy': 'Perhaps',
      'hawser.dev/conflict-policy': 'Skip',
    });
    await pair.becomes(name, 'Paused', { status: 'True', message: '"for now"' });
    const invalid = await pair.becomes(name, 'PoliciesValid', {
      status: 'False',
      reason: 'UnknownPolicyValue',
      message: '"Perhaps"',
    });
    expect(invalid.message).not.toContain('Skip');
    await pair.becomes(name, 'Ready', { status: 'True' });
    await eventually(() => {
      expect(pair.events).toContainEqual(expect.stringMatching(/Warning UnknownPolicyValue: .*drift-policy/u));
    });
    await annotate({ 'hawser.dev/paused': null, 'hawser.dev/drift-policy': null });
    await eventually(async () => {
      expect([await pair.condition(name, 'Paused'), await pair.condition(name, 'PoliciesValid')]).toEqual([
        undefined,
        undefined,
      ]);
    });
    // None of that has restarted the sync.
    expect(controller.syncs()[0]?.sync).toBe(sync);
  });

  it('hold deletions beyond the budget, also after a restart, until the operator approves them', async () => {
    await start();
    await pair.bind(name);
    const names = ['one', 'two', 'three'];
    for (const object of names) await write(object, {});
    for (const object of names) await isThere(object);
    await closers.shift()?.();
    for (const object of names) {
      await pair.consumer.patch(zones, { name: object }, { type: 'merge', patch: { metadata: { finalizers: null } } });
      await pair.consumer.delete(zones, { name: object });
    }
    const orphans = { policy: 'Delete', deletionsPerMinute: 2, graceMs: 300 } as const;
    await start({ orphans });
    await pair.becomes(name, 'DeletionsHeld', { status: 'True', reason: 'TooManyOrphans', message: '3 copies' });
    // It comes after the condition, and a restart does not tell it again.
    await eventually(() => {
      expect(pair.events).toContainEqual(expect.stringContaining('TooManyOrphans'));
    });
    await closers.shift()?.();
    await write('three', {});
    await start({ orphans });
    // Two alone would be within the budget.
    const condition = await pair.becomes(name, 'DeletionsHeld', { status: 'True', message: '2 copies' });
    expect((await Promise.all(names.map(copyOf))).every((copy) => copy !== undefined)).toBe(true);
    const token = /approve-deletions: ([^"]+)"/u.exec(condition.message ?? '')?.[1] ?? '';
    await annotate({ 'hawser.dev/approve-deletions': token });
    await eventually(
      async () => {
        expect([await copyOf('one'), await copyOf('two')]).toEqual([undefined, undefined]);
      },
      { timeoutMs: 20_000 },
    );
    await eventually(async () => {
      expect(await pair.condition(name, 'DeletionsHeld')).toBeUndefined();
    });
    await pair.becomes(name, 'ObjectsInSync', { status: 'True' });
    expect(await copyOf('three')).toBeDefined();
    expect(pair.events.filter((line) => line.includes('TooManyOrphans'))).toHaveLength(1);
  });

  it('never delete copies that were there before the binding, as unbinding leaves them', async () => {
    const orphan = {
      apiVersion: `${pair.group}/v1`,
      kind: 'Zone',
      metadata: {
        name: `${pair.clusterNamespace}-left`,
        annotations: {
          'kube-bind.io/cluster-namespace': pair.clusterNamespace,
          'kube-bind.io/consumer-namespace': '',
          'kube-bind.io/consumer-uid': 'gone',
          'hawser.dev/consumer-identity':
            (await pair.consumer.get(resources.namespaces, { name: 'kube-system' })).metadata.uid ?? '',
        },
      },
    };
    await eventually(() => pair.provider.create(zones, orphan));
    // Times of creation have whole seconds.
    await eventually(async () => {
      expect(
        Date.now() - Date.parse((await pair.provider.get(zones, orphan.metadata)).metadata.creationTimestamp ?? ''),
      ).toBeGreaterThan(1_100);
    });
    await start({ orphans: { policy: 'Delete', graceMs: 0 } });
    await pair.bind(name);
    await pair.becomes(name, 'ObjectsInSync', {
      status: 'False',
      reason: 'Orphaned',
      message: 'older than the binding',
    });
    expect(await copyOf('left')).toBeDefined();
  });
});
