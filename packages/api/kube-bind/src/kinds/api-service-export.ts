import type { KubeObject } from '@hawser/client';
import {
  columns,
  crdNames,
  crdScope,
  crdVersionHead,
  crdVersionTail,
  type Infer,
  type ObjectOf,
  rawSchema,
  root,
  s,
} from '@hawser/crd';
import { conditions } from './condition.js';
import type { KindDefinition } from './kind.js';
import { exportedResource, informerScopes, isolations, permissionClaim } from './shared.js';

const spec = s.object({
  resources: s.immutable(
    s.array(exportedResource, {
      minItems: 1,
      description: 'What is exported; each has a BoundSchema in the same namespace.',
    }),
  ),
  permissionClaims: s.optional(
    s.immutable(s.array(permissionClaim, { description: 'Further objects that take part.' })),
  ),
  informerScope: s.immutable(s.enumeration(informerScopes, { description: 'How the konnector may watch.' })),
  isolation: s.immutable(
    s.enumeration(isolations, { description: 'How cluster-scoped objects of several consumers are kept apart.' }),
  ),
  clusterScopedIsolation: s.optional(
    s.immutable(s.enumeration(isolations, { description: 'Deprecated twin of isolation; not read.' })),
  ),
});

const status = s.object({ conditions: s.optional(conditions) });

export type APIServiceExportSpec = Infer<typeof spec>;
export type APIServiceExportStatus = Infer<typeof status>;

/** On the provider, in the cluster namespace: an API that one consumer may bind (spec/kube-bind-api.md §6.3). */
export interface APIServiceExport extends KubeObject {
  readonly spec: APIServiceExportSpec;
  readonly status?: APIServiceExportStatus | undefined;
}

const v1alpha1Crd = {
  group: s.string(),
  names: crdNames,
  scope: crdScope,
  versions: s.array(
    s.object({ ...crdVersionHead, schema: s.object({ openAPIV3Schema: rawSchema }), ...crdVersionTail }),
    {
      minItems: 1,
      listMapKeys: ['name'],
    },
  ),
};

const v1alpha1Spec = s.object({
  ...v1alpha1Crd,
  informerScope: s.immutable(s.enumeration(informerScopes)),
  clusterScopedIsolation: s.optional(s.enumeration(isolations)),
});

/** The CRD part of a v1alpha1 export. */
export type V1alpha1APIServiceExportCRDSpec = ObjectOf<typeof v1alpha1Crd>;
export type V1alpha1APIServiceExportSpec = Infer<typeof v1alpha1Spec>;

/**
 * The same kind in v1alpha1, which carried the CRD itself. Kept for installed CRDs and old objects; Hawser does not
 * speak it.
 */
export interface V1alpha1APIServiceExport extends KubeObject {
  readonly spec: V1alpha1APIServiceExportSpec;
}

const withScopeRules = s.invariant(
  s.invariant(
    s.invariant(
      v1alpha1Spec,
      'self.scope == "Namespaced" || self.informerScope == "Cluster"',
      'a cluster-scoped resource needs informerScope Cluster',
      (self) => self.scope === 'Namespaced' || self.informerScope === 'Cluster',
    ),
    'self.scope == "Namespaced" || has(self.clusterScopedIsolation)',
    'a cluster-scoped resource needs clusterScopedIsolation',
    (self) => self.scope === 'Namespaced' || self.clusterScopedIsolation !== undefined,
  ),
  'self.scope == "Cluster" || !has(self.clusterScopedIsolation)',
  'clusterScopedIsolation has no meaning for a namespaced resource',
  (self) => self.scope === 'Cluster' || self.clusterScopedIsolation === undefined,
);

const v1alpha1Status = s.object({
  acceptedNames: s.optional(crdNames),
  storedVersions: s.optional(s.array(s.string())),
  conditions: s.optional(conditions),
});

const exportColumns = [
  columns.of('Established', '.status.conditions[?(@.type=="Established")].status', 5),
  columns.age,
];

export const apiServiceExportKind: KindDefinition = {
  kind: 'APIServiceExport',
  plural: 'apiserviceexports',
  scope: 'Namespaced',
  category: 'kube-bindings',
  description: 'What one consumer may bind.',
  versions: [
    {
      name: 'v1alpha1',
      storage: false,
      columns: exportColumns,
      schema: s.invariant(
        root(withScopeRules, v1alpha1Status),
        'self.metadata.name == self.spec.names.plural+"."+self.spec.group',
        'the name must be <plural>.<group> of the resource',
        (self) => self.metadata?.name === `${self.spec.names.plural}.${self.spec.group}`,
      ),
    },
    { name: 'v1alpha2', storage: true, columns: exportColumns, schema: root(spec, status) },
  ],
};
