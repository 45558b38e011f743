import { conditionReasons, conditionTypes, groupResourceString, type GroupResource, claimableResources } from '@hawser/kube-bind';
import type { Refusal } from './observed-request.js';

/** Why a request is not, or no longer, answered. Closed. */
export type RequestProblem =
  | { readonly kind: 'invalidClaim'; readonly claim: GroupResource }
  | { readonly kind: 'duplicateClaim'; readonly claim: GroupResource }
  | { readonly kind: 'invalidNamespaceName'; readonly name: string }
  | { readonly kind: 'differentScopes'; readonly scopes: readonly { readonly name: string; readonly scope: string }[] }
  | { readonly kind: 'schemaNotFound'; readonly names: readonly string[] }
  | { readonly kind: 'versionNotServed'; readonly name: string; readonly versions: readonly string[]; readonly served: readonly string[] }
  | { readonly kind: 'schemaUnusable'; readonly name: string; readonly message: string }
  | { readonly kind: 'boundSchemaNotFound'; readonly name: string }
  | { readonly kind: 'noPlace'; readonly name: string }
  | { readonly kind: 'exportConflict'; readonly name: string; readonly differences: readonly string[] }
  | { readonly kind: 'exportTerminating'; readonly name: string }
  | { readonly kind: 'exportGone'; readonly name: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** How a problem is told. */
export interface ProblemReport {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** Nothing that anybody changes but the request itself, which is immutable, can make it succeed. */
  readonly terminal: boolean;
}

/** Reasons that the Go backend does not have. */
export const ownReasons = {
  invalidNamespaceName: 'InvalidNamespaceName',
  noPlace: 'NoPlaceForCopies',
  exportConflict: 'ExportConflict',
  exportTerminating: 'ExportTerminating',
  exportNotFound: 'ExportNotFound',
  writeRefused: 'WriteRefused',
} as const;

const { exportsReady, permissionClaim } = conditionTypes;

/** The condition for a problem (spec/kube-bind-backend.md §17.2): what is wrong, who must act, and what to do. */
export function reportProblem(problem: RequestProblem): ProblemReport {
  switch (problem.kind) {
    case 'invalidClaim':
      return terminal(permissionClaim, conditionReasons.invalidPermissionClaim, `${groupResourceString(problem.claim)} cannot be claimed; only ${claimableResources.join(', ')} of the core group can. Make a new request without this claim.`);
    case 'duplicateClaim':
      return terminal(permissionClaim, conditionReasons.duplicatePermissionClaim, `${groupResourceString(problem.claim)} is claimed more than once. Make a new request with one claim for it.`);
    case 'invalidNamespaceName':
      return terminal(exportsReady, ownReasons.invalidNamespaceName, `"${problem.name}" cannot be the name of a namespace. Make a new request without it.`);
    case 'differentScopes':
      return terminal(exportsReady, conditionReasons.differentScopes, `The requested resources differ in scope: ${problem.scopes.map(({ name, scope }) => `${name} is ${scope}`).join(', ')}. Make one request per scope.`);
    case 'schemaNotFound':
      return waiting(exportsReady, conditionReasons.schemaNotFound, `The provider does not export ${problem.names.join(', ')}. The provider has to label the CRD ${problem.names.length === 1 ? '' : 'of each '}with kube-bind.io/exported=true.`);
    case 'versionNotServed':
      return waiting(exportsReady, conditionReasons.schemaNotFound, `The provider does not serve ${problem.versions.join(', ')} of ${problem.name}, only ${problem.served.join(', ')}. Make a new request for one of these, or ask the provider to serve what is missing.`);
    case 'schemaUnusable':
      return waiting(exportsReady, conditionReasons.boundSchemaNotFound, `The CRD ${problem.name} cannot be exported; the provider has to change it: ${problem.message}`);
    case 'boundSchemaNotFound':
      return waiting(exportsReady, conditionReasons.boundSchemaNotFound, `BoundSchema ${problem.name} is missing, and no CRD is exported from which it could be made again. The provider has to label the CRD with kube-bind.io/exported=true.`);
    case 'noPlace':
      return waiting(exportsReady, ownReasons.noPlace, `${problem.name} is cluster-scoped on the provider, and under isolation Namespaced all copies lie in one namespace. The provider has to export it under isolation Prefixed or None, or offer a namespaced CRD.`);
    case 'exportConflict':
      return waiting(exportsReady, ownReasons.exportConflict, `APIServiceExport ${problem.name} exists and differs from this request in ${problem.differences.join(' and ')}. Make a request of another name, or ask the provider to delete the export.`);
    case 'exportTerminating':
      return waiting(exportsReady, ownReasons.exportTerminating, `APIServiceExport ${problem.name} is being deleted; it is made again once it is gone.`);
    case 'exportGone':
      return waiting(exportsReady, ownReasons.exportNotFound, `APIServiceExport ${problem.name} was deleted. To bind again, delete this request and make it anew.`);
    case 'refused':
      return waiting(exportsReady, ownReasons.writeRefused, `The provider's API server refused a write (${problem.refusal.message}). The provider has to remove the cause; it is tried again.`);
  }
}

function terminal(type: string, reason: string, message: string): ProblemReport {
  return { type, reason, message, terminal: true };
}

function waiting(type: string, reason: string, message: string): ProblemReport {
  return { type, reason, message, terminal: false };
}
