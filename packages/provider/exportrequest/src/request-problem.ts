import {
  conditionReasons,
  conditionTypes,
  fixedNames,
  groupResourceString,
  hawserAnnotations,
  type GroupResource,
  claimableResources,
} from '@hawser/kube-bind';
import type { Refusal } from './observed-request.js';
import { type Coverage, describeExcess } from './template/coverage.js';

/** Why a request is not, or no longer, answered. Closed. */
export type RequestProblem =
  /** It does not match the contract's shape. */
  | { readonly kind: 'malformed'; readonly path: string; readonly message: string }
  | { readonly kind: 'invalidClaim'; readonly claim: GroupResource }
  | { readonly kind: 'duplicateClaim'; readonly claim: GroupResource }
  | { readonly kind: 'invalidNamespaceName'; readonly name: string }
  | { readonly kind: 'namespaceNameTooLong'; readonly name: string; readonly namespace: string }
  | { readonly kind: 'noConsumer'; readonly namespace: string }
  | { readonly kind: 'notOffered'; readonly names: readonly string[] }
  | { readonly kind: 'exceedsTemplate'; readonly coverages: readonly Coverage[] }
  | { readonly kind: 'bindForbidden'; readonly templates: readonly string[]; readonly user: string }
  | {
      readonly kind: 'unapproved';
      readonly template: string;
      readonly approved: ReadonlySet<string>;
      readonly namespace: string;
    }
  | { readonly kind: 'differentScopes'; readonly scopes: readonly { readonly name: string; readonly scope: string }[] }
  | { readonly kind: 'schemaNotFound'; readonly names: readonly string[] }
  | {
      readonly kind: 'versionNotServed';
      readonly name: string;
      readonly versions: readonly string[];
      readonly served: readonly string[];
    }
  | { readonly kind: 'schemaUnusable'; readonly name: string; readonly message: string }
  /** Without a message: it will be served in a moment. */
  | { readonly kind: 'schemaUnserved'; readonly name: string; readonly message: string | undefined }
  | { readonly kind: 'schemaIncompatible'; readonly name: string; readonly changes: readonly string[] }
  | { readonly kind: 'boundSchemaNotFound'; readonly name: string }
  | { readonly kind: 'noPlace'; readonly name: string }
  | { readonly kind: 'exportConflict'; readonly name: string; readonly differences: readonly string[] }
  | { readonly kind: 'exportTerminating'; readonly name: string }
  | { readonly kind: 'exportGone'; readonly name: string }
  /** The consumer has the maximum number of exports. */
  | { readonly kind: 'tooManyExports'; readonly most: number }
  /** With those of the request, the consumer would exceed its limit of APIServiceNamespaces. */
  | { readonly kind: 'tooManyNamespaces'; readonly most: number }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** How a problem is reported. */
export interface ProblemReport {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** Only a change of the request itself, which is immutable, could make it succeed. */
  readonly terminal: boolean;
}

/** Reasons that the Go backend does not have. */
export const ownReasons = {
  malformedRequest: 'MalformedRequest',
  invalidNamespaceName: 'InvalidNamespaceName',
  noConsumer: 'NoConsumer',
  notOffered: 'NotOffered',
  exceedsTemplate: 'ExceedsTemplate',
  bindForbidden: 'BindForbidden',
  approvalRequired: 'ApprovalRequired',
  schemaUnserved: 'SchemaNotServed',
  schemaIncompatible: 'SchemaIncompatible',
  noPlace: 'NoPlaceForCopies',
  exportConflict: 'ExportConflict',
  exportTerminating: 'ExportTerminating',
  exportNotFound: 'ExportNotFound',
  tooManyExports: 'TooManyExports',
  tooManyNamespaces: 'TooManyNamespaces',
  writeRefused: 'WriteRefused',
} as const;

const { exportsReady, permissionClaim } = conditionTypes;

/** Longest DNS label, in characters. */
export const longestNamespaceName = 63;

type Reports = {
  readonly [Kind in RequestProblem['kind']]: (
    problem: Extract<RequestProblem, { readonly kind: Kind }>,
  ) => ProblemReport;
};

