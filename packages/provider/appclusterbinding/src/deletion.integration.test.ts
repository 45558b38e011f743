import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { klutchDialect, resources } from '@hawser/klutch';
import { getCondition, resources as core } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createInlineExportControllers } from '../../exportrequest/src/inline/inline-controllers.js';
import { createServiceNamespaceController } from '../../servicenamespace/src/service-namespace-controller.js';
import type { Running } from '../../servicenamespace/src/testing/provider-cluster.js';
import { createAppClusterBindingController } from './app-cluster-binding-controller.js';
import { children } from './decision.js';
import { type ControlPlaneCluster, type Home, openControlPlaneCluster, patience } from './testing/control-plane.js';
import { blockRights } from './testing/rights.js';

const deployments = children.deployment.resource;
const policyAnnotation = 'hawser.dev/deletion-policy';

describeWithControlPlane(
  'the deletion of an AppClusterBinding',
  () => {
    let cluster: ControlPlaneCluster;
    let running: Running;
    let home: Home;
    let instances: string;

    beforeAll(async () => {
      cluster = await openControlPlaneCluster();
    });
    afterAll(() => cluster.close());
    afterEach(() => running.stop());

    /** With an instance in a service namespace, as a konnector leaves it, and with one that is cluster-scoped. */
    beforeEach(async () => {
      home = await cluster.home();
      instances = `${home.root}-team`;
      running = await cluster.run(
        createAppClusterBindingController({ konnectorImage: 'konnector:1', deletionPollMs: 100 }),
        ...createInlineExportControllers({ informerScope: 'Cluster' }),
        createServiceNamespaceController({ dialect: klutchDialect, isolation: 'Prefixed' }),
      );
      await cluster.offer(home, 'databases');
      await cluster.offer(home, 'zones', 'Cluster');
      await cluster.bind(home, {
        apiExports: [
          { group: home.group, resource: 'databases' },
          { group: home.group, resource: 'zones' },
        ],
        konnector: { deploy: true },
      });
      await cluster.conditionIs(home, 'APIsBound', 'True');
      await eventually(async () => {
        expect(await inRoot(deployments, 'konnector')).toBeDefined();
      }, patience);
      await cluster.client.create(resources.apiServiceNamespaces, {
        apiVersion: 'klutch.anynines.com/v1alpha1',
        kind: 'APIServiceNamespace',
        metadata: { name: 'team', namespace: home.root },
      });
      await eventually(async () => {
        expect(await namespaceOf(instances)).toBeDefined();
      }, patience);
      await cluster.client.create(databases(), {
        apiVersion: `${home.group}/v1`,
        kind: 'databases',
        metadata: { name: 'orders', namespace: instances },
      });
      const owner = await cluster.read(core.namespaces, { name: home.root });
      await cluster.client.create(zones(), {
        apiVersion: `${home.group}/v1`,
        kind: 'zones',
        metadata: {
          name: `${home.root}-eu`,
          annotations: { 'klutch.anynines.com/cluster-namespace': home.root },
          ownerReferences: [{ apiVersion: 'v1', kind: 'Namespace', name: home.root, uid: owner?.metadata.uid ?? '' }],
        },
      });
    });

    const databases = (): { group: string; version: string; resource: string } => ({
      group: home.group,
      version: 'v1',
      resource: 'databases',
    });
    const zones = (): { group: string; version: string; resource: string } => ({ ...databases(), resource: 'zones' });
    const inRoot = (
      resource: Parameters<ControlPlaneCluster['read']>[0],
      name: string,
    ): Promise<KubeObject | undefined> => cluster.read(resource, { namespace: home.root, name });
    const self = (): { namespace: string; name: string } => ({ namespace: home.namespace, name: home.name });
    const choose = (policy: string | null): Promise<KubeObject> =>
      cluster.client.patch(resources.appClusterBindings, self(), {
        type: 'merge',
        patch: { metadata: { annotations: { [policyAnnotation]: policy } } },
      });
    const remove = (): Promise<unknown> => cluster.client.delete(resources.appClusterBindings, self());
    const clusterWide = (): { name: string } => ({ name: `klutch-konnector-${home.namespace}-shop` });
    const instance = (): Promise<KubeObject | undefined> =>
      cluster.read(databases(), { namespace: instances, name: 'orders' });
    const zone = (): Promise<KubeObject | undefined> => cluster.read(zones(), { name: `${home.root}-eu` });
    const namespaceOf = (name: string): Promise<KubeObject | undefined> => cluster.read(core.namespaces, { name });
    const stands = async (of: string): Promise<void> => {
      const found = await namespaceOf(of);
      expect(found?.metadata.name).toBe(of);
      expect(found?.metadata.deletionTimestamp).toBeUndefined();
    };
    const deletions = async (): Promise<readonly string[]> =>
      (await cluster.writes())
        .filter(
          ({ verb, namespace, name }) =>
            verb === 'delete' && `${namespace ?? ''}/${name ?? ''}`.includes(home.namespace),
        )
        .map(({ resource }) => resource);

    it('keeps the instances and the root namespace by default, and says what stays', async () => {
      await remove();
      await cluster.gone(home);
      expect(await instance()).toBeDefined();
      expect(await zone()).toBeDefined();
      await stands(instances);
      await stands(home.root);
      // Exports are what a new one of the same name goes on with; credentials and rights are not.
      expect(await inRoot(resources.apiServiceExports, `databases.${home.group}`)).toBeDefined();
      for (const [resource, name] of [
        [resources.apiServiceBindings, `databases.${home.group}`],
        [deployments, 'konnector'],
        [core.secrets, 'kubeconfig'],
        [core.serviceAccounts, 'klutch-binder'],
        [core.roleBindings, 'control-plane-connector'],
      ] as const) {
        expect(await inRoot(resource, name)).toBeUndefined();
      }
      expect(await cluster.read(core.clusterRoleBindings, clusterWide())).toBeUndefined();
      expect(await inRoot(core.configMaps, 'hawser-left-behind')).toMatchObject({
        data: { appClusterBinding: `${home.namespace}/shop`, stays: `namespace ${home.root}\nnamespace ${instances}` },
      });
      // The Event comes after the finalizer has gone.
      await eventually(() => {
        expect(running.events.find(({ event }) => event.reason === 'NamespacesKept')?.event.message).toContain(
          instances,
        );
      }, patience);
      // Bindings before the konnector, and that before its rights.
      expect([...new Set((await deletions()).filter((resource) => resource !== 'appclusterbindings'))]).toEqual([
        'apiservicebindings',
        'deployments',
        'clusterrolebindings',
        'rolebindings',
        'secrets',
        'serviceaccounts',
      ]);

      await cluster.bind(home, { apiExports: [{ group: home.group, resource: 'databases' }] });
      await cluster.conditionIs(home, 'Ready', 'True');
      expect(await inRoot(core.secrets, 'kubeconfig')).toBeDefined();
    });

    it('deletes everything, instances too, if that is asked for', async () => {
      const other = `${home.namespace}-other`;
      await cluster.makeNamespace(other);
      await cluster.client.create(resources.apiServiceNamespaces, {
        apiVersion: 'klutch.anynines.com/v1alpha1',
        kind: 'APIServiceNamespace',
        metadata: { name: 'forged', namespace: home.root },
      });
      await cluster.client.patch(
        resources.apiServiceNamespaces,
        { namespace: home.root, name: 'forged' },
        { type: 'merge', patch: { status: { namespace: other } } },
        { subresource: 'status' },
      );
      // Its APIServiceNamespace is gone, and what is in it is not.
      const left = `${home.root}-left`;
      await cluster.makeNamespace(left, {
        annotations: { 'klutch.anynines.com/api-service-namespace': `${home.root}/left` },
      });
      const lookalike = `${home.root}-lookalike`;
      await cluster.makeNamespace(lookalike, {
        annotations: { 'klutch.anynines.com/api-service-namespace': `${home.root}-x/lookalike` },
      });
      await choose('Delete');
      await remove();
      await cluster.gone(home);
      expect(await namespaceOf(instances)).toBeUndefined();
      expect(await namespaceOf(left)).toBeUndefined();
      await stands(lookalike);
      expect(await namespaceOf(home.root)).toBeUndefined();
      expect(await cluster.read(core.clusterRoleBindings, clusterWide())).toBeUndefined();
      await eventually(async () => {
        expect(await zone()).toBeUndefined();
      }, patience);
      // It was not made again, and deleted again.
      expect(
        (await cluster.writes()).filter(
          ({ verb, name, code }) => verb === 'delete' && name === instances && code < 300,
        ),
      ).toHaveLength(1);
      // What only a status names is nobody's to delete.
      await stands(other);
      const [rights, ...namespaces] = (await deletions()).filter((resource) =>
        ['clusterrolebindings', 'namespaces'].includes(resource),
      );
      expect([rights, new Set(namespaces)]).toEqual(['clusterrolebindings', new Set(['namespaces'])]);
    });

    it('waits under Block until there are no instances, and finds that out or deletes nothing', async () => {
      await choose('Block');
      await remove();
      expect(await cluster.conditionIs(home, 'CleanedUp', 'False InstancesUnknown')).toContain('list');
      expect(getCondition((await cluster.find(home))?.status?.conditions, 'Ready')?.status).toBe('False');
      await cluster.grant(blockRights);
      // Nothing tells of a right that was given; a change of the object does.
      await choose('Perhaps');
      let looks = 0;
      await eventually(
        async () => {
          await cluster.client.patch(resources.appClusterBindings, self(), {
            type: 'merge',
            patch: { metadata: { annotations: { look: `${looks++}` } } },
          });
          const condition = getCondition((await cluster.find(home))?.status?.conditions, 'CleanedUp');
          expect(condition).toMatchObject({
            status: 'False',
            reason: 'InstancesRemain',
            message: expect.stringContaining('Perhaps'),
          });
        },
        { ...patience, intervalMs: 500 },
      );
      await choose('Block');
      const message = await eventually(async () => {
        const text = await cluster.conditionIs(home, 'CleanedUp', 'False InstancesRemain');
        expect(text).toContain('the deletion policy Block');
        return text;
      }, patience);
      expect(message).toContain(`databases.${home.group} orders in namespace ${instances}`);
      expect(message).toContain(`zones.${home.group} ${home.root}-eu`);
      expect(await inRoot(deployments, 'konnector')).toBeDefined();
      expect(await deletions()).toEqual([]);
      await cluster.client.delete(databases(), { namespace: instances, name: 'orders' });
      await cluster.client.delete(zones(), { name: `${home.root}-eu` });
      await cluster.client.patch(resources.appClusterBindings, self(), {
        type: 'merge',
        patch: { metadata: { annotations: { look: 'again' } } },
      });
      await cluster.gone(home);
      expect(await namespaceOf(home.root)).toBeUndefined();
      expect(await namespaceOf(instances)).toBeUndefined();
    });

    it('waits for each step, says for which, and lets go where it is told to', async () => {
      const name = `databases.${home.group}`;
      await cluster.client.patch(
        resources.apiServiceBindings,
        { namespace: home.root, name },
        { type: 'merge', patch: { metadata: { finalizers: ['example.com/held'] } } },
      );
      await choose('Delete');
      await remove();
      expect(
        await eventually(async () => {
          const text = await cluster.conditionIs(home, 'CleanedUp', 'False WaitingForDeletion');
          expect(text).toContain(name);
          return text;
        }, patience),
      ).toContain('is held by example.com/held.');
      expect(await inRoot(deployments, 'konnector')).toBeDefined();
      expect(await cluster.read(core.clusterRoleBindings, clusterWide())).toBeDefined();
      await stands(instances);
      await cluster.client.patch(resources.appClusterBindings, self(), {
        type: 'merge',
        patch: { metadata: { annotations: { 'hawser.dev/release': 'the konnector is lost' } } },
      });
      await cluster.gone(home);
      expect(await instance()).toBeDefined();
      await cluster.client.patch(
        resources.apiServiceBindings,
        { namespace: home.root, name },
        { type: 'merge', patch: { metadata: { finalizers: null } } },
      );
    });

    it('tells what the API server refuses on the way', async () => {
      await cluster.client.create(
        { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingadmissionpolicies' },
        {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingAdmissionPolicy',
          metadata: { name: home.namespace },
          spec: {
            matchConstraints: {
              resourceRules: [
                {
                  apiGroups: ['rbac.authorization.k8s.io'],
                  apiVersions: ['*'],
                  operations: ['DELETE'],
                  resources: ['clusterrolebindings'],
                  resourceNames: [clusterWide().name],
                },
              ],
            },
            validations: [{ expression: 'false', message: 'not today' }],
          },
        } as UnstructuredObject,
      );
      const binding = {
        group: 'admissionregistration.k8s.io',
        version: 'v1',
        resource: 'validatingadmissionpolicybindings',
      };
      await cluster.client.create(binding, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: home.namespace },
        spec: { policyName: home.namespace, validationActions: ['Deny'] },
      } as UnstructuredObject);
      // A policy counts some time after it was made.
      await eventually(async () => {
        const refusal: unknown = await cluster.client
          .delete(core.clusterRoleBindings, clusterWide(), { dryRun: true })
          .then(
            () => undefined,
            (error: unknown) => error,
          );
        expect(String(refusal)).toContain('not today');
      }, patience);
      await remove();
      expect(await cluster.conditionIs(home, 'CleanedUp', 'False WriteRefused')).toContain('not today');
      await cluster.client.delete(binding, { name: home.namespace });
      await cluster.gone(home);
    });

    it('has nothing to do with a root namespace of somebody else', async () => {
      const unrelated: Home = { ...home, name: 'late', root: `klutch-bind-${home.namespace}-late` };
      await cluster.makeNamespace(unrelated.root);
      await cluster.bind(unrelated, {}, { annotations: { [policyAnnotation]: 'Delete' } });
      await cluster.conditionIs(unrelated, 'RootNamespaceReady', 'False RootNamespaceConflict');
      await cluster.client.delete(resources.appClusterBindings, {
        namespace: unrelated.namespace,
        name: unrelated.name,
      });
      await cluster.gone(unrelated);
      await stands(unrelated.root);
    });
  },
  { controllerManager: true },
);
