import { type KubeObject, objectKey } from '@hawser/client';
import type { Scope } from '@hawser/controller';
import type { InformerHandle, SharedInformers } from '@hawser/informer';
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
import { children } from './decision.js';
import { ownerKeyOf } from './marks.js';
import type { Deployment, Observed, RightsBinding } from './observed.js';

const byResource = 'appclusterbinding/resource';
const byRoot = 'appclusterbinding/root';
const byClusterWide = 'appclusterbinding/cluster-wide';

/** The caches of the controller, and which AppClusterBinding is concerned by a change. */
export interface Caches {
  readonly self: InformerHandle<AppClusterBinding>;
  /** Takes in the answer of a write. */
  observe(child: keyof typeof children | 'self', object: KubeObject): void;
  /** All but the kubeconfig, which is read live. */
  snapshot(binding: AppClusterBinding): Omit<Observed, 'source' | 'unreachable'>;
}

/** Nothing but what has a fixed name, or a label, is watched of kinds that others use too. */
export function openCaches(informers: SharedInformers, scope: Scope, changed: (key: string) => void): Caches {
  const named = (name: string): string => `metadata.name=${name}`;
  const self = scope.informer(informers.acquire<AppClusterBinding>({ resource: klutch.appClusterBindings }));
  const namespaces = scope.informer(
    informers.acquire<KubeObject>({ resource: core.namespaces, projection: 'metadata' }),
  );
  const templates = scope.informer(
    informers.acquire<APIServiceExportTemplate>({ resource: klutch.apiServiceExportTemplates }),
  );
  const clusterRoleBindings = scope.informer(informers.acquire<RightsBinding>({ resource: core.clusterRoleBindings }));
  const inRoot = {
    account: scope.informer(
      informers.acquire<KubeObject>({
        resource: core.serviceAccounts,
        fieldSelector: named(fixedNames.binder),
        projection: 'metadata',
      }),
    ),
    mirror: scope.informer(
      informers.acquire<Secret>({ resource: core.secrets, fieldSelector: named(fixedNames.kubeconfigSecret) }),
    ),
    clusterBinding: scope.informer(informers.acquire<ClusterBinding>({ resource: klutch.clusterBindings })),
    roleBinding: scope.informer(
      informers.acquire<RightsBinding>({
        resource: core.roleBindings,
        fieldSelector: named(fixedNames.controlPlaneRole),
      }),
    ),
    binding: scope.informer(informers.acquire<APIServiceBinding>({ resource: klutch.apiServiceBindings })),
    request: scope.informer(informers.acquire<APIServiceExportRequest>({ resource: klutch.apiServiceExportRequests })),
    export: scope.informer(informers.acquire<APIServiceExport>({ resource: klutch.apiServiceExports })),
    deployment: scope.informer(
      informers.acquire<Deployment>({
        resource: children.deployment.resource,
        labelSelector: labels.appClusterBindingName,
      }),
    ),
  };
  self.addIndex(byResource, ({ spec }) => (spec.apiExports ?? []).map(resourceGroupName));
  self.addIndex(byRoot, (binding) => [rootOf(binding)]);
  self.addIndex(byClusterWide, (binding) => [clusterWideOf(binding)]);

  const ownerChanged = (object: KubeObject | undefined): void => {
    const key = object === undefined ? undefined : ownerKeyOf(object);
    if (key !== undefined) changed(key);
  };
  const selfChanged = (binding: AppClusterBinding): void => {
    changed(objectKey(binding));
  };
  scope.onChange(self, selfChanged);
  // A namespace that was in the way may be gone.
  scope.own(
    namespaces.addHandler({
      onAdd: ownerChanged,
      onUpdate(before, after) {
        if (
          ownerKeyOf(before) !== ownerKeyOf(after) ||
          before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp
        )
          namespaceChanged(after);
      },
      onDelete: namespaceChanged,
    }),
  );
  scope.onChange(clusterRoleBindings, (object) => {
    ownerChanged(object);
    self.byIndex(byClusterWide, object.metadata.name).forEach(selfChanged);
  });
  for (const informer of Object.values(inRoot))
    scope.onChange<KubeObject>(informer, ({ metadata }) => {
      ownerChanged(namespaces.get(metadata.namespace ?? ''));
    });
  scope.onChange(templates, ({ spec }) => {
    self.byIndex(byResource, resourceGroupName(spec.APIServiceSelector)).forEach(selfChanged);
  });

  function namespaceChanged(namespace: KubeObject): void {
    ownerChanged(namespace);
    self.byIndex(byRoot, namespace.metadata.name).forEach(selfChanged);
  }

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
