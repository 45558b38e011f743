import type { Resource, UnstructuredObject } from '@hawser/client';
import { crdOf } from '@hawser/installation';
import { type APIServiceExport, klutchDialect } from '@hawser/klutch';
import { getCondition, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueNamespace } from '@hawser/testenv';
import { expect, it } from '@jest/globals';

import { openKonnectorPair } from '../../konnector-connection/src/testing/konnector-pair.js';
import { createServiceBinding } from '../../servicebinding/src/index.js';
import { createAPIServiceExport } from './index.js';

const { apiServiceExports, apiServiceNamespaces } = klutchDialect.resources;
const rbac = (resource: string): Resource => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource });
const SOON = { timeoutMs: 30_000 };
const BOUND = { 'klutch.anynines.com/bound': 'true' };

describeWithControlPlane('apiserviceexport, in Klutch', () => {
  it('syncs objects of an export that carries its schema, brings those that the provider made, and tells of it on both sides', async () => {
    const pair = await openKonnectorPair({ dialect: klutchDialect });
    const { connection, clusterNamespace } = pair;
    const controllers = [
      createServiceBinding({ connection }),
      createAPIServiceExport({
        connection,
        dialect: klutchDialect,
        adoptsFromProvider: true,
        reportDelayMs: 50,
        namespaceGraceMs: 500,
      }),
    ];
    const name = pair.nameFor('databases');
    const databases: Resource = { group: pair.group, version: 'v1', resource: 'databases' };
    const namespace = uniqueNamespace('team');
    const copyNamespace = `${clusterNamespace}-${namespace}`;
    const object = (at: string, called: string): UnstructuredObject => ({
      apiVersion: `${pair.group}/v1`,
      kind: 'Database',
      metadata: { namespace: at, name: called },
      spec: { size: 'small' },
    });
    const copy = (called: string): Promise<UnstructuredObject> =>
      eventually(() => pair.provider.get(databases, { namespace: copyNamespace, name: called }), SOON);
    try {
      await pair.consumer.create(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
      const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
      await pair.provider.create(
        resources.customResourceDefinitions,
        crdOf(
          { group: pair.group, plural: 'databases', kind: 'Database', scope: 'Namespaced' },
          { properties: { spec: { type: 'object', properties: { size: { type: 'string' } } }, status: open } },
        ),
      );
      await eventually(() => pair.provider.list(databases), SOON);
      await pair.createSchema('databases');
      const role = `objects-${clusterNamespace}`;
      await pair.provider.create(rbac('clusterroles'), {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: role },
        rules: [{ apiGroups: [pair.group], resources: ['databases'], verbs: ['*'] }],
      } as never);
      const subjects = [{ kind: 'ServiceAccount', namespace: clusterNamespace, name: klutchDialect.names.binder }];
      await pair.provider.create(rbac('clusterrolebindings'), {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: role },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects,
      } as never);
      await pair.bind(name);
      const context = pair.context();
      await Promise.all(controllers.map((controller) => controller.start(context)));

      await eventually(() => pair.consumer.create(databases, object(namespace, 'mine')), SOON);
      const asked = await eventually(
        () => pair.provider.get(apiServiceNamespaces, { namespace: clusterNamespace, name: namespace }),
        SOON,
      );
      expect(asked.metadata.ownerReferences).toMatchObject([
        { apiVersion: klutchDialect.apiVersion, kind: 'APIServiceExport', name },
      ]);
      await pair.becomes(name, 'ObjectsInSync', { status: 'False', reason: 'NamespacePending' });
      await pair.provider.create(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: copyNamespace },
      });
      await pair.provider.patch(
        apiServiceNamespaces,
        { namespace: clusterNamespace, name: namespace },
        { type: 'merge', patch: { status: { namespace: copyNamespace } } },
        { subresource: 'status' },
      );
      expect((await copy('mine')).metadata.annotations).toMatchObject(BOUND);
      await pair.becomes(name, 'ObjectsInSync', { status: 'True' });
      await pair.provider.patch(
        databases,
        { namespace: copyNamespace, name: 'mine' },
        { type: 'merge', patch: { status: { phase: 'Ready' } } },
        { subresource: 'status' },
      );
      await eventually(async () => {
        expect((await pair.consumer.get(databases, { namespace, name: 'mine' }))['status']).toEqual({ phase: 'Ready' });
      }, SOON);

      await pair.provider.create(databases, object(copyNamespace, 'theirs'));
      await eventually(async () => {
        expect((await pair.consumer.get(databases, { namespace, name: 'theirs' })).metadata).toMatchObject({
          annotations: BOUND,
          finalizers: [klutchDialect.finalizer],
        });
      }, SOON);
      await eventually(async () => {
        expect((await copy('theirs')).metadata.annotations).toMatchObject(BOUND);
      }, SOON);
      await pair.consumer.delete(databases, { namespace, name: 'mine' });
      await eventually(async () => {
        expect([
          await pair.find(pair.provider, databases, { namespace: copyNamespace, name: 'mine' }),
          await pair.find(pair.consumer, databases, { namespace, name: 'mine' }),
        ]).toEqual([undefined, undefined]);
      }, SOON);

      await eventually(async () => {
        const { status } = await pair.provider.get<APIServiceExport>(apiServiceExports, {
          namespace: clusterNamespace,
          name,
        });
        expect(
          ['Connected', 'ConsumerInSync', 'Established'].map((type) => getCondition(status?.conditions, type)?.status),
        ).toEqual(['True', 'True', 'True']);
        expect(status).toMatchObject({ storedVersions: ['v1'], acceptedNames: { plural: 'databases' } });
      }, SOON);
    } finally {
      await Promise.all(controllers.map((controller) => controller.stop()));
      await pair.close();
    }
  });
});
