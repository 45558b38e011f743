import { type APIServiceExport, type APIServiceExportRequest, groupResourceString, isClaimable, resourceGroupName } from '@hawser/kube-bind';
import { exportDifferences } from './wanted-export.js';
import type { ObservedRequest, RequestSettings } from './observed-request.js';
import type { RequestProblem } from './request-problem.js';
import type { SourceSchema } from './source-schema.js';

/**
 * What keeps a pending request from being answered. What can never be right comes first, so that whoever asked is told at once and not when
 * the provider has put the rest in order (spec/kube-bind-backend.md §10.3, steps 4 and 5).
 */
export function validateRequest(settings: RequestSettings, request: APIServiceExportRequest, observed: ObservedRequest): RequestProblem | undefined {
  return claimProblem(request) ?? namespaceProblem(request) ?? schemaProblem(request, observed) ?? placeProblem(settings, request, observed) ?? exportProblem(request, observed.export);
}

function claimProblem(request: APIServiceExportRequest): RequestProblem | undefined {
  const claims = request.spec.permissionClaims ?? [];
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

const namespaceName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/u;

function namespaceProblem(request: APIServiceExportRequest): RequestProblem | undefined {
  const invalid = (request.spec.namespaces ?? []).find(({ name }) => !namespaceName.test(name));
  return invalid === undefined ? undefined : { kind: 'invalidNamespaceName', name: invalid.name };
}

function schemaProblem(request: APIServiceExportRequest, { sources }: ObservedRequest): RequestProblem | undefined {
  const missing = request.spec.resources.map(resourceGroupName).filter((name) => !sources.has(name));
  if (missing.length > 0) return { kind: 'schemaNotFound', names: [...new Set(missing)] };
  const scopes = new Map<string, string>();
  for (const resource of request.spec.resources) {
    const name = resourceGroupName(resource);
    const source = sources.get(name);
    if (source === undefined) continue;
    if (source.kind === 'unusable') return { kind: 'schemaUnusable', name, message: source.message };
    const problem = versionProblem(name, resource.versions ?? [], source);
    if (problem !== undefined) return problem;
    scopes.set(name, source.scope);
  }
  if (new Set(scopes.values()).size < 2) return undefined;
  return { kind: 'differentScopes', scopes: [...scopes].map(([name, scope]) => ({ name, scope })) };
}

/** Under `Namespaced` all copies lie in the cluster namespace (spec/konnector.md §8), where an object without namespace cannot. */
function placeProblem({ isolation }: RequestSettings, request: APIServiceExportRequest, { sources }: ObservedRequest): RequestProblem | undefined {
  if (isolation !== 'Namespaced') return undefined;
  const name = request.spec.resources.map(resourceGroupName).find((candidate) => {
    const source = sources.get(candidate);
    return source?.kind === 'offered' && source.scope === 'Cluster';
  });
  return name === undefined ? undefined : { kind: 'noPlace', name };
}

function versionProblem(name: string, wanted: readonly string[], source: Extract<SourceSchema, { kind: 'offered' }>): RequestProblem | undefined {
  const versions = wanted.filter((version) => !source.servedVersions.includes(version));
  return versions.length === 0 ? undefined : { kind: 'versionNotServed', name, versions, served: source.servedVersions };
}

function exportProblem(request: APIServiceExportRequest, found: APIServiceExport | undefined): RequestProblem | undefined {
  if (found === undefined) return undefined;
  const { name, deletionTimestamp } = found.metadata;
  if (deletionTimestamp !== undefined) return { kind: 'exportTerminating', name };
  const differences = exportDifferences(request, found);
  return differences.length === 0 ? undefined : { kind: 'exportConflict', name, differences };
}
