import type { OwnerReference } from '@hawser/client';
import type { BoundSchema, BoundSchemaConversion, BoundSchemaVersion } from '../kinds/bound-schema.js';
import { type CRDConversion, type CRDVersion, type CustomResourceDefinition, isRecord } from '@hawser/crd';
import { crdName } from '../names.js';
import { ConversionError } from './conversion-error.js';

/**
 * Builds the consumer's CRD from a BoundSchema (spec/kube-bind-api.md §8.2), owned by `owner` if given. The API server
 * validates the schema.
 * @throws {ConversionError} for a BoundSchema without spec.
 */
export function crdFromBoundSchema(boundSchema: BoundSchema, owner?: OwnerReference): CustomResourceDefinition {
  const { spec } = boundSchema;
  if (spec === undefined)
    throw new ConversionError(`BoundSchema ${boundSchema.metadata.name}`, [{ path: 'spec', message: 'is missing' }]);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: crdName(spec.names.plural, spec.group),
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
    },
    spec: {
      group: spec.group,
      names: spec.names,
      scope: spec.scope,
      versions: spec.versions.map(crdVersion),
      ...(spec.conversion === undefined ? {} : { conversion: crdConversion(spec.conversion) }),
    },
  };
}

function crdVersion(version: BoundSchemaVersion): CRDVersion {
  const openAPIV3Schema = bareSchema(version.schema);
  return {
    name: version.name,
    served: version.served,
    storage: version.storage,
    ...(version.deprecated === undefined ? {} : { deprecated: version.deprecated }),
    ...(version.deprecationWarning === undefined ? {} : { deprecationWarning: version.deprecationWarning }),
    ...(openAPIV3Schema === undefined ? {} : { schema: { openAPIV3Schema } }),
    subresources: version.subresources ?? {},
    ...(version.additionalPrinterColumns === undefined
      ? {}
      : { additionalPrinterColumns: version.additionalPrinterColumns }),
  };
}

/** A stored schema is bare, or wrapped in `openAPIV3Schema`. */
function bareSchema(stored: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(stored)) return undefined;
  const wrapped = stored['openAPIV3Schema'];
  return isRecord(wrapped) ? wrapped : stored;
}

function crdConversion({ strategy, webhook }: BoundSchemaConversion): CRDConversion {
  if (strategy !== 'Webhook' || webhook === undefined) return { strategy: strategy ?? 'None' };
  const { clientConfig, conversionReviewVersions } = webhook;
  return {
    strategy,
    webhook: {
      ...(conversionReviewVersions === undefined ? {} : { conversionReviewVersions }),
      ...(clientConfig === undefined
        ? {}
        : {
            clientConfig: {
              ...(clientConfig.url === undefined ? {} : { url: clientConfig.url }),
              ...(clientConfig.caBundle === undefined ? {} : { caBundle: clientConfig.caBundle }),
            },
          }),
    },
  };
}
