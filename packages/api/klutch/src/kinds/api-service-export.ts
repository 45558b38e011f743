import type { KubeObject } from '@hawser/client';
import {
  columns,
  crdNames,
  crdScope,
  crdVersionHead,
  crdVersionTail,
  type Infer,
  type KindDefinition,
  type ObjectOf,
  rawSchema,
  root,
  s,
} from '@hawser/crd';
import { conditions, permissionClaim } from './shared.js';

const crd = {
  group: s.string(),
  names: crdNames,
  scope: crdScope,
  versions: s.array(
    s.object({ ...crdVersionHead, schema: s.object({ openAPIV3Schema: rawSchema }), ...crdVersionTail }),
    { minItems: 1, listMapKeys: ['name'] },
  ),
};

const spec = s.object({
  ...crd,
  permissionClaims: s.optional(
    s.array(permissionClaim, {
      description: 'Further objects that take part; those of the template when the export was made.',
    }),
  ),
  informerScope: s.immutable(s.enumeration(['Cluster', 'Namespaced'], { description: 'How the konnector may watch.' })),
  clusterScopedIsolation: s.optional(
    s.enumeration(['Prefixed', 'Namespaced', 'None'], {
      description: 'How cluster-scoped objects of several consumers are kept apart.',
    }),
  ),
});
const status = s.object({
  acceptedNames: s.optional(crdNames),
  storedVersions: s.optional(s.array(s.string())),
  conditions: s.optional(conditions),
});

/** The part of an export that is a CRD. */
export type InlineCRDSpec = ObjectOf<typeof crd>;
export type APIServiceExportSpec = Infer<typeof spec>;
export type APIServiceExportStatus = Infer<typeof status>;

/** On the provider, in the cluster namespace, named as the CRD that it carries. */
export interface APIServiceExport extends KubeObject {
  readonly spec: APIServiceExportSpec;
  readonly status?: APIServiceExportStatus | undefined;
}

export const apiServiceExportKind: KindDefinition = {
  kind: 'APIServiceExport',
  plural: 'apiserviceexports',
  scope: 'Namespaced',
  categories: ['kube-bindings'],
  description: 'What one consumer may bind.',
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      columns: [columns.of('Established', '.status.conditions[?(@.type=="Established")].status', 5), columns.age],
      schema: root(spec, status),
    },
  ],
};
