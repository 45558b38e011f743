import { equal } from '@hawser/json';
import {
  annotations, type APIServiceExport, type APIServiceExportRequest, apiVersion, type BoundSchema, type ExportedResource, exportHash, type PermissionClaim,
  resourceGroupName,
} from '@hawser/kube-bind';
import type { ObservedRequest, RequestSettings } from './observed-request.js';

/** The export that answers a request (spec/kube-bind-backend.md §10.3, step 5). */
export function wantedExport(settings: RequestSettings, request: APIServiceExportRequest, observed: ObservedRequest): APIServiceExport {
  const { name, namespace } = request.metadata;
  const { permissionClaims } = request.spec;
  const hash = combinedHash(request.spec.resources, observed.boundSchemas);
  return {
    apiVersion,
    kind: 'APIServiceExport',
    metadata: { name, namespace, ...(hash === undefined ? {} : { annotations: { [annotations.sourceSpecHash]: hash } }) },
    spec: {
      resources: request.spec.resources.map((resource) => withVersions(resource, observed)),
      ...(permissionClaims === undefined || permissionClaims.length === 0 ? {} : { permissionClaims }),
      informerScope: settings.informerScope,
      isolation: settings.isolation,
    },
  };
}

/** The hash over the schemas of an export, in the order of its resources; undefined while one of them is missing (spec/kube-bind-backend.md §8.5). */
export function combinedHash(resources: readonly ExportedResource[], boundSchemas: ReadonlyMap<string, BoundSchema>): string | undefined {
  const specs = [];
  for (const resource of resources) {
    const spec = boundSchemas.get(resourceGroupName(resource))?.spec;
    if (spec === undefined) return undefined;
    specs.push(spec);
  }
  return exportHash(specs);
}

/** Where an existing export says something else than the request asks for. What only the provider decides does not count. */
export function exportDifferences(request: APIServiceExportRequest, found: APIServiceExport): readonly ('resources' | 'permission claims')[] {
  const differences: ('resources' | 'permission claims')[] = [];
  if (!sameResources(request.spec.resources, found.spec.resources)) differences.push('resources');
  if (!equal(byResource(request.spec.permissionClaims), byResource(found.spec.permissionClaims))) differences.push('permission claims');
  return differences;
}

/** A request that names no version asks for those that the provider serves. */
function withVersions(resource: ExportedResource, { sources }: ObservedRequest): ExportedResource {
  if (resource.versions !== undefined && resource.versions.length > 0) return resource;
  const source = sources.get(resourceGroupName(resource));
  return source?.kind === 'offered' ? { ...resource, versions: source.servedVersions } : resource;
}

function sameResources(wanted: readonly ExportedResource[], found: readonly ExportedResource[]): boolean {
  const versions = new Map(found.map((resource) => [resourceGroupName(resource), new Set(resource.versions)]));
  if (versions.size !== new Set(wanted.map(resourceGroupName)).size) return false;
  return wanted.every((resource) => {
    const has = versions.get(resourceGroupName(resource));
    return has !== undefined && (resource.versions ?? []).every((version) => has.has(version)) && (isOpen(resource) || has.size === new Set(resource.versions).size);
  });
}

function isOpen(resource: ExportedResource): boolean {
  return resource.versions === undefined || resource.versions.length === 0;
}

function byResource(claims: readonly PermissionClaim[] | undefined): Readonly<Record<string, PermissionClaim['selector']>> {
  return Object.fromEntries((claims ?? []).map((claim) => [resourceGroupName(claim), claim.selector]));
}
