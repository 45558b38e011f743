import {
  claimableResources,
  conditionReasons,
  conditionTypes,
  groupResourceString,
  type GroupResource,
  hawserAnnotations,
} from '@hawser/kube-bind';

/** A problem of a template. Closed. Requests for its sound parts are answered all the same. */
export type TemplateProblem =
  | { readonly kind: 'schemaNotFound'; readonly names: readonly string[] }
  | {
      readonly kind: 'versionNotServed';
      readonly name: string;
      readonly versions: readonly string[];
      readonly served: readonly string[];
    }
  | { readonly kind: 'schemaUnusable'; readonly name: string; readonly message: string }
  | { readonly kind: 'schemaUnserved'; readonly name: string; readonly message: string }
  | { readonly kind: 'differentScopes'; readonly scopes: readonly { readonly name: string; readonly scope: string }[] }
  | { readonly kind: 'otherScope'; readonly declared: string; readonly scope: string }
  | { readonly kind: 'approvalNotAsked' }
  | { readonly kind: 'invalidClaim'; readonly claim: GroupResource }
  | { readonly kind: 'duplicateClaim'; readonly claim: GroupResource };

/** Condition types of templates and collections; other programs set none on them (spec/kube-bind-backend.md §17.2). */
export const templateConditions = {
  /** Template: whether everything that it names can be requested. */
  offerable: 'Offerable',
  /** Template: whether its resources are in no other template. */
  unique: 'Unique',
  /** Collection: whether its templates exist. */
  templatesFound: 'TemplatesFound',
} as const;

export const ownReasons = {
  schemaUnserved: 'SchemaNotServed',
  scopeDiffers: 'ScopeDiffers',
  approvalNotAsked: 'ApprovalNotAsked',
  offeredTwice: 'OfferedTwice',
} as const;

export interface TemplateReport {
  readonly type: string;
  readonly reason: string;
  readonly severity: 'Error' | 'Warning';
  readonly message: string;
}

const { offerable } = templateConditions;

/**
 * The condition for a problem: what is wrong and what to do. The provider, who writes templates and CRDs, must always
 * act.
 */
export function reportTemplateProblem(problem: TemplateProblem): TemplateReport {
  switch (problem.kind) {
    case 'schemaNotFound':
      return error(
        offerable,
        conditionReasons.schemaNotFound,
        `No CRD ${problem.names.join(', ')} with the label kube-bind.io/exported=true exists; requests for it wait. Install and label the CRD, or take the resource out of the template.`,
      );
    case 'versionNotServed':
      return error(
        offerable,
        conditionReasons.schemaNotFound,
        `CRD ${problem.name} does not serve ${problem.versions.join(', ')}, only ${problem.served.join(', ')}. Serve it, or take it out of the template.`,
      );
    case 'schemaUnusable':
      return error(
        offerable,
        conditionReasons.boundSchemaNotFound,
        `CRD ${problem.name} cannot be exported: ${problem.message}`,
      );
    case 'schemaUnserved':
      return error(
        offerable,
        ownReasons.schemaUnserved,
        `The API server does not serve CRD ${problem.name}: ${problem.message}. Put it right, or remove the one that is in its way.`,
      );
    case 'differentScopes':
      return error(
        offerable,
        conditionReasons.differentScopes,
        `One export has one scope: ${problem.scopes.map(({ name, scope }) => `${name} is ${scope}`).join(', ')}. Make one template per scope.`,
      );
    case 'otherScope':
      return {
        type: offerable,
        reason: ownReasons.scopeDiffers,
        severity: 'Warning',
        message: `The template says scope ${problem.declared} to those who choose from it, and its resources are ${problem.scope}. Correct spec.scope; it decides nothing.`,
      };
    case 'approvalNotAsked':
      return {
        type: offerable,
        reason: ownReasons.approvalNotAsked,
        severity: 'Warning',
        message: `The annotation ${hawserAnnotations.approval} has no effect: with requestAdmission Exported, consumers get what is exported without a template. Set requestAdmission to Template, or take the annotation away.`,
      };
    case 'invalidClaim':
      return error(
        conditionTypes.permissionClaim,
        conditionReasons.invalidPermissionClaim,
        `${groupResourceString(problem.claim)} cannot be claimed; only ${claimableResources.join(', ')} of the core group can. Every request with this claim fails. Take it out of the template.`,
      );
    case 'duplicateClaim':
      return error(
        conditionTypes.permissionClaim,
        conditionReasons.duplicatePermissionClaim,
        `${groupResourceString(problem.claim)} is claimed more than once. Every request with both claims fails. Make it one claim.`,
      );
  }
}

function error(type: string, reason: string, message: string): TemplateReport {
  return { type, reason, severity: 'Error', message };
}
