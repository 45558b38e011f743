import type { Reason, ReasonSubject } from '../reason.js';
import { writesUndone } from './writes-undone.js';

const permissionClaim = [
  {
    reason: 'InvalidPermissionClaim',
    cause: 'a claim on something other than core configmaps, secrets, serviceaccounts: every request with it fails',
    actor: 'provider',
    remedy: 'take it out of the template',
    event: 'Warning',
  },
  {
    reason: 'DuplicatePermissionClaim',
    cause: 'two claims on one resource: every request with both fails',
    actor: 'provider',
    remedy: 'make it one claim',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const offerable = [
  {
    reason: 'SchemaNotFound',
    cause: 'a CRD that does not exist or has no label `kube-bind.io/exported=true`, or does not serve the version',
    actor: 'provider',
    remedy: 'install and label the CRD, serve the version, or take it out of the template',
    event: 'Warning',
  },
  {
    reason: 'SchemaNotServed',
    cause: 'a CRD that the API server does not serve, because another one has its names',
    actor: 'provider',
    remedy: 'rename it, or remove the other one',
    event: 'Warning',
  },
  {
    reason: 'BoundSchemaNotFound',
    cause: 'a CRD that cannot be exported, as for a request',
    actor: 'provider',
    remedy: 'change the CRD',
    event: 'Warning',
  },
  {
    reason: 'DifferentScopes',
    cause: 'namespaced and cluster-scoped resources in one template',
    actor: 'provider',
    remedy: 'make one template per scope',
    event: 'Warning',
  },
  {
    reason: 'ApprovalNotAsked',
    cause:
      'the template has the annotation `hawser.dev/approval`, and `requestAdmission` is `Exported`, so that consumers need no template',
    actor: 'provider',
    remedy: 'set `requestAdmission` to `Template`, or take the annotation away',
    event: 'Warning',
  },
  {
    reason: 'ScopeDiffers',
    cause: '`spec.scope`, which decides nothing, is not that of the resources; severity Warning',
    actor: 'provider',
    remedy: 'correct it',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const unique = [
  {
    reason: 'OfferedTwice',
    cause: 'another template offers the same resource; severity empty, `Ready` does not suffer',
    actor: 'provider',
    remedy: 'take it out of one, unless they are meant for different consumers or claims',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const templatesFound = [
  {
    reason: 'TemplateNotFound',
    cause: 'a template of the collection does not exist; the others can be bound',
    actor: 'provider',
    remedy: 'make it, or take its name out of the collection',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const templateSubject = {
  kind: 'APIServiceExportTemplate',
  title: 'APIServiceExportTemplate (on the provider)',
  intro: 'Written by the provider role, and only on templates about which there was something to say at least once.',
  groups: [
    { condition: 'Offerable', meaning: 'Whether all that the template names can be requested.', reasons: offerable },
    { condition: 'PermissionClaim', meaning: 'Whether its claims can be made.', reasons: permissionClaim },
    { condition: 'Unique', meaning: 'Whether no other template offers the same.', reasons: unique },
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
