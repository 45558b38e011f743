import type { KubeObject } from '@hawser/client';
import { equal } from '@hawser/json';
import {
  annotations,
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceExportTemplate,
  apiVersion,
  type BoundSchema,
  type ExportedResource,
  exportHash,
  hawserAnnotations,
  type PermissionClaim,
  resourceGroupName,
} from '@hawser/kube-bind';
import type { ObservedRequest, RequestSettings } from './observed-request.js';
import type { Admission } from './template/admission.js';

/** Builds the export that answers a request (spec/kube-bind-backend.md §10.3, step 5). */
export function wantedExport(
  settings: RequestSettings,
  request: APIServiceExportRequest,
  observed: ObservedRequest,
): APIServiceExport {
  const { name, namespace } = request.metadata;
  const { permissionClaims } = request.spec;
  const hash = combinedHash(request.spec.resources, observed.boundSchemas);
  return {
    apiVersion,
    kind: 'APIServiceExport',
    metadata: {
      name,
      namespace,
      annotations: {
        ...(hash === undefined ? {} : { [annotations.sourceSpecHash]: hash }),
        ...grantAnnotations(request, observed.admission),
      },
    },
    spec: {
      resources: request.spec.resources.map((resource) => withVersions(resource, observed)),
      ...(permissionClaims === undefined || permissionClaims.length === 0 ? {} : { permissionClaims }),
      informerScope: settings.informerScope,
      isolation: settings.isolation,
    },
  };
}

/**
 * Records the consumer and the template of the export. The template's terms for schema changes go with the export, so a
 * later template does not change them.
 */
function grantAnnotations(
  request: APIServiceExportRequest,
  admission: Admission | undefined,
): Readonly<Record<string, string>> {
  const template = admission?.kind === 'admitted' ? admission.template : undefined;
  const policy = schemaPolicyOf(request, template);
  return {
    ...(request.metadata.uid === undefined ? {} : { [hawserAnnotations.request]: request.metadata.uid }),
    ...(template === undefined ? {} : { [hawserAnnotations.template]: template.metadata.name }),
    ...(policy === undefined ? {} : { [hawserAnnotations.schemaUpdate]: policy }),
    ...copiedFrom(template, hawserAnnotations.schemaRollout, hawserAnnotations.withdrawnObjects),
  };
}

/** The template's policy, or the request's if that is stricter: consumers write requests, so they can only tighten. */
function schemaPolicyOf(
  request: APIServiceExportRequest,
  template: APIServiceExportTemplate | undefined,
): string | undefined {
  const offered = template?.metadata.annotations?.[hawserAnnotations.schemaUpdate];
  const wanted = request.metadata.annotations?.[hawserAnnotations.schemaUpdate];
  const tightens = wanted === 'Never' || (wanted === 'Safe' && offered === 'Always');
  return tightens ? wanted : offered;
}

/** The template's values of these annotations, for the export granted under it. */
export function copiedFrom(
  template: KubeObject | undefined,
  ...keys: readonly string[]
): Readonly<Record<string, string>> {
  const found = template?.metadata.annotations ?? {};
  return Object.fromEntries(keys.flatMap((key) => (found[key] === undefined ? [] : [[key, found[key]]])));
}

/**
 * Hash over the schemas of an export, in the order of its resources; undefined while one is missing
 * (spec/kube-bind-backend.md §8.5).
 */
export function combinedHash(
  resources: readonly ExportedResource[],
  boundSchemas: ReadonlyMap<string, BoundSchema>,
): string | undefined {
  const specs = [];
  for (const resource of resources) {
    const spec = boundSchemas.get(resourceGroupName(resource))?.spec;
    if (spec === undefined) return undefined;
    specs.push(spec);
  }
  return exportHash(specs);
}

/** Differences between an existing export and the request. Ignores what only the provider decides. */
export function exportDifferences(
  request: APIServiceExportRequest,
  found: APIServiceExport,
): readonly ('resources' | 'permission claims')[] {
  const differences: ('resources' | 'permission claims')[] = [];
  if (!sameResources(request.spec.resources, found.spec.resources)) differences.push('resources');
  if (!equal(byResource(request.spec.permissionClaims), byResource(found.spec.permissionClaims)))
    differences.push('permission claims');
  return differences;
}

/** Adds versions to a request without them: the served ones, as far as the template offers them. */
function withVersions(resource: ExportedResource, { sources, admission }: ObservedRequest): ExportedResource {
  if (!isOpen(resource)) return resource;
  const name = resourceGroupName(resource);
  const source = sources.get(name);
  if (source?.kind !== 'offered') return resource;
  const template = admission?.kind === 'admitted' ? admission.template : undefined;
  const offered = template?.spec.resources.find((one) => resourceGroupName(one) === name)?.versions ?? [];
  return {
    ...resource,
    versions:
      offered.length === 0
        ? source.servedVersions
        : source.servedVersions.filter((version) => offered.includes(version)),
  };
}

function sameResources(wanted: readonly ExportedResource[], found: readonly ExportedResource[]): boolean {
  const versions = new Map(found.map((resource) => [resourceGroupName(resource), new Set(resource.versions)]));
  if (versions.size !== new Set(wanted.map(resourceGroupName)).size) return false;
  return wanted.every((resource) => {
    const has = versions.get(resourceGroupName(resource));
    return (
      has !== undefined &&
      (resource.versions ?? []).every((version) => has.has(version)) &&
      (isOpen(resource) || has.size === new Set(resource.versions).size)
    );
  });
}

function isOpen(resource: ExportedResource): boolean {
  return resource.versions === undefined || resource.versions.length === 0;
}

function byResource(
  claims: readonly PermissionClaim[] | undefined,
): Readonly<Record<string, PermissionClaim['selector']>> {
  return Object.fromEntries((claims ?? []).map((claim) => [resourceGroupName(claim), claim.selector]));
}
