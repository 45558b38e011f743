import { crdFromDefinition, type CustomResourceDefinition } from '@hawser/crd';
import { apiGroup } from '../group.js';
import { allKinds, type Kind } from '../kinds/all-kinds.js';
import type { KindDefinition } from '../kinds/kind.js';

/** The CRD of one kind. */
export function crdOf(kind: Kind): CustomResourceDefinition {
  const { category, ...definition }: KindDefinition = allKinds[kind];
  return crdFromDefinition(apiGroup, { ...definition, categories: [category] });
}

/** The CRDs of all kinds. */
export const crds: readonly CustomResourceDefinition[] = kindNames().map(crdOf);

/** The CRDs that a consumer cluster needs. */
export const consumerCRDs: readonly CustomResourceDefinition[] = [
  crdOf('APIServiceBinding'),
  crdOf('APIServiceBindingBundle'),
];

/** The CRDs that a provider cluster needs. */
export const providerCRDs: readonly CustomResourceDefinition[] = (
  [
    'APIServiceExport',
    'APIServiceExportRequest',
    'APIServiceExportTemplate',
    'APIServiceNamespace',
    'BindableResourcesRequest',
    'BoundSchema',
    'Cluster',
    'ClusterBinding',
    'Collection',
  ] as const
).map(crdOf);

function kindNames(): readonly Kind[] {
  return Object.keys(allKinds) as Kind[];
}
