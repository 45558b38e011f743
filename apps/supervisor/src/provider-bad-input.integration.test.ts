import { type KubeObject, type Resource, type UnstructuredObject, isNotFound } from '@hawser/client';
import { consumerRoles } from '@hawser/exportrbac';
import { type APIServiceExport, type BindableResourcesRequest, kubeBindDialect, resources } from '@hawser/kube-bind';
import { type AuditEntry, describeWithControlPlane, eventually, settled } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';

import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../../packages/provider/servicenamespace/src/testing/provider-cluster.js';
import { parseConfig } from '@hawser/config';
import { spokenDialect } from './spoken-dialect.js';

const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] as const;
const own = 'kube-bind.io/v1alpha2';
const rbac = 'rbac.authorization.k8s.io';
const group = 'example.com';
const LONG = { timeoutMs: 90_000, intervalMs: 100 };

type Status = {
  readonly phase?: string;
  readonly namespace?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
  }[];
};
type WithStatus = KubeObject & { readonly status?: Status };

describeWithControlPlane(
  'the whole provider role',
  () => {
    let cluster: ProviderCluster;
    let running: Running;

    beforeAll(async () => {
      cluster = await openProviderCluster(everything, { controllerManager: true });
      const roles = consumerRoles(
        ['databases', 'caches', 'hooks', 'sizes', 'ghosts', 'others'].map((resource) => ({ group, resource })),
        kubeBindDialect,
      );
      for (const role of roles) await make(resources.clusterRoles, role);
      await make(resources.namespaces, { metadata: { name: 'onboarding' } });
      await make(resources.clusterRoles, {
        metadata: { name: 'customers' },
        rules: [{ apiGroups: ['kube-bind.io'], resources: ['apiserviceexporttemplates'], verbs: ['bind'] }],
      });
      await make(resources.clusterRoleBindings, {
        metadata: { name: 'customers' },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'customers' },
        subjects: [{ apiGroup: rbac, kind: 'Group', name: 'system:serviceaccounts' }],
      });
    });
    afterAll(() => cluster.close());
    beforeEach(async () => {
      const config = parseConfig(
        { provider: { requestAdmission: 'Template', requestNamespaces: ['onboarding'], informerScope: 'Namespaced' } },
        'test',
      ).provider;
      const { server, caData } = cluster.plane.connection;
      running = await cluster.run(...spokenDialect('kube-bind', config, () => ({ server, caData })).controllers);
    });
    afterEach(() => running.stop());

    const kinds = new Map<Resource, readonly [string, string]>([
      [resources.namespaces, ['v1', 'Namespace']],
      [resources.clusterRoles, [`${rbac}/v1`, 'ClusterRole']],
      [resources.clusterRoleBindings, [`${rbac}/v1`, 'ClusterRoleBinding']],
      [resources.customResourceDefinitions, ['apiextensions.k8s.io/v1', 'CustomResourceDefinition']],
      [resources.apiServiceExportRequests, [own, 'APIServiceExportRequest']],
      [resources.apiServiceExportTemplates, [own, 'APIServiceExportTemplate']],
      [resources.apiServiceNamespaces, [own, 'APIServiceNamespace']],
      [resources.bindableResourcesRequests, [own, 'BindableResourcesRequest']],
    ]);
    const make = async (resource: Resource, object: object): Promise<void> => {
      const [apiVersion, kind] = kinds.get(resource) ?? ['', ''];
      await cluster.client.create(resource, { apiVersion, kind, ...object } as UnstructuredObject);
    };
    const remove = async (
      resource: Resource,
      key: { readonly namespace?: string; readonly name: string },
    ): Promise<void> => {
      await cluster.client.delete(resource, key);
      await eventually(async () => {
        expect(await cluster.read(resource, key)).toBeUndefined();
      }, LONG);
    };
    const onboard = async (identity: string): Promise<string> => {
      await make(resources.bindableResourcesRequests, {
        metadata: { name: identity, namespace: 'onboarding' },
        spec: { author: 'jane', clusterIdentity: { identity } },
      });
      return eventually(async () => {
        const { status } = await cluster.client.get<BindableResourcesRequest>(resources.bindableResourcesRequests, {
          namespace: 'onboarding',
          name: identity,
        });
        if (status?.phase !== 'Succeeded' || status.namespace === undefined) throw new Error(JSON.stringify(status));
        return status.namespace;
      }, LONG);
    };
    const crd = (
      plural: string,
      {
        scope = 'Namespaced',
        ...more
      }: { readonly scope?: string; readonly description?: string; readonly conversion?: object } = {},
    ): object => ({
      metadata: { name: `${plural}.${group}`, labels: { 'kube-bind.io/exported': 'true' } },
      spec: {
        group,
        scope,
        names: { plural, singular: plural.slice(0, -1), kind: plural, listKind: `${plural}List` },
        ...(more.conversion === undefined ? {} : { conversion: more.conversion }),
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                description: more.description ?? '',
                properties: { spec: { type: 'object' } },
              },
            },
          },
        ],
      },
    });
    const provide = (plural: string, options: Parameters<typeof crd>[1] = {}): Promise<void> =>
      make(resources.customResourceDefinitions, crd(plural, options));
    const offer = (name: string, plural = name): Promise<void> =>
      make(resources.apiServiceExportTemplates, {
        metadata: { name },
        spec: { scope: 'Namespaced', resources: [{ group, resource: plural, versions: ['v1'] }] },
      });
    const ask = (namespace: string, plural: string, spec: object = {}): Promise<void> =>
      make(resources.apiServiceExportRequests, {
        metadata: { name: plural, namespace },
        spec: { resources: [{ group, resource: plural, versions: ['v1'] }], ...spec },
      });
    const statusOf = async (
      resource: Resource,
      key: { readonly namespace?: string; readonly name: string },
    ): Promise<Status | undefined> => (await cluster.read<WithStatus>(resource, key))?.status;
    /** What it says, and that it says who must act. */
    const isReported = (
      resource: Resource,
      key: { readonly namespace?: string; readonly name: string },
      type: string,
      reason: string,
      words = '',
    ): Promise<void> =>
      eventually(async () => {
        const condition = (await statusOf(resource, key))?.conditions?.find((one) => one.type === type);
        expect({ ...key, reason: condition?.reason, status: condition?.status }).toEqual({
          ...key,
          reason,
          status: 'False',
        });
        expect(condition?.message).toContain(words);
        expect((condition?.message ?? '').length).toBeGreaterThan(20);
      }, LONG);
    const isAnswered = (namespace: string, name: string): Promise<void> =>
      eventually(async () => {
        expect({
          name,
          phase: (await statusOf(resources.apiServiceExportRequests, { namespace, name }))?.phase,
        }).toEqual({ name, phase: 'Succeeded' });
      }, LONG);
    const isAssigned = (namespace: string, name: string): Promise<void> =>
      eventually(async () => {
        expect((await statusOf(resources.apiServiceNamespaces, { namespace, name }))?.namespace).toBe(
          `${namespace}-${name}`,
        );
      }, LONG);
    const writes = async (): Promise<readonly AuditEntry[]> =>
      (await cluster.writes()).filter(({ resource }) => resource !== 'leases');
    const events = (): readonly string[] =>
      running.events.map(({ regarding, event }) => `${regarding.name}: ${event.reason}`);

    it('says of each bad input what is wrong, once; serves a neighbour meanwhile; and goes on by itself when the cause is gone', async () => {
      const [home, neighbour] = [await onboard('bad'), await onboard('good')];
      const request = (name: string) => [resources.apiServiceExportRequests, { namespace: home, name }] as const;
      await offer('ghosts');
      for (const plural of ['databases', 'caches']) {
        await provide(plural);
        await offer(plural);
      }
      await offer('caches-again', 'caches');
      await provide('others');
      await provide('sizes', { description: 'd'.repeat(720_000 * 2) });
      await offer('sizes');
      await provide('hooks', {
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: { service: { namespace: 'default', name: 'converter' } },
          },
        },
      });
      await offer('hooks');
      await ask(home, 'databases');
      await isAnswered(home, 'databases');
      for (const plural of ['ghosts', 'others', 'sizes', 'hooks']) await ask(home, plural);
      const exported = (value: string | null): Promise<unknown> =>
        cluster.client.patch(
          resources.customResourceDefinitions,
          { name: `databases.${group}` },
          { type: 'merge', patch: { metadata: { labels: { 'kube-bind.io/exported': value } } } },
        );
      await exported(null);
      const collision = `${home}-taken`;
      await make(resources.namespaces, { metadata: { name: collision } });
      const overflow = 'n'.repeat(63 - home.length);
      for (const name of ['taken', overflow])
        await make(resources.apiServiceNamespaces, { metadata: { name, namespace: home }, spec: {} });

      await isReported(
        resources.apiServiceExportTemplates,
        { name: 'ghosts' },
        'Offerable',
        'SchemaNotFound',
        'Install and label the CRD',
      );
      for (const name of ['caches', 'caches-again'])
        await isReported(resources.apiServiceExportTemplates, { name }, 'Unique', 'OfferedTwice');
      await isReported(...request('ghosts'), 'ExportsReady', 'SchemaNotFound', `ghosts.${group}`);
      await isReported(...request('others'), 'ExportsReady', 'NotOffered', `others.${group}`);
      await isReported(...request('sizes'), 'ExportsReady', 'BoundSchemaNotFound', '1400000 can be exported');
      await isReported(...request('hooks'), 'ExportsReady', 'BoundSchemaNotFound', 'conversion webhook');
      // There is no konnector.
      await isReported(
        resources.clusterBindings,
        { namespace: home, name: 'cluster' },
        'Healthy',
        'FirstHeartbeatPending',
      );
      await eventually(() => {
        expect(events()).toEqual(
          expect.arrayContaining([
            'taken: NamespaceConflict',
            `${overflow}: NamespaceNameTooLong`,
            'others: NotOffered',
            'hooks: BoundSchemaNotFound',
            'databases: SchemaSourceGone',
          ]),
        );
      }, LONG);
      await eventually(async () => {
        const held = (
          await statusOf(resources.apiServiceExports, { namespace: home, name: 'databases' })
        )?.conditions?.find(({ type }) => type === 'SchemaUpdateHeld');
        expect({ status: held?.status, reason: held?.reason }).toEqual({ status: 'True', reason: 'SchemaSourceGone' });
      }, LONG);

      // Said once: whatever happens for others, nothing is written for this one any more.
      const before = (await settled(writes, { quiet: 10, intervalMs: 200 })).length;
      await ask(neighbour, 'caches', { namespaces: [{ name: 'team' }] });
      await isAnswered(neighbour, 'caches');
      await isAssigned(neighbour, 'team');
      const since = (await settled(writes, { quiet: 10, intervalMs: 200 })).slice(before);
      expect(
        since
          .filter(({ namespace, name }) => !`${namespace ?? ''} ${name ?? ''}`.includes(neighbour))
          .map(({ verb, resource, namespace, name }) => `${verb} ${resource} ${namespace ?? ''}/${name ?? ''}`),
      ).toEqual([]);
      const [existing] = [
        await cluster.client.get<APIServiceExport>(resources.apiServiceExports, { namespace: home, name: 'databases' }),
      ];
      expect(existing.metadata.deletionTimestamp).toBeUndefined();
      expect(
        (await cluster.client.get<KubeObject>(resources.namespaces, { name: collision })).metadata.annotations,
      ).toBeUndefined();

      await provide('ghosts');
      await offer('others');
      for (const [plural, patch] of [
        ['sizes', [{ op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema/description', value: 'short' }]],
        ['hooks', [{ op: 'replace', path: '/spec/conversion', value: { strategy: 'None' } }]],
      ] as const) {
        await cluster.client.patch(
          resources.customResourceDefinitions,
          { name: `${plural}.${group}` },
          { type: 'json', operations: patch },
        );
      }
      await exported('true');
      await remove(resources.apiServiceExportTemplates, { name: 'caches-again' });
      // It is made again at once, by whom it is for.
      await cluster.client.delete(resources.namespaces, { name: collision });
      for (const plural of ['ghosts', 'others', 'sizes', 'hooks', 'databases']) await isAnswered(home, plural);
      await eventually(async () => {
        expect(
          (
            await statusOf(resources.apiServiceExportRequests, { namespace: home, name: 'databases' })
          )?.conditions?.filter(({ status }) => status !== 'True'),
        ).toEqual([]);
        expect(
          (await statusOf(resources.apiServiceExports, { namespace: home, name: 'databases' }))?.conditions?.some(
            ({ type }) => type === 'SchemaUpdateHeld',
          ),
        ).toBe(false);
        expect(
          (await statusOf(resources.apiServiceExportTemplates, { name: 'caches' }))?.conditions?.find(
            ({ type }) => type === 'Unique',
          )?.status,
        ).toBe('True');
      }, LONG);
      await isAssigned(home, 'taken');
    }, 300_000);

    it('leaves nothing behind that is stuck, whatever goes first of a chain, and makes it whole again', async () => {
      const plural = 'others';
      if ((await cluster.read(resources.customResourceDefinitions, { name: `${plural}.${group}` })) === undefined)
        await provide(plural);
      const template = async (): Promise<void> => {
        if ((await cluster.read(resources.apiServiceExportTemplates, { name: plural })) === undefined)
          await offer(plural);
      };
      const orders = [
        ['request', 'export', 'schema', 'place', 'template'],
        ['template', 'place', 'schema', 'export', 'request'],
        ['export', 'request', 'template', 'schema', 'place'],
        ['schema', 'template', 'request', 'place', 'export'],
        ['place', 'export', 'template', 'request', 'schema'],
        ['schema', 'place', 'request', 'template', 'export'],
      ] as const;
      const inNamespace = [
        resources.apiServiceExportRequests,
        resources.apiServiceExports,
        resources.boundSchemas,
        resources.apiServiceNamespaces,
      ];
      const left = async (namespace: string): Promise<readonly string[]> =>
        (
          await Promise.all(inNamespace.map((resource) => cluster.client.list<KubeObject>(resource, { namespace })))
        ).flatMap(({ items }) => items.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
      const rightsIn = async (namespace: string): Promise<readonly string[]> =>
        (await cluster.client.list<KubeObject>(resources.roleBindings, { namespace: `${namespace}-team` })).items.map(
          ({ metadata }) => metadata.name,
        );
      const bound = async (namespace: string): Promise<void> => {
        await ask(namespace, plural, { namespaces: [{ name: 'team' }] });
        await isAnswered(namespace, plural);
        await isAssigned(namespace, 'team');
        await eventually(async () => {
          expect(await rightsIn(namespace)).toEqual([`kube-binder:${namespace}:objects:${plural}.${group}`]);
        }, LONG);
      };
      const consumers = await Promise.all(orders.map((_, index) => onboard(`chain-${index}`)));
      await template();
      await Promise.all(consumers.map(bound));
      for (const [index, order] of orders.entries()) {
        const namespace = consumers[index] ?? '';
        const keys = {
          request: [resources.apiServiceExportRequests, { namespace, name: plural }],
          export: [resources.apiServiceExports, { namespace, name: plural }],
          schema: [resources.boundSchemas, { namespace, name: `${plural}.${group}` }],
          place: [resources.apiServiceNamespaces, { namespace, name: 'team' }],
          template: [resources.apiServiceExportTemplates, { name: plural }],
        } as const;
        await template();
        // The garbage collector may have been faster.
        for (const one of order) {
          const [resource, key] = keys[one];
          await cluster.client.delete(resource, key).catch((error: unknown) => {
            if (!isNotFound(error)) throw error;
          });
        }
      }
      for (const namespace of consumers) {
        await eventually(async () => {
          expect(await left(namespace)).toEqual([]);
          expect(await rightsIn(namespace)).toEqual([]);
        }, LONG);
        // Databases could be in it.
        expect(
          (await cluster.client.get<KubeObject>(resources.namespaces, { name: `${namespace}-team` })).metadata
            .deletionTimestamp,
        ).toBeUndefined();
      }
      await template();
      await Promise.all(consumers.map(bound));
      const before = (await settled(writes, { quiet: 10, intervalMs: 200 })).length;
      const [first = ''] = consumers;
      await cluster.client.patch(
        resources.apiServiceExportRequests,
        { namespace: first, name: plural },
        { type: 'merge', patch: { metadata: { labels: { looked: 'at' } } } },
      );
      expect((await settled(writes, { quiet: 10, intervalMs: 200 })).length).toBe(before);
    }, 300_000);

    it('has a consumer back whose ClusterBinding, or whose namespace, was deleted', async () => {
      const plural = 'others';
      if ((await cluster.read(resources.customResourceDefinitions, { name: `${plural}.${group}` })) === undefined)
        await provide(plural);
      if ((await cluster.read(resources.apiServiceExportTemplates, { name: plural })) === undefined)
        await offer(plural);
      const namespace = await onboard('lost');
      await ask(namespace, plural, { namespaces: [{ name: 'team' }] });
      await isAnswered(namespace, plural);
      await isAssigned(namespace, 'team');
      const askAgain = async (name: string): Promise<void> => {
        await make(resources.bindableResourcesRequests, {
          metadata: { name, namespace: 'onboarding' },
          spec: { author: 'jane', clusterIdentity: { identity: 'lost' } },
        });
        await eventually(async () => {
          expect(await statusOf(resources.bindableResourcesRequests, { namespace: 'onboarding', name })).toMatchObject({
            phase: 'Succeeded',
            namespace,
          });
        }, LONG);
      };
      await remove(resources.clusterBindings, { namespace, name: 'cluster' });
      await askAgain('lost-binding');
      expect((await statusOf(resources.apiServiceExportRequests, { namespace, name: plural }))?.phase).toBe(
        'Succeeded',
      );

      const { uid } = (await cluster.client.get<KubeObject>(resources.namespaces, { name: namespace })).metadata;
      await cluster.client.delete(resources.namespaces, { name: namespace });
      await eventually(async () => {
        expect((await cluster.read<KubeObject>(resources.namespaces, { name: namespace }))?.metadata.uid).not.toBe(uid);
      }, LONG);
      await askAgain('lost-namespace');
      await ask(namespace, plural, { namespaces: [{ name: 'team' }] });
      await isAnswered(namespace, plural);
      // The same place, with what is in it.
      await isAssigned(namespace, 'team');
    }, 300_000);
  },
  { controllerManager: true },
);
