import type { Reason, ReasonSubject } from '../reason.js';
import { writesUndone } from './writes-undone.js';

const permissionClaim = [
  {
    reason: 'InvalidPermissionClaim',
    cause:
      'a template claims something other than core configmaps, secrets, serviceaccounts. Every request with this claim fails',
    actor: 'provider',
    remedy: 'remove the claim from the template',
    event: 'Warning',
  },
  {
    reason: 'DuplicatePermissionClaim',
    cause: 'a template has two claims on one resource. Every request with both fails',
    actor: 'provider',
    remedy: 'merge the two claims',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const offerable = [
  {
    reason: 'SchemaNotFound',
    cause: 'a CRD does not exist, has no label `kube-bind.io/exported=true`, or does not serve the version',
    actor: 'provider',
    remedy: 'install and label the CRD, serve the version, or remove the resource from the template',
    event: 'Warning',
  },
  {
    reason: 'SchemaNotServed',
    cause: 'the API server does not serve a CRD, because another CRD has its names',
    actor: 'provider',
    remedy: 'rename the CRD, or remove the other one',
    event: 'Warning',
  },
  {
    reason: 'BoundSchemaNotFound',
    cause: 'a CRD cannot be exported, as for a request',
    actor: 'provider',
    remedy: 'change the CRD',
    event: 'Warning',
  },
  {
    reason: 'DifferentScopes',
    cause: 'the template has namespaced and cluster-scoped resources',
    actor: 'provider',
    remedy: 'make one template per scope',
    event: 'Warning',
  },
  {
    reason: 'ApprovalNotAsked',
    cause:
      'the template has the annotation `hawser.dev/approval`, but `requestAdmission` is `Exported`, so consumers need no template',
    actor: 'provider',
    remedy: 'set `requestAdmission` to `Template`, or remove the annotation',
    event: 'Warning',
  },
  {
    reason: 'ScopeDiffers',
    cause: '`spec.scope` differs from the scope of the resources; it decides nothing. Severity Warning',
    actor: 'provider',
    remedy: 'correct the BoundSchema',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const unique = [
  {
    reason: 'OfferedTwice',
    cause: 'another template offers the same resource. The severity is empty, and `Ready` does not change',
    actor: 'provider',
    remedy: 'remove the resource from one template, unless the two are meant for different consumers or claims',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const templatesFound = [
  {
    reason: 'TemplateNotFound',
    cause: 'a template of the collection does not exist. The others can be bound',
    actor: 'provider',
    remedy: 'create the template, or remove its name from the collection',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const templateSubject = {
  kind: 'APIServiceExportTemplate',
  title: 'APIServiceExportTemplate (on the provider)',
  intro: 'The provider role writes conditions only on templates that had a problem at least once.',
  groups: [
    { condition: 'Offerable', meaning: 'Whether every resource in the template can be requested.', reasons: offerable },
    { condition: 'PermissionClaim', meaning: 'Whether the claims can be made.', reasons: permissionClaim },
    { condition: 'Unique', meaning: 'Whether no other template offers the same resource.', reasons: unique },
    writesUndone,
  ],
} as const satisfies ReasonSubject;

export const collectionSubject = {
  kind: 'Collection',
  title: 'Collection (on the provider)',
  intro: 'As for templates.',
  groups: [
    { condition: 'TemplatesFound', meaning: 'Whether the templates of the collection exist.', reasons: templatesFound },
    writesUndone,
  ],
} as const satisfies ReasonSubject;