const reports: Reports = {
  malformed: (problem) => waiting(exportsReady, ownReasons.malformedRequest, malformedMessage(problem)),
  invalidClaim: (problem) =>
    terminal(
      permissionClaim,
      conditionReasons.invalidPermissionClaim,
      `${groupResourceString(problem.claim)} cannot be claimed; only ${claimableResources.join(', ')} of the core group can. Make a new request without this claim.`,
    ),
  duplicateClaim: (problem) =>
    terminal(
      permissionClaim,
      conditionReasons.duplicatePermissionClaim,
      `${groupResourceString(problem.claim)} is claimed more than once. Make a new request with one claim for it.`,
    ),
  invalidNamespaceName: (problem) =>
    terminal(
      exportsReady,
      ownReasons.invalidNamespaceName,
      `"${problem.name}" cannot be the name of a namespace. Make a new request without it.`,
    ),
  namespaceNameTooLong: (problem) =>
    terminal(
      exportsReady,
      ownReasons.invalidNamespaceName,
      `The provider's namespace for "${problem.name}" would be "${problem.namespace}", with ${problem.namespace.length} characters; a namespace can have ${longestNamespaceName}. Make a new request with a shorter name.`,
    ),
  noConsumer: (problem) =>
    waiting(
      exportsReady,
      ownReasons.noConsumer,
      `Namespace ${problem.namespace} belongs to no consumer: it has no ClusterBinding. Make the request in the namespace that the consumer's kubeconfig names, or ask the provider to onboard the consumer.`,
    ),
  notOffered: (problem) =>
    waiting(
      exportsReady,
      ownReasons.notOffered,
      `No template of the provider offers ${problem.names.join(', ')}. Make a new request for what is offered, or ask the provider for an APIServiceExportTemplate.`,
    ),
  exceedsTemplate: (problem) =>
    waiting(
      exportsReady,
      ownReasons.exceedsTemplate,
      `No template covers the whole request: ${problem.coverages.map(({ template, excess }) => `${template.metadata.name} does not offer ${excess.map(describeExcess).join(', ')}`).join('; ')}. Make a new request for what one template offers, or ask the provider to offer more.`,
    ),
  bindForbidden: (problem) =>
    waiting(
      exportsReady,
      ownReasons.bindForbidden,
      `${problem.user} may not bind ${problem.templates.join(', ')}. The provider has to grant it the verb bind on ${problem.templates.length === 1 ? 'this APIServiceExportTemplate' : 'one of these APIServiceExportTemplates'}, or on a Collection with it.`,
    ),
  unapproved: (problem) =>
    waiting(
      exportsReady,
      ownReasons.approvalRequired,
      unapprovedMessage(problem.template, problem.approved, problem.namespace),
    ),
  differentScopes: (problem) =>
    terminal(
      exportsReady,
      conditionReasons.differentScopes,
      `The requested resources differ in scope: ${problem.scopes.map(({ name, scope }) => `${name} is ${scope}`).join(', ')}. Make one request per scope.`,
    ),
  schemaNotFound: (problem) =>
    waiting(
      exportsReady,
      conditionReasons.schemaNotFound,
      `The provider does not export ${problem.names.join(', ')}. The provider has to label the CRD ${problem.names.length === 1 ? '' : 'of each '}with kube-bind.io/exported=true.`,
    ),
  versionNotServed: (problem) =>
    waiting(
      exportsReady,
      conditionReasons.schemaNotFound,
      `The provider does not serve ${problem.versions.join(', ')} of ${problem.name}, only ${problem.served.join(', ')}. Make a new request for one of these, or ask the provider to serve what is missing.`,
    ),
  schemaUnusable: (problem) =>
    waiting(
      exportsReady,
      conditionReasons.boundSchemaNotFound,
      `The CRD ${problem.name} cannot be exported; the provider has to change it: ${problem.message}`,
    ),
  schemaUnserved: (problem) =>
    waiting(
      exportsReady,
      ownReasons.schemaUnserved,
      `The provider's API server does not serve ${problem.name}: ${problem.message ?? 'it has not looked at it yet'}. The provider has to put the CRD right, or to remove the one that is in its way.`,
    ),
  schemaIncompatible: (problem) =>
    waiting(
      exportsReady,
      ownReasons.schemaIncompatible,
      `The CRD ${problem.name} is another one than the consumer has: ${problem.changes.join(', ')}. Nothing is changed for the consumer. The provider has to restore the CRD, or to offer the new one under another name; or, to begin anew without the objects, to delete the export and its BoundSchema.`,
    ),
  boundSchemaNotFound: (problem) =>
    waiting(
      exportsReady,
      conditionReasons.boundSchemaNotFound,
      `BoundSchema ${problem.name} is missing, and no CRD is exported from which it could be made again. The provider has to label the CRD with kube-bind.io/exported=true.`,
    ),
  noPlace: (problem) =>
    waiting(
      exportsReady,
      ownReasons.noPlace,
      `${problem.name} is cluster-scoped on the provider, and under isolation Namespaced all copies lie in one namespace. The provider has to export it under isolation Prefixed or None, or offer a namespaced CRD.`,
    ),
  exportConflict: (problem) =>
    waiting(
      exportsReady,
      ownReasons.exportConflict,
      `APIServiceExport ${problem.name} exists and differs from this request in ${problem.differences.join(' and ')}. Make a request of another name, or ask the provider to delete the export.`,
    ),
  exportTerminating: (problem) =>
    waiting(
      exportsReady,
      ownReasons.exportTerminating,
      `APIServiceExport ${problem.name} is being deleted; it is made again once it is gone.`,
    ),
  exportGone: (problem) =>
    waiting(
      exportsReady,
      ownReasons.exportNotFound,
      `APIServiceExport ${problem.name} was deleted. To bind again, delete this request and make it anew.`,
    ),
  tooManyExports: (problem) =>
    waiting(
      exportsReady,
      ownReasons.tooManyExports,
      `${problem.most} exports were made for this consumer, and no more are (provider.bounds.exportsPerConsumer); those that it has go on working. Bind what one of them offers, or ask the provider to delete unused ones, or to raise the bound.`,
    ),
  tooManyNamespaces: (problem) =>
    waiting(
      exportsReady,
      ownReasons.tooManyNamespaces,
      `With spec.namespaces of this request the consumer would have more than ${problem.most} namespaces (provider.bounds.namespacesPerConsumer); no more are made. Make a new request with fewer, delete unused APIServiceNamespaces, or ask the provider to raise the bound.`,
    ),
  refused: (problem) =>
    waiting(
      exportsReady,
      ownReasons.writeRefused,
      `The provider's API server refused a write (${problem.refusal.message}). The provider has to remove the cause; it is tried again.`,
    ),
};

