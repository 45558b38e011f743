import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type AppClusterBinding, controlPlaneCRDs, installCRDs, providerCRDs, resources } from '@hawser/klutch';
import { getCondition, resources as core } from '@hawser/kube-bind';
import { eventually, uniqueGroup, uniqueNamespace } from '@hawser/testenv';
import { expect } from '@jest/globals';
import { inlineRights } from '../../../exportrequest/src/testing/rights.js';
import {
  openProviderCluster,
  type ProviderCluster,
  type Rule,
} from '../../../servicenamespace/src/testing/provider-cluster.js';
import { konnectorRoles } from '../decide.js';
import { rights, sourceRights } from './rights.js';

const apiVersion = 'klutch.anynines.com/v1alpha1';
/** Limits that hold under load. */
export const patience = { timeoutMs: 90_000, intervalMs: 100 } as const;

/** Rights of the controller of service namespaces, which recreates missing objects. */
const namespaceRights: readonly Rule[] = [
  { apiGroups: ['klutch.anynines.com'], resources: ['apiservicenamespaces'], verbs: ['get', 'list', 'watch', 'patch'] },
  { apiGroups: ['klutch.anynines.com'], resources: ['apiservicenamespaces/status'], verbs: ['patch'] },
];

export interface Home {
  readonly namespace: string;
  readonly name: string;
  readonly root: string;
  /** Group of the exported resources. */
  readonly group: string;
}

/** A control plane with the CRDs of Klutch, and the roles that its operator makes. */
export interface ControlPlaneCluster extends ProviderCluster {
  /** A namespace with a kubeconfig Secret `app`, and names that no other test uses. */
  home(): Promise<Home>;
  makeNamespace(name: string, metadata?: object): Promise<KubeObject>;
  makeKubeconfig(
    namespace: string,
    name: string,
    kubeconfig?: string,
    annotations?: Readonly<Record<string, string>>,
  ): Promise<KubeObject>;
  bind(home: Home, spec?: object, metadata?: object): Promise<KubeObject>;
  /** Makes a CRD and its template, with a claim on Secrets. */
  offer(home: Home, plural: string, scope?: 'Namespaced' | 'Cluster'): Promise<void>;
  find(home: Home): Promise<AppClusterBinding | undefined>;
  /** Waits for a condition, as `status reason`. */
  conditionIs(home: Home, type: string, text: string): Promise<string>;
  gone(home: Home): Promise<void>;
}

export const claims = [{ group: '', resource: 'secrets', selector: { names: ['*'], owner: 'Provider' } }] as const;

export async function openControlPlaneCluster(): Promise<ControlPlaneCluster> {
  const cluster = await openProviderCluster([...rights, ...sourceRights, ...inlineRights, ...namespaceRights], {
    controllerManager: true,
  });
  const { client } = cluster;
  await installCRDs(client, [...providerCRDs, ...controlPlaneCRDs], { clock: systemClock });
  for (const name of Object.values(konnectorRoles))
    await client.create(core.clusterRoles, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name },
      rules: [],
    } as KubeObject);
  const kubeconfig = await cluster.plane.userKubeconfig('app-cluster-admin');
  const find = (home: Home): Promise<AppClusterBinding | undefined> =>
    cluster.read<AppClusterBinding>(resources.appClusterBindings, { namespace: home.namespace, name: home.name });
  const makeNamespace = (name: string, metadata: object = {}): Promise<KubeObject> =>
    client.create<KubeObject>(core.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, ...metadata },
    });
  const makeKubeconfig: ControlPlaneCluster['makeKubeconfig'] = (
    namespace,
    name,
    text = kubeconfig,
    annotations = {},
  ) =>
    client.create<KubeObject>(core.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, annotations },
      stringData: { value: text },
    } as KubeObject);
  return {
    ...cluster,
    makeNamespace,
    makeKubeconfig,
    find,
    async home() {
      const namespace = uniqueNamespace('apps');
      await makeNamespace(namespace);
      await makeKubeconfig(namespace, 'app');
      return { namespace, name: 'shop', root: `klutch-bind-${namespace}-shop`, group: uniqueGroup('acb') };
    },
    bind: ({ namespace, name }, spec = {}, metadata = {}) =>
      client.create<KubeObject>(resources.appClusterBindings, {
        apiVersion,
        kind: 'AppClusterBinding',
        metadata: { name, namespace, ...metadata },
        spec: { kubeconfigSecretRef: { namespace, name: 'app', key: 'value' }, ...spec },
      } as KubeObject),
    async offer({ group }, plural, scope = 'Namespaced') {
      const schema = {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { engine: { type: 'string' } } } },
        },
      };
      await client.create(core.customResourceDefinitions, {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `${plural}.${group}` },
        spec: {
          group,
          scope,
          names: { plural, singular: plural.slice(0, -1), kind: plural, listKind: `${plural}List` },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      } as UnstructuredObject);
      await client.create(resources.apiServiceExportTemplates, {
        apiVersion: 'example-backend.klutch.anynines.com/v1alpha1',
        kind: 'APIServiceExportTemplate',
        metadata: { namespace: 'default', name: `${plural}.${group}` },
        spec: { APIServiceSelector: { group, resource: plural }, permissionClaims: claims },
      } as UnstructuredObject);
    },
    conditionIs: (home, type, text) =>
      eventually(async () => {
        const condition = getCondition((await find(home))?.status?.conditions, type);
        expect(`${condition?.status ?? 'absent'} ${condition?.reason ?? ''}`.trim()).toBe(text);
        return condition?.message ?? '';
      }, patience),
    gone: (home) =>
      eventually(async () => {
        expect(await find(home)).toBeUndefined();
      }, patience),
  };
}
