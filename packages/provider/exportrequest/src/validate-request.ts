import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type ExportedResource,
  groupResourceString,
  isClaimable,
  type PermissionClaim,
  resourceGroupName,
  serviceNamespaceName,
} from '@hawser/kube-bind';
import { exportDifferences } from './wanted-export.js';
import type { ObservedRequest, RequestSettings } from './observed-request.js';
import { longestNamespaceName, type RequestProblem } from './request-problem.js';
import type { SourceSchema } from './source-schema.js';
import type { Admission, Asked } from './template/admission.js';

/**
 * Finds what keeps a pending request from an answer. Permanent problems come first: the requester learns of them at
 * once, not after the provider has solved the rest (spec/kube-bind-backend.md §10.3, steps 4 and 5).
 */
export function validateRequest(
  settings: RequestSettings,
  request: APIServiceExportRequest,
  observed: ObservedRequest,
): RequestProblem | undefined {
  return (
    claimProblem(request.spec.permissionClaims ?? []) ??
    namespaceProblem(
      settings,
      request,
      (request.spec.namespaces ?? []).map(({ name }) => name),
    ) ??
    admissionProblem(request, observed.admission) ??
    schemaProblem(request, observed) ??
    isolationProblem(settings, request, observed) ??
    incompatibility(request, observed) ??
    exportProblem(request, observed.export) ??
    boundProblem(settings, request, observed)
  );
}

/** The first impossible or repeated claim. */
export function claimProblem(
  claims: readonly PermissionClaim[],
): Extract<RequestProblem, { kind: 'invalidClaim' | 'duplicateClaim' }> | undefined {
  const invalid = claims.find((claim) => !isClaimable(claim));
  if (invalid !== undefined) return { kind: 'invalidClaim', claim: invalid };
  const seen = new Set<string>();
  for (const claim of claims) {
    const key = groupResourceString(claim);
    if (seen.has(key)) return { kind: 'duplicateClaim', claim };
    seen.add(key);
  }
  return undefined;
}

/**
 * Checks limits. Existing objects do not count against a request: an existing export is answered, whatever the limit.
 */
function boundProblem(
  settings: RequestSettings,
  request: APIServiceExportRequest,
  observed: ObservedRequest,
): RequestProblem | undefined {
  const { exportsPerConsumer = Infinity } = settings;
  if (observed.export === undefined && observed.made.exports >= exportsPerConsumer)
    return { kind: 'tooManyExports', most: exportsPerConsumer };
  return namespacesProblem(settings, missingNamespaces(request, observed), observed);
}

/**
 * Requested namespaces that are missing, perhaps long after the answer: they can be deleted, and a CRD installed by
 * another program allows adding them.
 */
export function lateNamespaceProblem(
  settings: RequestSettings,
  request: APIServiceExportRequest,
  observed: ObservedRequest,
): RequestProblem | undefined {
  const missing = missingNamespaces(request, observed);
  return namespaceProblem(settings, request, missing) ?? namespacesProblem(settings, missing, observed);
}

function namespacesProblem(
  { namespacesPerConsumer = Infinity }: RequestSettings,
  missing: ReadonlySet<string>,
  { made }: ObservedRequest,
): RequestProblem | undefined {
  return missing.size > 0 && made.namespaces + missing.size > namespacesPerConsumer
    ? { kind: 'tooManyNamespaces', most: namespacesPerConsumer }
    : undefined;
}

/** The missing ones of the requested namespaces. */
export function missingNamespaces(
  { spec }: APIServiceExportRequest,
  { namespaces }: Pick<ObservedRequest, 'namespaces'>,
): ReadonlySet<string> {
  return new Set((spec.namespaces ?? []).map(({ name }) => name).filter((name) => !namespaces.has(name)));
}

const namespaceName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/u;

function namespaceProblem(
  { isolation }: RequestSettings,
  request: APIServiceExportRequest,
  names: Iterable<string>,
): RequestProblem | undefined {
  for (const name of names) {
    if (!namespaceName.test(name)) return { kind: 'invalidNamespaceName', name };
    const namespace = serviceNamespaceName(isolation, request.metadata.namespace ?? '', name);
    if (namespace.length > longestNamespaceName) return { kind: 'namespaceNameTooLong', name, namespace };
  }
  return undefined;
}

