import type { KubeObject } from '@hawser/client';
import { createFaultProxy } from '@hawser/faultproxy';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceNamespace,
  type Condition,
  type InformerScope,
  type Isolation,
  kubeBindDialect,
  resources,
} from '@hawser/kube-bind';
import { createServiceNamespaceController } from '../../servicenamespace/src/index.js';
import { describeWithControlPlane, eventually, uniqueNamespace } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../servicenamespace/src/testing/provider-cluster.js';
import { rights as namespaceRights } from '../../servicenamespace/src/testing/rights.js';
import { consumerPolicy, consumerPolicyBinding, policyResources } from './admission-policy.js';
import { consumerRoles } from './consumer-roles.js';
import { createExportRbac, type ExportRbacOptions } from './export-rbac.js';
import type { BindingObject } from './rbac-objects.js';
import { databases, zones } from './testing/objects.js';
import { rights } from './testing/rights.js';

describeWithControlPlane(
  'createExportRbac',
  () => {
    let cluster: ProviderCluster;
    let controller: Running | undefined;

    beforeAll(async () => {
      cluster = await openProviderCluster([...rights, ...namespaceRights], { controllerManager: true });
      for (const role of consumerRoles([databases, zones], kubeBindDialect))
        await cluster.client.create(resources.clusterRoles, role);
      await cluster.client.create(policyResources.policies, consumerPolicy(kubeBindDialect));
      await cluster.client.create(policyResources.bindings, consumerPolicyBinding(kubeBindDialect));
    });
    afterAll(() => cluster.close());
    afterEach(async () => {
      await controller?.stop();
      controller = undefined;
    });

    const start = async (
      options: Partial<ExportRbacOptions> = {},
      isolation: Isolation = 'Prefixed',
    ): Promise<void> => {
      const rbac = createExportRbac({ dialect: kubeBindDialect, ...options });
      controller = await cluster.run(
        rbac.controller,
        createServiceNamespaceController({ dialect: kubeBindDialect, isolation, rights: rbac.rights }),
      );
    };
    const make = (
      resource: (typeof resources)[keyof typeof resources],
      kind: string,
      namespace: string | undefined,
      name: string,
      fields: object = {},
      metadata: object = {},
    ): Promise<KubeObject> =>
      cluster.client.create(resource, {
        apiVersion: resource.group === '' ? 'v1' : `${resource.group}/${resource.version}`,
        kind,
        metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...metadata },
        ...fields,
      });
    const onboard = async (prefix = 'kube-bind'): Promise<string> => {
      const name = uniqueNamespace(prefix);
      await make(
        resources.namespaces,
        'Namespace',
        undefined,
        name,
        {},
        { annotations: { 'backend.kube-bind.io/identity': name } },
      );
      return name;
    };
    const exportTo = async (
      consumer: string,
      { group = '', resource }: typeof databases,
      scope: 'Namespaced' | 'Cluster',
      options: {
        readonly claims?: readonly string[];
        readonly isolation?: Isolation;
        readonly informerScope?: InformerScope;
      } = {},
    ): Promise<void> => {
      const { claims = [], isolation = 'Prefixed', informerScope = 'Namespaced' } = options;
      const schema = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
      await make(resources.boundSchemas, 'BoundSchema', consumer, `${resource}.${group}`, {
        spec: {
          informerScope,
          group,
          scope,
          names: { plural: resource, kind: 'Thing', singular: 'thing', listKind: 'ThingList' },
          versions: [schema],
        },
      });
      await make(resources.apiServiceExports, 'APIServiceExport', consumer, resource, {
        spec: {
          resources: [{ group, resource, versions: ['v1'] }],
          permissionClaims: claims.map((claimed) => ({ group: '', resource: claimed, selector: {} })),
          informerScope,
          isolation,
        },
      });
    };
    const ask = (consumer: string, name: string): Promise<KubeObject> =>
      make(resources.apiServiceNamespaces, 'APIServiceNamespace', consumer, name);
    const assigned = async (consumer: string, name: string): Promise<void> => {
      await eventually(async () => {
        expect(
          (await cluster.client.get<APIServiceNamespace>(resources.apiServiceNamespaces, { namespace: consumer, name }))
            .status?.namespace,
        ).toBeDefined();
      });
    };
    /** Everything that a consumer was given, as `namespace role`. */
    const bound = async (consumer: string): Promise<readonly string[]> => {
      const all = [
        ...(await cluster.client.list<BindingObject>(resources.roleBindings)).items,
        ...(await cluster.client.list<BindingObject>(resources.clusterRoleBindings)).items,
      ];
      return all
        .filter(({ subjects }) => subjects?.some(({ namespace }) => namespace === consumer) === true)
        .map(({ metadata, roleRef }) => `${metadata.namespace ?? '*'} ${roleRef.name}`)
        .sort();
    };
    const may = async (
      consumer: string,
      verb: string,
      { group = '', resource }: { readonly group?: string | undefined; readonly resource: string },
      namespace = '',
    ): Promise<boolean> => {
      const answer = (await cluster.client.raw('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: `system:serviceaccount:${consumer}:kube-binder`,
          resourceAttributes: { verb, group, resource, namespace },
        },
      })) as { readonly status: { readonly allowed: boolean } };
      return answer.status.allowed;
    };
    const conditionOf = async (consumer: string, name: string): Promise<Condition | undefined> =>
      (
        await cluster.client.get<APIServiceExport>(resources.apiServiceExports, { namespace: consumer, name })
      ).status?.conditions?.find(({ type }) => type === 'RightsGranted');

    it('gives each of several consumers its own rights, and none on those of others', async () => {
      await start();
      const consumers = [await onboard(), await onboard(), await onboard()];
      await Promise.all(
        consumers.map(async (consumer) => {
          await exportTo(consumer, databases, 'Namespaced', { claims: ['secrets'] });
          await ask(consumer, 'team-a');
          await assigned(consumer, 'team-a');
        }),
      );
      for (const consumer of consumers) {
        await eventually(async () => {
          expect(await bound(consumer)).toEqual([
            `${consumer}-team-a kube-binder:claims:secrets.core`,
            `${consumer}-team-a kube-binder:objects:databases.example.com`,
          ]);
        });
        for (const namespace of consumers.map((one) => `${one}-team-a`)) {
          expect(await may(consumer, 'create', databases, namespace)).toBe(namespace.startsWith(consumer));
          expect(await may(consumer, 'list', { resource: 'secrets' }, namespace)).toBe(namespace.startsWith(consumer));
        }
        expect(await may(consumer, 'list', databases)).toBe(false);
        expect(await may(consumer, 'list', { resource: 'secrets' })).toBe(false);
      }
    });

    it('has the rights in a namespace in place before the consumer is told of it', async () => {
      await start();
      const consumer = await onboard();
      await exportTo(consumer, databases, 'Namespaced');
      // A watch of another client cannot tell the order: the audit log does.
      await ask(consumer, 'team-a');
      await assigned(consumer, 'team-a');
      const steps = (await cluster.settledWrites())
        .filter(
          ({ namespace, name }) =>
            namespace === consumer || namespace?.startsWith(`${consumer}-`) === true || name === `${consumer}-team-a`,
        )
        .map(({ verb, resource }) => `${verb} ${resource}`);
      expect(steps).toEqual(['create namespaces', 'create rolebindings', 'patch apiservicenamespaces']);
    });

    it('writes nothing at a restart', async () => {
      await start({ clusterReads: 'shared' });
      const consumer = await onboard();
      await exportTo(consumer, databases, 'Namespaced', { claims: ['configmaps'] });
      await exportTo(consumer, zones, 'Cluster');
      await ask(consumer, 'team-a');
      await assigned(consumer, 'team-a');
      await eventually(async () => {
        expect(await bound(consumer)).toHaveLength(3);
      });
      const before = (await cluster.settledWrites()).length;
      await controller?.stop();
      await start({ clusterReads: 'shared' });
      expect((await cluster.settledWrites()).length).toBe(before);
      expect(controller?.events).toEqual([]);
    });

    it('takes nothing away at a restart as long as it does not know whether the policy is in force', async () => {
      await start({ clusterReads: 'shared' });
      const consumer = await onboard();
      await exportTo(consumer, zones, 'Cluster');
      await eventually(
        async () => {
          expect(await bound(consumer)).toEqual(['* kube-binder:objects:zones.example.com']);
        },
        { timeoutMs: 60_000 },
      );
      const before = (await cluster.settledWrites()).length;
      await controller?.stop();
      const proxy = await createFaultProxy({ upstream: cluster.connection });
      try {
        proxy.inject({ match: { path: /validatingadmissionpolic/u }, fault: { kind: 'latency', ms: 3_000 } });
        controller = await cluster.runThrough(
          proxy.connection,
          createExportRbac({ dialect: kubeBindDialect, clusterReads: 'shared' }).controller,
        );
        expect((await cluster.settledWrites()).slice(before)).toEqual([]);
        await controller.stop();
        controller = undefined;
      } finally {
        await proxy.stop();
      }
    });

    it('refuses what needs the whole cluster, says why, and gives it once that is allowed', async () => {
      await start();
      const consumer = await onboard();
      await exportTo(consumer, zones, 'Cluster', { claims: ['secrets'] });
      await eventually(async () => {
        expect(await conditionOf(consumer, 'zones')).toMatchObject({
          status: 'False',
          reason: 'SharedClusterScopeRequired',
          message: expect.stringContaining('--shared-cluster-scope'),
        });
      });
      expect(await bound(consumer)).toEqual([]);
      await controller?.stop();
      await start({ clusterReads: 'shared' });
      await eventually(async () => {
        expect(await conditionOf(consumer, 'zones')).toMatchObject({ status: 'True' });
      });
      expect(await bound(consumer)).toEqual(['* kube-binder:objects:zones.example.com']);
      expect(await may(consumer, 'list', { resource: 'secrets' })).toBe(false);
      // Allowed no more: withdrawn.
      await controller?.stop();
      await start();
      await eventually(async () => {
        expect(await bound(consumer)).toEqual([]);
      });
    });

    it('withdraws rights when an export goes or is unbound, and gives them back', async () => {
      await start();
      const consumer = await onboard();
      await exportTo(consumer, databases, 'Namespaced');
      await ask(consumer, 'team-a');
      await assigned(consumer, 'team-a');
      const has = async (): Promise<void> => {
        await eventually(async () => {
          expect(await bound(consumer)).toEqual([`${consumer}-team-a kube-binder:objects:databases.example.com`]);
        });
      };
      const hasNothing = async (): Promise<void> => {
        await eventually(async () => {
          expect(await bound(consumer)).toEqual([]);
        });
      };
      await has();
      const key = { namespace: consumer, name: 'databases' };
      const report = (status: string): Promise<KubeObject> =>
        cluster.client.patch(
          resources.apiServiceExports,
          key,
          {
            type: 'merge',
            patch: {
              status: { conditions: [{ type: 'Unbound', status, lastTransitionTime: '2026-01-01T00:00:00Z' }] },
            },
          },
          { subresource: 'status' },
        );
      await report('True');
      await hasNothing();
      await report('False');
      await has();
      await cluster.client.delete(resources.apiServiceExports, key);
      await hasNothing();
    });

    it('puts back what somebody changes', async () => {
      await start();
      const consumer = await onboard();
      await exportTo(consumer, databases, 'Namespaced');
      await ask(consumer, 'team-a');
      await assigned(consumer, 'team-a');
      const key = { namespace: `${consumer}-team-a`, name: `kube-binder:${consumer}:objects:databases.example.com` };
      const intruder = { kind: 'ServiceAccount', name: 'kube-binder', namespace: 'intruder' };
      await cluster.client.patch(resources.roleBindings, key, {
        type: 'merge',
        patch: { subjects: [intruder], metadata: { labels: null } },
      });
      await eventually(async () => {
        expect((await cluster.client.get<BindingObject>(resources.roleBindings, key)).subjects).toEqual([
          { kind: 'ServiceAccount', name: 'kube-binder', namespace: consumer },
        ]);
      });
      expect((await cluster.client.get(resources.roleBindings, key)).metadata.labels).toEqual({
        'hawser.dev/consumer': consumer,
      });
      await cluster.client.delete(resources.roleBindings, key);
      await eventually(async () => {
        expect(await bound(consumer)).toHaveLength(1);
      });
    });

    it('says which role is missing, and gives it when it is made', async () => {
      await start();
      const consumer = await onboard();
      const others = { group: 'example.com', resource: 'others' };
      await exportTo(consumer, others, 'Namespaced');
      await ask(consumer, 'team-a');
      await assigned(consumer, 'team-a');
      await eventually(async () => {
        expect(await conditionOf(consumer, 'others')).toMatchObject({
          reason: 'ConsumerRoleMissing',
          message: expect.stringContaining('"kube-binder:objects:others.example.com"'),
        });
      });
      const made = consumerRoles([others], kubeBindDialect).find(
        ({ metadata }) => metadata.name === 'kube-binder:objects:others.example.com',
      );
      if (made === undefined) throw new Error('no such role');
      await cluster.client.create(resources.clusterRoles, made);
      // It may not bind it: that is told as well, by an Event.
      await eventually(() => {
        expect(controller?.events.map(({ event }) => event.reason)).toEqual(['RightsRefused']);
      });
      await cluster.grant([
        {
          apiGroups: ['rbac.authorization.k8s.io'],
          resources: ['clusterroles'],
          resourceNames: [made.metadata.name],
          verbs: ['bind'],
        },
      ]);
      await eventually(
        async () => {
          expect(await bound(consumer)).toEqual([`${consumer}-team-a kube-binder:objects:others.example.com`]);
        },
        { timeoutMs: 30_000 },
      );
      expect(await conditionOf(consumer, 'others')).toMatchObject({ status: 'True' });
    });

    it('says on the request what rights are missing, and who has to give them; it is ready once they are there', async () => {
      await start();
      const consumer = await onboard();
      const late = { group: 'example.com', resource: 'lates' };
      const key = { namespace: consumer, name: late.resource };
      await exportTo(consumer, late, 'Namespaced');
      await make(resources.apiServiceExportRequests, 'APIServiceExportRequest', consumer, late.resource, {
        spec: { resources: [{ ...late, versions: ['v1'] }] },
      });
      const ready = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
      await cluster.client.patch(
        resources.apiServiceExportRequests,
        key,
        {
          type: 'merge',
          patch: { status: { phase: 'Succeeded', conditions: [ready, { ...ready, type: 'ExportsReady' }] } },
        },
        { subresource: 'status' },
      );
      const conditionTexts = async (): Promise<readonly string[]> =>
        (
          (await cluster.client.get<APIServiceExportRequest>(resources.apiServiceExportRequests, key)).status
            ?.conditions ?? []
        ).map(({ type, status, reason = '' }) => `${type} ${status} ${reason}`.trim());
      await eventually(async () => {
        expect(await conditionTexts()).toEqual([
          'Ready False ConsumerRoleMissing',
          'ExportsReady True',
          'RightsGranted False ConsumerRoleMissing',
        ]);
      });
      for (const role of consumerRoles([late], kubeBindDialect).filter(
        ({ metadata }) => metadata.name === 'kube-binder:objects:lates.example.com',
      ))
        await cluster.client.create(resources.clusterRoles, role);
      await eventually(async () => {
        expect(await conditionTexts()).toEqual(['Ready True', 'ExportsReady True', 'RightsGranted True']);
      });
      expect(
        (await cluster.client.get<APIServiceExportRequest>(resources.apiServiceExportRequests, key)).status?.phase,
      ).toBe('Succeeded');
    });

    it('takes rights away although the consumer has left no room on its export', async () => {
      await start();
      const consumer = await onboard();
      await exportTo(consumer, databases, 'Namespaced');
      await ask(consumer, 'team-a');
      await assigned(consumer, 'team-a');
      await eventually(async () => {
        expect(await bound(consumer)).toHaveLength(1);
      });
      const key = { namespace: consumer, name: 'databases' };
      const fill = (size: number): Promise<unknown> =>
        cluster.client.patch(
          resources.apiServiceExports,
          key,
          {
            type: 'merge',
            patch: {
              status: {
                conditions: [
                  {
                    type: 'Mine',
                    status: 'True',
                    lastTransitionTime: '2026-01-01T00:00:00Z',
                    message: 'x'.repeat(size),
                  },
                ],
              },
            },
          },
          { subresource: 'status' },
        );
      // As full as the API server takes it: then there is room neither for an annotation nor for a condition.
      let full = 1_500_000;
      for (let step = 400_000; step >= 1; step = Math.floor(step / 2)) {
        if (
          await fill(full + step).then(
            () => true,
            () => false,
          )
        )
          full += step;
      }
      await expect(
        cluster.client.patch(resources.apiServiceExports, key, {
          type: 'merge',
          patch: { metadata: { annotations: { 'hawser.dev/withdrawn': 'unpaid' } } },
        }),
      ).rejects.toThrow();
      await cluster.client.patch(
        resources.namespaces,
        { name: consumer },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/withdrawn-exports': 'databases' } } } },
      );
      await eventually(async () => {
        expect(await bound(consumer)).toEqual([]);
      });
      await fill(10);
      await eventually(
        async () => {
          expect(await conditionOf(consumer, 'databases')).toMatchObject({
            status: 'False',
            reason: 'WithdrawnByOperator',
          });
        },
        { timeoutMs: 60_000 },
      );
      await cluster.client.patch(
        resources.namespaces,
        { name: consumer },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/withdrawn-exports': null } } } },
      );
      await eventually(async () => {
        expect(await bound(consumer)).toHaveLength(1);
      });
    });

    it('takes rights away although the consumer keeps it busy with conditions', async () => {
      const consumer = await onboard();
      const names = Array.from({ length: 14 }, (_, index) => `shared${index}s`);
      for (const resource of names) await exportTo(consumer, { group: 'example.com', resource }, 'Cluster');
      // One that its export no longer gives.
      const left = { namespace: consumer, name: `kube-binder:${consumer}:objects:databases.example.com` };
      await make(
        resources.roleBindings,
        'RoleBinding',
        consumer,
        left.name,
        {
          roleRef: {
            apiGroup: 'rbac.authorization.k8s.io',
            kind: 'ClusterRole',
            name: 'kube-binder:objects:databases.example.com',
          },
          subjects: [{ kind: 'ServiceAccount', name: 'kube-binder', namespace: consumer }],
        },
        { labels: { 'hawser.dev/consumer': consumer } },
      );
      const calm = new AbortController();
      const flapping = (async (): Promise<void> => {
        while (!calm.signal.aborted)
          await Promise.all(
            names.map((name) =>
              cluster.client.patch(
                resources.apiServiceExports,
                { namespace: consumer, name },
                { type: 'merge', patch: { status: { conditions: [] } } },
                { subresource: 'status' },
              ),
            ),
          );
      })();
      try {
        await start();
        await eventually(
          async () => {
            expect(await bound(consumer)).toEqual([]);
          },
          { timeoutMs: 20_000 },
        );
      } finally {
        calm.abort();
        await flapping;
      }
    });

    it('has konnectors watch service namespaces instead of the cluster', async () => {
      await start();
      const consumer = await onboard();
      await exportTo(consumer, databases, 'Namespaced', { informerScope: 'Cluster' });
      await eventually(async () => {
        expect(
          await cluster.client.get(resources.boundSchemas, { namespace: consumer, name: 'databases.example.com' }),
        ).toMatchObject({ spec: { informerScope: 'Namespaced' } });
      });
    });

    it.each([
      [
        'that was onboarded',
        'kube-bind',
        (other: string) => ({ annotations: { 'backend.kube-bind.io/identity': other } }),
      ],
      [
        'that an AppClusterBinding serves',
        'klutch-bind',
        (other: string) => ({
          labels: {
            'klutch.anynines.com/appclusterbinding-name': 'other',
            'klutch.anynines.com/appclusterbinding-namespace': other.replace(/^klutch-bind-|-other$/gu, ''),
          },
        }),
      ],
    ])(
      'gives no rights with a prefix that another consumer has as well, %s, and goes on when it is gone',
      async (_, prefix, marks) => {
        await start({ clusterReads: 'shared' });
        const consumer = await onboard(prefix);
        const other = `${consumer}-other`;
        await make(resources.namespaces, 'Namespace', undefined, other, {}, marks(other));
        await exportTo(consumer, zones, 'Cluster');
        await eventually(async () => {
          expect(await conditionOf(consumer, 'zones')).toMatchObject({ reason: 'PrefixNotUnique' });
        });
        expect(await bound(consumer)).toEqual([]);
        await cluster.client.delete(resources.namespaces, { name: other });
        await eventually(
          async () => {
            expect(await bound(consumer)).toEqual(['* kube-binder:objects:zones.example.com']);
          },
          { timeoutMs: 30_000 },
        );
      },
    );
  },
  { controllerManager: true },
);
