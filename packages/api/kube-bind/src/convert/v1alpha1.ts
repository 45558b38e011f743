import type { V1alpha1APIServiceExport, V1alpha1APIServiceExportCRDSpec } from '../kinds/api-service-export.js';
import type { CRDVersion, CustomResourceDefinition, ResourceScope } from '@hawser/crd';
import { ConversionError } from './conversion-error.js';

// spec/kube-bind-api.md §8.3. For tools that read objects of old releases.

/** The CRD that a v1alpha1 export carries. */
export function crdFromV1alpha1Export(source: V1alpha1APIServiceExport): CustomResourceDefinition {
  const { group, names, scope, versions } = source.spec;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: source.metadata.name },
    spec: {
      group,
      names,
      scope,
      versions: versions.map((version) => ({ ...version, subresources: version.subresources ?? {} })),
    },
  };
}

/**
 * Builds the CRD that a v1alpha1 export carries, without versions that are not served. A CRD with a conversion webhook
 * keeps only its first served version, now the stored one: the consumer has no webhook to call.
 * @throws {ConversionError} if a version has no schema, or the scope is unknown.
 */
export function v1alpha1ExportFromCRD(crd: CustomResourceDefinition): V1alpha1APIServiceExportCRDSpec {
  const { group, names, scope, conversion } = crd.spec;
  const served = crd.spec.versions.filter((version) => version.served);
  const versions =
    conversion?.strategy === 'Webhook' ? served.slice(0, 1).map((version) => ({ ...version, storage: true })) : served;
  if (!isScope(scope))
    throw new ConversionError(`CRD ${crd.metadata.name}`, [{ path: 'spec.scope', message: 'is unknown' }]);
  return { group, names, scope, versions: versions.map((version) => exportedVersion(crd, version)) };
}

function exportedVersion(
  crd: CustomResourceDefinition,
  version: CRDVersion,
): V1alpha1APIServiceExportCRDSpec['versions'][number] {
  const openAPIV3Schema = version.schema?.openAPIV3Schema;
  if (openAPIV3Schema === undefined) {
    throw new ConversionError(`CRD ${crd.metadata.name}`, [
      { path: `version ${version.name}`, message: 'has no schema' },
    ]);
  }
  const { name, storage, deprecated, deprecationWarning, subresources, additionalPrinterColumns } = version;
  return {
    name,
    served: true,
    storage,
    deprecated,
    deprecationWarning,
    schema: { openAPIV3Schema },
    subresources,
    additionalPrinterColumns,
  };
}

function isScope(scope: string): scope is ResourceScope {
  return scope === 'Cluster' || scope === 'Namespaced';
}