/** Explains a refused admission to the requester. */
export function admissionProblem(request: Asked, admission: Admission | undefined): RequestProblem | undefined {
  switch (admission?.kind) {
    case undefined:
    case 'admitted':
      return undefined;
    case 'noConsumer':
      return { kind: 'noConsumer', namespace: request.metadata.namespace ?? '' };
    case 'notOffered':
      return { kind: 'notOffered', names: [...new Set(request.spec.resources.map(resourceGroupName))] };
    case 'exceeds':
      return { kind: 'exceedsTemplate', coverages: admission.coverages };
    case 'unapproved':
      return {
        kind: 'unapproved',
        template: admission.template.metadata.name,
        approved: admission.approved,
        namespace: request.metadata.namespace ?? '',
      };
    case 'forbidden':
      return { kind: 'bindForbidden', templates: admission.templates, user: admission.user };
  }
}

function schemaProblem(
  request: APIServiceExportRequest,
  { sources, admission }: ObservedRequest,
): RequestProblem | undefined {
  const missing = request.spec.resources.map(resourceGroupName).filter((name) => !sources.has(name));
  if (missing.length > 0) return { kind: 'schemaNotFound', names: [...new Set(missing)] };
  const scopes = new Map<string, string>();
  for (const resource of request.spec.resources) {
    const name = resourceGroupName(resource);
    const source = sources.get(name);
    if (source === undefined) continue;
    if (source.kind === 'unusable') return { kind: 'schemaUnusable', name, message: source.message };
    if (source.serving.kind !== 'served')
      return {
        kind: 'schemaUnserved',
        name,
        message: source.serving.kind === 'refused' ? source.serving.message : undefined,
      };
    const problem = versionProblem(name, wantedVersions(resource, admission, source), source);
    if (problem !== undefined) return problem;
    scopes.set(name, source.scope);
  }
  if (new Set(scopes.values()).size < 2) return undefined;
  return { kind: 'differentScopes', scopes: [...scopes].map(([name, scope]) => ({ name, scope })) };
}

/**
 * Under `Namespaced` all copies are in the cluster namespace (spec/konnector.md §8), which is impossible for an object
 * without namespace.
 */
function isolationProblem(
  settings: RequestSettings,
  request: APIServiceExportRequest,
  { sources, export: found }: ObservedRequest,
): RequestProblem | undefined {
  if ((found?.spec.isolation ?? settings.isolation) !== 'Namespaced') return undefined;
  const name = request.spec.resources.map(resourceGroupName).find((candidate) => {
    const source = sources.get(candidate);
    return source?.kind === 'offered' && source.scope === 'Cluster';
  });
  return name === undefined ? undefined : { kind: 'noPlace', name };
}

/** Detects a CRD that was deleted and recreated as a different kind: the consumer's objects cannot follow. */
export function incompatibility(
  request: APIServiceExportRequest,
  { sources, boundSchemas }: ObservedRequest,
): RequestProblem | undefined {
  for (const name of request.spec.resources.map(resourceGroupName)) {
    const source = sources.get(name);
    const has = boundSchemas.get(name)?.spec;
    if (source?.kind !== 'offered' || has === undefined) continue;
    const changes = [
      ...(has.scope === source.spec.scope ? [] : [`scope ${has.scope} became ${source.spec.scope}`]),
      ...(has.names.kind === source.spec.names.kind ? [] : [`kind ${has.names.kind} became ${source.spec.names.kind}`]),
    ];
    if (changes.length > 0) return { kind: 'schemaIncompatible', name, changes };
  }
  return undefined;
}

/** Without versions in the request, one of the template's versions must be served. */
function wantedVersions(
  resource: ExportedResource,
  admission: Admission | undefined,
  source: Extract<SourceSchema, { kind: 'offered' }>,
): readonly string[] {
  if (resource.versions !== undefined && resource.versions.length > 0) return resource.versions;
  const template = admission?.kind === 'admitted' ? admission.template : undefined;
  const offered =
    template?.spec.resources.find((one) => resourceGroupName(one) === resourceGroupName(resource))?.versions ?? [];
  return offered.some((version) => source.servedVersions.includes(version)) ? [] : offered;
}

/** Versions that the provider does not serve. */
export function versionProblem(
  name: string,
  wanted: readonly string[],
  source: Extract<SourceSchema, { kind: 'offered' }>,
): Extract<RequestProblem, { kind: 'versionNotServed' }> | undefined {
  const versions = wanted.filter((version) => !source.servedVersions.includes(version));
  return versions.length === 0
    ? undefined
    : { kind: 'versionNotServed', name, versions, served: source.servedVersions };
}

function exportProblem(
  request: APIServiceExportRequest,
  found: APIServiceExport | undefined,
): RequestProblem | undefined {
  if (found === undefined) return undefined;
  const { name, deletionTimestamp } = found.metadata;
  if (deletionTimestamp !== undefined) return { kind: 'exportTerminating', name };
  const differences = exportDifferences(request, found);
  return differences.length === 0 ? undefined : { kind: 'exportConflict', name, differences };
}
