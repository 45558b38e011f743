import type { CRDVersion, CustomResourceDefinition, ResourceScope } from '@hawser/crd';
import { type BoundSchemaSpec, ConversionError, v1alpha1Hash } from '@hawser/kube-bind';
import type { APIServiceExport, InlineCRDSpec } from './kinds/api-service-export.js';

/**
 * Builds the CRD that an export carries (spec/klutch.md §7.1): only served versions, no conversion. A CRD with a
 * conversion webhook keeps only its stored version: the consumer has no webhook to call.
 * @throws {ConversionError} if that leaves no version, no stored version, or one without a schema: Klutch would make an
 * export that no cluster can serve.
 */
export function inlineSpecFromCRD(crd: CustomResourceDefinition): InlineCRDSpec {
  const { group, names, scope, conversion } = crd.spec;
  const served = crd.spec.versions.filter((version) => version.served);
  const versions = conversion?.strategy === 'Webhook' ? served.filter((version) => version.storage) : served;
  if (!isScope(scope)) throw problem(crd, 'spec.scope', 'is unknown');
  if (!versions.some((version) => version.storage))
    throw problem(crd, 'spec.versions', 'have none that is served and stored');
  return { group, names, scope, versions: versions.map((version) => inlineVersion(crd, version)) };
}

function inlineVersion(crd: CustomResourceDefinition, version: CRDVersion): InlineCRDSpec['versions'][number] {
  const openAPIV3Schema = version.schema?.openAPIV3Schema;
  if (openAPIV3Schema === undefined) throw problem(crd, `version ${version.name}`, 'has no schema');
  const { name, storage, deprecated, deprecationWarning, subresources, additionalPrinterColumns } = version;
  return {
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema },
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(deprecationWarning === undefined ? {} : { deprecationWarning }),
    ...(subresources === undefined ? {} : { subresources }),
    ...(additionalPrinterColumns === undefined ? {} : { additionalPrinterColumns }),
  };
}

function problem(crd: CustomResourceDefinition, path: string, message: string): ConversionError {
  return new ConversionError(`CRD ${crd.metadata.name}`, [{ path, message }]);
}

function isScope(scope: string): scope is ResourceScope {
  return scope === 'Cluster' || scope === 'Namespaced';
}

/** The CRD for an app cluster. */
export function crdFromExport({
  metadata,
  spec: { group, names, scope, versions },
}: APIServiceExport): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: metadata.name },
    spec: {
      group,
      names,
      scope,
      versions: versions.map((version) => ({ ...version, subresources: version.subresources ?? {} })),
    },
  };
}

/** The CRD part of an export's spec, without the fields about how to bind it. */
export function inlineSpecOf({ spec: { group, names, scope, versions } }: APIServiceExport): InlineCRDSpec {
  return { group, names, scope, versions };
}

/** Value of the annotation `sourceSpecHash`: SHA-224 in base 62, as in v1alpha1 of kube-bind, from which Klutch was forked. */
export function exportHash(spec: InlineCRDSpec): string {
  return v1alpha1Hash(spec);
}

/** Converts the schema of an export to a BoundSchema of kube-bind. */
export function boundSchemaSpecOf({ spec }: APIServiceExport): BoundSchemaSpec {
  const { group, names, scope, versions } = spec;
  return {
    informerScope: spec.informerScope,
    group,
    names,
    scope,
    versions: versions.map((version) => ({ ...version, schema: { openAPIV3Schema: version.schema.openAPIV3Schema } })),
  };
}

/**
 * The reverse of {@link boundSchemaSpecOf}; a BoundSchema does not say how to bind the resource.
 * @throws {ConversionError} as {@link inlineSpecFromCRD}.
 */
export function inlineSpecFromBoundSchema(
  name: string,
  { group, names, scope, versions, conversion }: BoundSchemaSpec,
): InlineCRDSpec {
  return inlineSpecFromCRD({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group,
      names,
      scope,
      ...(conversion?.strategy === 'Webhook' ? { conversion: { strategy: 'Webhook' } } : {}),
      versions: versions.map((version) => ({ ...version, schema: wrapped(version.schema) })),
    },
  });
}

/** A raw schema comes with its wrapper or without (spec/kube-bind-backend.md §8.2). */
function wrapped(schema: unknown): NonNullable<CRDVersion['schema']> {
  const inner =
    typeof schema === 'object' && schema !== null && 'openAPIV3Schema' in schema ? schema.openAPIV3Schema : schema;
  return {
    openAPIV3Schema: typeof inner === 'object' && inner !== null ? (inner as Readonly<Record<string, unknown>>) : {},
  };
}
