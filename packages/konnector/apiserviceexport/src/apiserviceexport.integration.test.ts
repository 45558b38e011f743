import type { Resource, UnstructuredObject } from '@hawser/client';
import type { Controller } from '@hawser/controller';
import { crdOf } from '@hawser/installation';
import {
  type APIServiceExport,
  type CustomResourceDefinition,
  getCondition,
  resources,
  kubeBindDialect,
} from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueNamespace } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import {
  type KonnectorPair,
  type Rule,
  openKonnectorPair,
} from '../../konnector-connection/src/testing/konnector-pair.js';
import { createServiceBinding } from '../../servicebinding/src/index.js';
import { createAPIServiceExport } from './index.js';

type Scope = 'Namespaced' | 'Cluster';
const rbac = (resource: string): Resource => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource });
const ALL = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

describeWithControlPlane('apiserviceexport', () => {
  let pair: KonnectorPair;
  let running: Controller<'consumer' | 'provider'>[];
  let name: string;
  let namespace: string;

  beforeEach(async () => {
    pair = await openKonnectorPair();
    running = [];
    name = `ase-${pair.clusterNamespace}`;
    namespace = uniqueNamespace('team');
    await pair.consumer.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
  });
  afterEach(async () => {
    await Promise.all(running.map((controller) => controller.stop()));
    await pair.close();
  });

  async function start(as?: Parameters<KonnectorPair['context']>[0]): Promise<void> {
    const { connection } = pair;
    const controllers = [
      createServiceBinding({ connection }),
      createAPIServiceExport({
        dialect: kubeBindDialect,
        connection,
        reportDelayMs: 50,
        namespaceGraceMs: 500,
        scopeRetryMs: 500,
      }),
    ];
    running.push(...controllers);
    const context = pair.context(as);
    await Promise.all(controllers.map((controller) => controller.start(context)));
  }
  const stop = async (): Promise<void> => {
    await Promise.all(running.splice(0).map((controller) => controller.stop()));
  };

  const resourceOf = (plural: string): Resource => ({ group: pair.group, version: 'v1', resource: plural });
  const kindOf = (plural: string): string => plural.charAt(0).toUpperCase() + plural.slice(1, -1);
  const providerCrd = (plural: string, scope: Scope, kind = kindOf(plural)): CustomResourceDefinition =>
    crdOf(
      { group: pair.group, plural, kind, scope },
      {
        properties: {
          spec: { type: 'object', properties: { size: { type: 'string' } } },
          status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    );
  /** A resource that the provider serves with one scope and exports with another. */
  async function offer(plural: string, exported: Scope, served: Scope): Promise<void> {
    await pair.provider.create(resources.customResourceDefinitions, providerCrd(plural, served));
    await eventually(() => pair.provider.list(resourceOf(plural)));
    await pair.createSchema(plural, { scope: exported });
  }
  async function grantObjects(plurals: readonly string[], verbs: readonly string[] = ALL): Promise<void> {
    const role = `objects-${pair.clusterNamespace}`;
    const rules = plurals.map((plural) => ({ apiGroups: [pair.group], resources: [plural], verbs }));
    await pair.provider.patch(
      rbac('clusterroles'),
      { name: role },
      {
        type: 'apply',
        object: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: role }, rules },
        force: true,
      },
      { fieldManager: 'test' },
    );
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: role },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', namespace: pair.clusterNamespace, name: 'kube-binder' }],
    };
    await pair.provider.patch(
      rbac('clusterrolebindings'),
      { name: role },
      { type: 'apply', object: binding, force: true },
      { fieldManager: 'test' },
    );
  }
  async function exportAs(isolation: string, plurals: readonly string[]): Promise<void> {
    await pair.provider.create(resources.apiServiceExports, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExport',
      metadata: { name, namespace: pair.clusterNamespace },
      spec: {
        resources: plurals.map((resource) => ({ group: pair.group, resource, versions: ['v1'] })),
        informerScope: 'Namespaced',
        isolation,
      },
    } as never);
  }
  const objectOf = (plural: string, scope: Scope, object = 'one'): UnstructuredObject => ({
    apiVersion: `${pair.group}/v1`,
    kind: kindOf(plural),
    metadata: { name: object, ...(scope === 'Namespaced' ? { namespace } : {}) },
    spec: { size: 'small' },
  });
  const create = async (plural: string, scope: Scope, object?: string): Promise<void> => {
    await eventually(() => pair.consumer.create(resourceOf(plural), objectOf(plural, scope, object)), {
      timeoutMs: 20_000,
    });
  };
  /** Repeatable: the APIServiceNamespace may not be there yet. */
  const assign = async (): Promise<string> => {
    const assigned = `${pair.clusterNamespace}-${namespace}`;
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: assigned } };
    await pair.provider.patch(
      resources.namespaces,
      { name: assigned },
      { type: 'apply', object, force: true },
      { fieldManager: 'test' },
    );
    await pair.provider.patch(
      resources.apiServiceNamespaces,
      { namespace: pair.clusterNamespace, name: namespace },
      { type: 'merge', patch: { status: { namespace: assigned } } },
      { subresource: 'status' },
    );
    return assigned;
  };
  const copyOf = (
    plural: string,
    at: { namespace?: string; name: string },
    timeoutMs = 20_000,
  ): Promise<UnstructuredObject> => eventually(() => pair.provider.get(resourceOf(plural), at), { timeoutMs });

  it.each<[string, Scope, Scope, string]>([
    ['Namespaced', 'Cluster', 'Cluster', 'zones'],
    ['Prefixed', 'Cluster', 'Namespaced', 'zones'],
    ['None', 'Cluster', 'Namespaced', 'zones'],
    ['Prefixed', 'Namespaced', 'Cluster', 'zones'],
  ])(
    'tells that isolation %s has no place for what is %s here and %s there, and binds the rest',
    async (isolation, exported, served, plural) => {
      await offer(plural, exported, served);
      const right: Scope = isolation === 'Namespaced' || exported === 'Namespaced' ? 'Namespaced' : 'Cluster';
      await offer('tests', exported, right);
      await grantObjects([plural, 'tests']);
      await exportAs(isolation, [plural, 'tests']);
      await start();
      await pair.bind(name);
      await pair.becomes(name, 'SchemaInSync', { status: 'True' });
      const condition = await pair.becomes(name, 'ObjectsInSync', {
        status: 'False',
        reason: 'NoPlaceForCopies',
        message: `${plural}.${pair.group}: NoPlaceForCopies`,
      });
      expect(condition.message).toMatch(/The provider has to/u);
      expect(condition.message).not.toContain(`tests.${pair.group}`);
      await eventually(() => {
        expect(pair.events).toContainEqual(
          expect.stringMatching(new RegExp(`^APIServiceBinding ${name} Warning NoPlaceForCopies: ${plural}`, 'u')),
        );
      });
      await eventually(async () => {
        const { status } = await pair.provider.get<APIServiceExport>(resources.apiServiceExports, {
          namespace: pair.clusterNamespace,
          name,
        });
        expect(getCondition(status?.conditions, 'Connected')).toMatchObject({
          status: 'False',
          severity: 'Warning',
          reason: 'NoPlaceForCopies',
          message: expect.stringContaining(plural),
        });
      });
      await create(plural, exported);
      // The other resource of the export is synced.
      await create('tests', exported);
      if (exported === 'Namespaced') await eventually(assign, { timeoutMs: 20_000 });
      const prefix = isolation === 'Prefixed' && exported === 'Cluster' ? `${pair.clusterNamespace}-` : '';
      const copyNamespace = exported === 'Namespaced' ? `${pair.clusterNamespace}-${namespace}` : pair.clusterNamespace;
      await copyOf('tests', { name: `${prefix}one`, ...(right === 'Namespaced' ? { namespace: copyNamespace } : {}) });
      // Nothing is held on to that could not be let go of again.
      const stuck = { name: 'one', ...(exported === 'Namespaced' ? { namespace } : {}) };
      expect((await pair.consumer.get(resourceOf(plural), stuck)).metadata.finalizers).toBeUndefined();
      expect(pair.events.filter((line) => line.includes('NoPlaceForCopies'))).toHaveLength(1);

      await pair.provider.delete(resources.customResourceDefinitions, { name: `${plural}.${pair.group}` });
      await eventually(async () => {
        expect(
          await pair.find(pair.provider, resources.customResourceDefinitions, { name: `${plural}.${pair.group}` }),
        ).toBeUndefined();
      });
      await pair.provider.create(resources.customResourceDefinitions, providerCrd(plural, right));
      // Looked for again after as long as it has lasted.
      await copyOf(
        plural,
        { name: `${prefix}one`, ...(right === 'Namespaced' ? { namespace: copyNamespace } : {}) },
        75_000,
      );
      await pair.becomes(name, 'ObjectsInSync', { status: 'True' });
      await eventually(async () => {
        const { status } = await pair.provider.get<APIServiceExport>(resources.apiServiceExports, {
          namespace: pair.clusterNamespace,
          name,
        });
        expect(getCondition(status?.conditions, 'Connected')).toMatchObject({ status: 'True' });
      });
    },
  );

  it('tells on object and binding that a namespace is not assigned, once, and goes on when it is', async () => {
    await offer('tests', 'Namespaced', 'Namespaced');
    await grantObjects(['tests']);
    await exportAs('Prefixed', ['tests']);
    await start();
    await pair.bind(name);
    await create('tests', 'Namespaced');
    await pair.becomes(name, 'ObjectsInSync', {
      status: 'False',
      reason: 'NamespacePending',
      message: `${pair.clusterNamespace}/${namespace}`,
    });
    const pendingEvents = (): readonly string[] =>
      pair.events.filter((line) => line.startsWith('Test one Warning NamespacePending'));
    await eventually(() => {
      expect(pendingEvents()).toHaveLength(1);
    });
    // Another look at the object is no other Event.
    await pair.consumer.patch(
      resourceOf('tests'),
      { namespace, name: 'one' },
      { type: 'merge', patch: { spec: { size: 'large' } } },
    );
    await create('tests', 'Namespaced', 'two');
    await pair.becomes(name, 'ObjectsInSync', { status: 'False', message: '2 objects are not in step' });
    expect(pendingEvents()).toHaveLength(1);
    const assigned = await assign();
    expect((await copyOf('tests', { namespace: assigned, name: 'one' }))['spec']).toEqual({ size: 'large' });
    await pair.becomes(name, 'ObjectsInSync', { status: 'True' });
  });

  it('asks again for a namespace whose APIServiceNamespace is deleted', async () => {
    await offer('tests', 'Namespaced', 'Namespaced');
    await grantObjects(['tests']);
    await exportAs('Prefixed', ['tests']);
    await start();
    await pair.bind(name);
    await create('tests', 'Namespaced');
    const at = { namespace: pair.clusterNamespace, name: namespace };
    const first = await eventually(() => pair.provider.get(resources.apiServiceNamespaces, at), { timeoutMs: 20_000 });
    await pair.provider.delete(resources.apiServiceNamespaces, at);
    await eventually(async () => {
      expect((await pair.provider.get(resources.apiServiceNamespaces, at)).metadata.uid).not.toBe(first.metadata.uid);
    });
  });

  it('names verb, resource and side when the provider does not let it list a resource, syncs the others, and recovers by itself', async () => {
    await offer('zones', 'Cluster', 'Cluster');
    await offer('tests', 'Cluster', 'Cluster');
    await grantObjects(['tests']);
    await exportAs('Prefixed', ['zones', 'tests']);
    await start();
    await pair.bind(name);
    await pair.becomes(name, 'ObjectsInSync', {
      status: 'False',
      reason: 'ForbiddenByProvider',
      message: `Cannot list zones.${pair.group} on the provider`,
    });
    await create('tests', 'Cluster');
    await create('zones', 'Cluster');
    await copyOf('tests', { name: `${pair.clusterNamespace}-one` });
    await grantObjects(['tests', 'zones']);
    await copyOf('zones', { name: `${pair.clusterNamespace}-one` });
    await pair.becomes(name, 'ObjectsInSync', { status: 'True' });
  });

  it('names verb, resource and side when the consumer does not let it list a resource, and syncs the others', async () => {
    const user = `limited-${pair.clusterNamespace}`;
    const limited = await pair.consumerPlane.userAccess(user);
    const rights = (plurals: readonly string[]): readonly Rule[] => [
      { apiGroups: ['kube-bind.io', 'apiextensions.k8s.io'], resources: ['*'], verbs: ['*'] },
      { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
      { apiGroups: [pair.group], resources: plurals, verbs: ['*'] },
    ];
    const grantConsumer = (plurals: readonly string[]): Promise<unknown> =>
      pair.consumer.patch(
        rbac('clusterroles'),
        { name: user },
        {
          type: 'apply',
          object: {
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: 'ClusterRole',
            metadata: { name: user },
            rules: rights(plurals),
          },
          force: true,
        },
        { fieldManager: 'test' },
      );
    await grantConsumer(['tests', 'tests/status']);
    await pair.consumer.create(rbac('clusterrolebindings'), {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: user },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    } as never);
    // The one that may not be read comes first: it must not stand in the way of the other.
    await offer('zones', 'Cluster', 'Cluster');
    await offer('tests', 'Cluster', 'Cluster');
    await grantObjects(['tests', 'zones']);
    await exportAs('Prefixed', ['zones', 'tests']);
    await start({ consumer: limited.connection });
    await pair.bind(name);
    await create('tests', 'Cluster');
    await copyOf('tests', { name: `${pair.clusterNamespace}-one` });
    await pair.becomes(name, 'ObjectsInSync', {
      status: 'False',
      reason: 'ForbiddenOnConsumer',
      message: `Cannot list zones.${pair.group} on the consumer`,
    });
    await create('zones', 'Cluster');
    await grantConsumer(['tests', 'tests/status', 'zones', 'zones/status']);
    await copyOf('zones', { name: `${pair.clusterNamespace}-one` });
    await pair.becomes(name, 'ObjectsInSync', { status: 'True' });
  });

  it('takes back after a restart what it said of an object that is in step by then', async () => {
    await offer('tests', 'Cluster', 'Cluster');
    await grantObjects(['tests'], ['get', 'list', 'watch']);
    await exportAs('Prefixed', ['tests']);
    await start();
    await pair.bind(name);
    await create('tests', 'Cluster');
    await pair.becomes(name, 'ObjectsInSync', { status: 'False', reason: 'ForbiddenByProvider', message: 'one: ' });
    await stop();
    await grantObjects(['tests']);
    await start();
    await pair.becomes(name, 'ObjectsInSync', { status: 'True' });
    expect(await pair.find(pair.provider, resourceOf('tests'), { name: `${pair.clusterNamespace}-one` })).toBeDefined();
  });

  it('tells the provider of objects that it refuses, as soon as it says that a change of the schema is held, and the consumer again when that is over', async () => {
    const crd = crdOf(
      { group: pair.group, plural: 'zones', kind: 'Zone', scope: 'Cluster' },
      {
        properties: {
          spec: { type: 'object', properties: { size: { type: 'string', maxLength: 3 } } },
          status: { type: 'object' },
        },
      },
    );
    await pair.provider.create(resources.customResourceDefinitions, crd);
    await eventually(() => pair.provider.list(resourceOf('zones')));
    await pair.createSchema('zones', { scope: 'Cluster' });
    await grantObjects(['zones']);
    await exportAs('Prefixed', ['zones']);
    await start();
    await pair.bind(name);
    await create('zones', 'Cluster');
    await pair.becomes(name, 'ObjectsInSync', { status: 'False', reason: 'RejectedByProvider' });
    const reportHeld = async (status: 'True' | 'False'): Promise<void> => {
      const at = { namespace: pair.clusterNamespace, name };
      const held = {
        type: 'SchemaUpdateHeld',
        status,
        reason: 'BreakingSchemaChange',
        message: `zones.${pair.group}: spec.size may have no more than 3 characters.`,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      };
      await eventually(async () => {
        const {
          metadata: { resourceVersion },
          status: before,
        } = await pair.provider.get<APIServiceExport>(resources.apiServiceExports, at);
        const conditions = [...(before?.conditions ?? []).filter(({ type }) => type !== held.type), held];
        await pair.provider.patch(
          resources.apiServiceExports,
          at,
          { type: 'merge', patch: { metadata: { resourceVersion }, status: { conditions } } },
          { subresource: 'status' },
        );
      });
    };
    await reportHeld('True');
    const condition = await pair.becomes(name, 'ObjectsInSync', {
      status: 'False',
      reason: 'SchemaChangeHeld',
      message: 'spec.size may have no more than 3 characters',
    });
    expect(condition.message).toContain('The provider must let the change through');
    expect(condition.message).not.toContain('Change the object');
    await reportHeld('False');
    await pair.becomes(name, 'ObjectsInSync', { status: 'False', reason: 'RejectedByProvider' });
  });

  it('says why the consumer does not establish a CRD', async () => {
    // Another CRD of the group has the kind.
    await pair.consumer.create(resources.customResourceDefinitions, providerCrd('others', 'Cluster', 'Test'));
    await offer('tests', 'Cluster', 'Cluster');
    await grantObjects(['tests']);
    await exportAs('Prefixed', ['tests']);
    await start();
    await pair.bind(name);
    await pair.becomes(name, 'ObjectsInSync', {
      status: 'False',
      reason: 'CustomResourceDefinitionNotEstablished',
      message: 'already in use',
    });
    await pair.consumer.delete(resources.customResourceDefinitions, { name: `others.${pair.group}` });
    await create('tests', 'Cluster');
    await copyOf('tests', { name: `${pair.clusterNamespace}-one` });
    await pair.becomes(name, 'ObjectsInSync', { status: 'True' });
  });
});
