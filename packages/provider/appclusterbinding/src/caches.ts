import { type KubeObject, objectKey } from '@hawser/client';
import { type Setup, type ToKeys, type Watched, toOwnKey } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceExportTemplate,
  type AppClusterBinding,
  type ClusterBinding,
  fixedNames,
  labels,
  resources as klutch,
} from '@hawser/klutch';
import { resourceGroupName, resources as core, type Secret } from '@hawser/kube-bind';
import { clusterWideOf, rootOf } from './decide.js';
import { type ChildKind, children } from './decision.js';
import { ownerKeyOf } from './marks.js';
import type { Deployment, Observed, RightsBinding } from './observed.js';

const byResource = 'appclusterbinding/resource';
const byRoot = 'appclusterbinding/root';
const byClusterWide = 'appclusterbinding/cluster-wide';

/** The caches of the controller; they map each change to an AppClusterBinding. */
export interface Caches {
  readonly self: Watched<AppClusterBinding>;
  /** Takes in the answer of a write. */
  observe(child: ChildKind | 'self', object: KubeObject): void;
  /** Everything except the kubeconfig, which is read live. */
  snapshot(binding: AppClusterBinding): Omit<Observed, 'source' | 'unreachable'>;
}

/** Of kinds with other users, watches only objects with a fixed name or a label. */
export function watchCaches(setup: Setup<'provider'>): Caches {
  const { clusters, watch } = setup;
  const { provider } = clusters;
  const self = watch<AppClusterBinding>(
    provider,
    { resource: klutch.appClusterBindings, kind: 'AppClusterBinding' },
    toOwnKey,
  );
  self.addIndex(byResource, ({ spec }) => (spec.apiExports ?? []).map(resourceGroupName));
  self.addIndex(byRoot, (binding) => [rootOf(binding)]);
  self.addIndex(byClusterWide, (binding) => [clusterWideOf(binding)]);
  const keysBy = (index: string, value: string): readonly string[] => self.byIndex(index, value).map(toOwnKey);
  const ownerOf = (object: KubeObject | undefined): readonly string[] =>
    object === undefined ? [] : [ownerKeyOf(object) ?? []].flat();

  const namespaces = watch(
    provider,
    { resource: core.namespaces, kind: 'Namespace', projection: 'metadata' },
    // A conflicting one may be gone.
    (namespace) => [...ownerOf(namespace), ...keysBy(byRoot, namespace.metadata.name)],
    {
      changed: (before, after) =>
        ownerKeyOf(before) !== ownerKeyOf(after) ||
        before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp,
    },
  );
  const templates = watch<APIServiceExportTemplate>(
    provider,
    { resource: klutch.apiServiceExportTemplates, kind: 'APIServiceExportTemplate' },
    ({ spec }) => keysBy(byResource, resourceGroupName(spec.APIServiceSelector)),
  );
  const clusterRoleBindings = watch<RightsBinding>(
    provider,
    { resource: core.clusterRoleBindings, kind: 'ClusterRoleBinding' },
    (object) => [...ownerOf(object), ...keysBy(byClusterWide, object.metadata.name)],
  );
  const inRoot = watchRoots(setup, ({ metadata }) => ownerOf(namespaces.get(metadata.namespace ?? '')));

  return {
    self,
    observe(child, object) {
      switch (child) {
        case 'self':
          self.observe(object as AppClusterBinding);
          return;
        case 'rootNamespace':
          namespaces.observe(object);
          return;
        case 'clusterRoleBinding':
          clusterRoleBindings.observe(object as RightsBinding);
          return;
        case 'serviceNamespace':
        case 'record':
        case 'clusterRole':
        case 'note':
          return;
        case 'account':
        case 'mirror':
        case 'clusterBinding':
        case 'roleBinding':
        case 'binding':
        case 'request':
        case 'export':
        case 'deployment':
          (inRoot[child] as InformerHandle<KubeObject>).observe(object);
      }
    },
    snapshot(binding) {
      const root = rootOf(binding);
      const wanted = new Map<string, APIServiceExportTemplate>();
      for (const template of [...templates.list()].sort((one, other) => (objectKey(one) < objectKey(other) ? -1 : 1))) {
        const name = resourceGroupName(template.spec.APIServiceSelector);
        if (!wanted.has(name)) wanted.set(name, template);
      }
      const one = <T extends KubeObject>(informer: InformerHandle<T>, name: string): T | undefined =>
        informer.get({ namespace: root, name });
      return {
        binding,
        templates: wanted,
        root: namespaces.get(root),
        account: one(inRoot.account, fixedNames.binder),
        mirror: one(inRoot.mirror, fixedNames.kubeconfigSecret),
        clusterBinding: one(inRoot.clusterBinding, fixedNames.clusterBinding),
        roleBinding: one(inRoot.roleBinding, fixedNames.controlPlaneRole),
        clusterRoleBinding: clusterRoleBindings.get(clusterWideOf(binding)),
        bindings: inRoot.binding.list(root),
        requests: inRoot.request.list(root),
        exports: inRoot.export.list(root),
        deployments: inRoot.deployment.list(root),
      };
    },
  };
}

/** Caches by name of the objects watched in the namespaces of clusters. */
interface RootCaches {
  readonly account: Watched<KubeObject>;
  readonly mirror: Watched<Secret>;
  readonly clusterBinding: Watched<ClusterBinding>;
  readonly roleBinding: Watched<RightsBinding>;
  readonly binding: Watched<APIServiceBinding>;
  readonly request: Watched<APIServiceExportRequest>;
  readonly export: Watched<APIServiceExport>;
  readonly deployment: Watched<Deployment>;
}

function watchRoots(
  { clusters: { provider }, watch }: Setup<'provider'>,
  toRootsOwner: ToKeys<KubeObject>,
): RootCaches {
  const named = (name: string): string => `metadata.name=${name}`;
  return {
    account: watch(
      provider,
      {
        resource: core.serviceAccounts,
        kind: 'ServiceAccount',
        fieldSelector: named(fixedNames.binder),
        projection: 'metadata',
      },
      toRootsOwner,
    ),
    mirror: watch<Secret>(
      provider,
      { resource: core.secrets, kind: 'Secret', fieldSelector: named(fixedNames.kubeconfigSecret) },
      toRootsOwner,
    ),
    clusterBinding: watch<ClusterBinding>(
      provider,
      { resource: klutch.clusterBindings, kind: 'ClusterBinding' },
      toRootsOwner,
    ),
    roleBinding: watch<RightsBinding>(
      provider,
      { resource: core.roleBindings, kind: 'RoleBinding', fieldSelector: named(fixedNames.controlPlaneRole) },
      toRootsOwner,
    ),
    binding: watch<APIServiceBinding>(
      provider,
      { resource: klutch.apiServiceBindings, kind: 'APIServiceBinding' },
      toRootsOwner,
    ),
    request: watch<APIServiceExportRequest>(
      provider,
      { resource: klutch.apiServiceExportRequests, kind: 'APIServiceExportRequest' },
      toRootsOwner,
    ),
    export: watch<APIServiceExport>(
      provider,
      { resource: klutch.apiServiceExports, kind: 'APIServiceExport' },
      toRootsOwner,
    ),
    deployment: watch<Deployment>(
      provider,
      {
        resource: children.deployment.resource,
        kind: 'Deployment',
        labelSelector: labels.appClusterBindingName,
      },
      toRootsOwner,
    ),
  };
}
