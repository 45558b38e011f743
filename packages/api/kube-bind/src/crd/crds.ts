import { apiGroup } from '../group.js';
import { allKinds, type Kind } from '../kinds/all-kinds.js';
import type { CRDVersion, CustomResourceDefinition } from '../kinds/custom-resource-definition.js';
import type { KindDefinition, KindVersion } from '../kinds/kind.js';
import { crdName } from '../names.js';
import { toOpenAPI } from '../schema/index.js';

/** The CRD of one kind. */
export function crdOf(kind: Kind): CustomResourceDefinition {
  const definition: KindDefinition = allKinds[kind];
  const singular = definition.kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName(definition.plural, apiGroup) },
    spec: {
      group: apiGroup,
      names: {
        plural: definition.plural,
        singular,
        kind: definition.kind,
        listKind: `${definition.kind}List`,
        ...(definition.shortNames === undefined ? {} : { shortNames: definition.shortNames }),
        categories: [definition.category],
      },
      scope: definition.scope,
      conversion: { strategy: 'None' },
      versions: definition.versions.map((version) => crdVersion(definition, version)),
    },
  };
}

/** The CRDs of all kinds. */
export const crds: readonly CustomResourceDefinition[] = kindNames().map(crdOf);

/** The CRDs that a consumer cluster needs. */
export const consumerCRDs: readonly CustomResourceDefinition[] = [crdOf('APIServiceBinding'), crdOf('APIServiceBindingBundle')];

/** The CRDs that a provider cluster needs. */
export const providerCRDs: readonly CustomResourceDefinition[] = (
  [
    'APIServiceExport', 'APIServiceExportRequest', 'APIServiceExportTemplate', 'APIServiceNamespace', 'BindableResourcesRequest', 'BoundSchema', 'Cluster',
    'ClusterBinding', 'Collection',
  ] as const
).map(crdOf);

function kindNames(): readonly Kind[] {
  return Object.keys(allKinds) as Kind[];
}

function crdVersion(definition: KindDefinition, version: KindVersion): CRDVersion {
  return {
    name: version.name,
    served: true,
    storage: version.storage,
    additionalPrinterColumns: version.columns,
    schema: { openAPIV3Schema: toOpenAPI({ ...version.schema.node, description: definition.description }) },
    subresources: version.hasStatus === false ? {} : { status: {} },
  };
}
