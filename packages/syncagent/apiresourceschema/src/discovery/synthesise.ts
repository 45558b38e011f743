import { compareVersionPriority, type CRDVersion, type CustomResourceDefinition } from '@hawser/crd';
import { approvalAnnotation, isProtectedGroup } from '@hawser/kcp-api';
import { DiscoveryError } from './discovery-error.js';
import type { ServedResource } from './find-resource.js';
import { modelNameOf, type Models } from './openapi/models.js';
import { toCRDSchema } from './openapi/to-crd-schema.js';

/** Approval annotation for Kubernetes' own APIs; the same as the Go agent's. */
const approval = 'https://github.com/kcp-dev/kubernetes/pull/4';

/**
 * Synthesises the CRD of a type without one (spec/api-syncagent.md §8). `modelsOf`: the definitions of a version.
 * Without a scale subresource: kcp does not serve one.
 * @throws {DiscoveryError} `NoModel`, `Unusable`
 */
export function synthesisedCRD(
  resource: ServedResource,
  modelsOf: ReadonlyMap<string, Models>,
): CustomResourceDefinition {
  const { group, kind, plural, singular, namespaced, shortNames, categories } = resource;
  const versions = [...resource.versions.keys()].sort(compareVersionPriority);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group === '' ? 'core' : group}`,
      ...(isProtectedGroup(group) ? { annotations: { [approvalAnnotation]: approval } } : {}),
    },
    spec: {
      group,
      names: {
        plural,
        singular: singular === '' ? kind.toLowerCase() : singular,
        ...(shortNames.length === 0 ? {} : { shortNames }),
        kind,
        listKind: `${kind}List`,
        ...(categories.length === 0 ? {} : { categories }),
      },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      versions: versions.map((version) => synthesisedVersion(resource, version, modelsOf.get(version) ?? new Map())),
      conversion: { strategy: 'None' },
    },
  };
}

function synthesisedVersion(
  { group, kind, versions, preferredVersion }: ServedResource,
  version: string,
  models: Models,
): CRDVersion {
  const model = modelNameOf(models, group, version, kind);
  if (model === undefined)
    throw new DiscoveryError('NoModel', `the cluster serves ${kind} ${version}, but its OpenAPI does not describe it`);
  return {
    name: version,
    served: true,
    storage: version === preferredVersion,
    schema: { openAPIV3Schema: toCRDSchema(models, model) },
    subresources: versions.get(version)?.has('status') === true ? { status: {} } : {},
  };
}
