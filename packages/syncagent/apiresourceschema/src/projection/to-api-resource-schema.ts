import type { CRDVersion, CustomResourceDefinition } from '@hawser/crd';
import { type APIResourceSchema, type APIResourceVersion, approvalAnnotation, isProtectedGroup } from '@hawser/kcp-api';
import { annotations, labels } from '@hawser/syncagent-api';
import { schemaName } from './hash/schema-name.js';
import { throwProblems } from './projection-error.js';
import { refusalsOfKcp } from './refusals.js';

export interface SchemaOptions {
  readonly agentName: string;
  /** Generation of the CRD on the service cluster; 0: there is none. Default: that of the projected CRD. */
  readonly sourceGeneration?: number | undefined;
}

/**
 * Converts a projected CRD to its APIResourceSchema (spec/api-syncagent.md §9.4). An API in a Kubernetes group keeps
 * its approval annotation.
 * @throws {ProjectionError} for all that kcp would refuse.
 */
export function toAPIResourceSchema(
  projected: CustomResourceDefinition,
  { agentName, sourceGeneration }: SchemaOptions,
): APIResourceSchema {
  throwProblems(refusalsOfKcp(projected));
  const {
    metadata,
    spec: { group, names, scope, versions },
  } = projected;
  const approval = isProtectedGroup(group) ? metadata.annotations?.[approvalAnnotation] : undefined;
  return {
    apiVersion: 'apis.kcp.io/v1alpha1',
    kind: 'APIResourceSchema',
    metadata: {
      name: schemaName(projected),
      labels: { [labels.agentName]: agentName },
      annotations: {
        [annotations.agentName]: agentName,
        [annotations.sourceGeneration]: String(sourceGeneration ?? metadata.generation ?? 0),
        ...(approval === undefined ? {} : { [approvalAnnotation]: approval }),
      },
    },
    spec: {
      group,
      names,
      scope,
      versions: versions.map(toVersion),
      ...(versions.length > 1 ? { conversion: { strategy: 'None' } } : {}),
    },
  };
}

function toVersion({
  name,
  served,
  storage,
  deprecated,
  deprecationWarning,
  schema,
  subresources,
  additionalPrinterColumns,
  selectableFields,
}: CRDVersion): APIResourceVersion {
  return {
    name,
    served,
    storage,
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(deprecationWarning === undefined ? {} : { deprecationWarning }),
    schema: schema?.openAPIV3Schema ?? {},
    ...(subresources === undefined ? {} : { subresources }),
    ...(additionalPrinterColumns === undefined ? {} : { additionalPrinterColumns }),
    ...(selectableFields === undefined ? {} : { selectableFields }),
  };
}