/** The condition for a problem (spec/kube-bind-backend.md §17.2): what is wrong, who must act, and what to do. */
export function reportProblem(problem: RequestProblem): ProblemReport {
  return (reports[problem.kind] as (one: RequestProblem) => ProblemReport)(problem);
}

/** Consumers write requests; what the API server accepts depends on the installed CRD. */
export function malformedMessage({ path, message }: { readonly path: string; readonly message: string }): string {
  return `This request cannot be used: ${path} ${message}. Consumer: delete it, and make one that says what the contract says. Provider: update the CRDs, which should have refused it. What was made for it stays.`;
}

function terminal(type: string, reason: string, message: string): ProblemReport {
  return { type, reason, message, terminal: true };
}

function waiting(type: string, reason: string, message: string): ProblemReport {
  return { type, reason, message, terminal: false };
}

/**
 * Explains that a template waits for the provider's approval, and how to give it. `resource`: of ClusterBindings, for
 * kubectl.
 */
export function unapprovedMessage(
  template: string,
  approved: ReadonlySet<string>,
  namespace: string,
  resource = 'clusterbinding.kube-bind.io',
): string {
  const command = `kubectl annotate ${resource} -n ${namespace} ${fixedNames.clusterBinding} --overwrite ${hawserAnnotations.approvedTemplates}=${[...approved, template].sort().join(',')}`;
  return `Template ${template} is given to a consumer only once the provider approves that. The provider approves it by: ${command}`;
}
