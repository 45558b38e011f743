import type { Reason, ReasonSubject } from '../reason.js';
import { writesUndone } from './writes-undone.js';
import { rightsGranted } from './consumer-rights.js';

const permissionClaim = [
  {
    reason: 'InvalidPermissionClaim',
    cause: 'a claim on something other than core configmaps, secrets, serviceaccounts; final',
    actor: 'consumer',
    remedy: 'make a new request without it',
    event: 'Warning',
  },
  {
    reason: 'DuplicatePermissionClaim',
    cause: 'two claims on one resource; final',
    actor: 'consumer',
    remedy: 'make a new request with one',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const exportsReady = [
  {
    reason: 'MalformedRequest',
    cause:
      'the request has another shape than the contract says, at the place that the message names; the installed CRD is older or looser, or else the API server would have refused it. What was made for it stays',
    actor: 'consumer',
    remedy: 'delete it and make a sound one; the provider updates the CRDs',
    event: 'Warning',
  },
  {
    reason: 'DifferentScopes',
    cause: 'namespaced and cluster-scoped resources in one request; final',
    actor: 'consumer',
    remedy: 'make one request per scope',
    event: 'Warning',
  },
  {
    reason: 'InvalidNamespaceName',
    cause: '`spec.namespaces` has a name that no namespace can have, or that is too long once it is prefixed; final',
    actor: 'consumer',
    remedy: 'make a new request without it',
    event: 'Warning',
  },
  {
    reason: 'NoConsumer',
    cause: "admission `Template`: the namespace has no ClusterBinding, so that it is not a consumer's",
    actor: 'consumer',
    remedy: 'request in the namespace that the kubeconfig names',
    event: 'Warning',
  },
  {
    reason: 'NotOffered',
    cause: 'admission `Template`: no template names what is asked for',
    actor: 'provider',
    remedy: 'offer it in an APIServiceExportTemplate; or request what is offered',
    event: 'Warning',
  },
  {
    reason: 'ExceedsTemplate',
    cause:
      'admission `Template`: no template covers the resources, versions, claims and policy of the whole request; the message says what goes beyond each',
    actor: 'consumer',
    remedy: 'make a new request for what one template offers',
    event: 'Warning',
  },
  {
    reason: 'BindForbidden',
    cause:
      "admission `Template`: the consumer's ServiceAccount lacks the verb `bind` on the templates that cover the request; asked again every minute",
    actor: 'provider',
    remedy: 'grant `bind` on the template, or on a collection with it',
    event: 'Warning',
  },
  {
    reason: 'ApprovalRequired',
    cause:
      'admission `Template`: the template that covers the request has the annotation `hawser.dev/approval: required`, and the consumer is not approved for it; the message has the command',
    actor: 'provider',
    remedy: 'add the name of the template to the annotation `hawser.dev/approved-templates` of the ClusterBinding',
    event: 'Warning',
  },
  {
    reason: 'SchemaNotFound',
    cause: 'no exported CRD, or none that serves the version',
    actor: 'provider',
    remedy: 'label the CRD `kube-bind.io/exported=true`, or serve the version',
    event: 'Warning',
  },
  {
    reason: 'SchemaNotServed',
    cause: 'another CRD has the kind or the names of this one, so that the API server does not serve it',
    actor: 'provider',
    remedy: 'rename it, or remove the other one',
    event: 'Warning',
  },
  {
    reason: 'SchemaIncompatible',
    cause:
      'the CRD was made again with another scope or kind than the consumer has; nothing is changed for the consumer',
    actor: 'provider',
    remedy: 'restore the CRD, or offer the new one under another name',
    event: 'Warning',
  },
  {
    reason: 'BoundSchemaNotFound',
    cause:
      'the CRD cannot be exported: a BoundSchema cannot say it, its schema is not structural or larger than 1.4 MB, or its conversion webhook is a Service, which no consumer can call; or a BoundSchema is missing and its CRD is not exported any more',
    actor: 'provider',
    remedy: 'change or label the CRD',
    event: 'Warning',
  },
  {
    reason: 'NoPlaceForCopies',
    cause: 'a cluster-scoped CRD under isolation Namespaced, which puts all copies into one namespace',
    actor: 'provider',
    remedy: 'export it under isolation Prefixed or None, or make the CRD namespaced',
    event: 'Warning',
  },
  {
    reason: 'CRDNotFound',
    cause: 'request of Klutch: a template offers a CRD that does not exist',
    actor: 'provider',
    remedy: 'install the CRD, or take back the template',
    event: 'Warning',
  },
  {
    reason: 'CRDInvalid',
    cause:
      'request of Klutch: the CRD cannot be carried in an export, such as one without a version that is served and stored',
    actor: 'provider',
    remedy: 'change the CRD',
    event: 'Warning',
  },
  {
    reason: 'ExportConflict',
    cause: 'an export of that name has other resources or claims',
    actor: 'consumer',
    remedy: 'request under another name',
    event: 'Warning',
  },
  {
    reason: 'ExportTerminating',
    cause: 'the export is being deleted; it is made again afterwards',
    actor: 'nobody',
    remedy: 'wait',
    event: 'Warning',
  },
  {
    reason: 'ExportNotFound',
    cause: 'the export was deleted; the phase stays Succeeded',
    actor: 'consumer',
    remedy: 'delete the request and make it anew',
    event: 'Warning',
  },
  {
    reason: 'TooManyExports',
    cause:
      'as many exports were made for the consumer as may be (`provider.bounds.exportsPerConsumer`, 200); what it has stays. One counts until it is deleted',
    actor: 'provider',
    remedy: 'delete some that are not needed, or raise the bound',
    event: 'Warning',
  },
  {
    reason: 'TooManyNamespaces',
    cause:
      'with `spec.namespaces` of the request the consumer would have more namespaces than it may (`provider.bounds.namespacesPerConsumer`, 1000); no more are made',
    actor: 'consumer',
    remedy: 'request fewer, or delete APIServiceNamespaces that are not needed',
    event: 'Warning',
  },
  {
    reason: 'WriteRefused',
    cause: 'the API server refused a write, in its words; tried again with back-off',
    actor: 'provider',
    remedy: 'remove the cause',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const pace = [
  {
    reason: 'RequestsPaced',
    cause:
      'requests of the consumer came to be looked at more than 200 times at once, or five times a second since: they wait for their turn, those of others do not',
    actor: 'consumer',
    remedy: 'make fewer, and stop what makes them again and again',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

/** What is told by an Event is told on the export. */
const rightsOfExport = rightsGranted.filter((entry) => !('event' in entry));

export const requestReasons = [...permissionClaim, ...exportsReady, ...rightsOfExport, ...pace] as const;

export const requestSubject = {
  kind: 'APIServiceExportRequest',
  title: 'APIServiceExportRequest (on the provider)',
  intro:
    'Written by the provider role. Reasons that are final lead to phase `Failed`: make a new request. In all other states the provider goes on by itself once the cause is gone.',
  groups: [
    {
      condition: 'PermissionClaim',
      meaning: 'Whether what is claimed can be claimed. Absent if it can.',
      reasons: permissionClaim,
    },
    { condition: 'ExportsReady', meaning: 'Whether the export that is asked for exists.', reasons: exportsReady },
    {
      condition: 'RightsGranted',
      meaning:
        'Whether the consumer has the rights that it needs for what it asked for. While it is False, `Ready` is False and nothing is synced; the phase stays `Succeeded`. Absent where it always had them.',
      reasons: rightsOfExport,
    },
    { meaning: 'On the first of the requests that wait because one consumer makes too many.', reasons: pace },
    {
      condition: 'Stalled',
      meaning:
        'True once the phase is `Failed`, with the final reason: by this, tools that know no phase stop waiting. Absent otherwise.',
      reasons: [],
    },
    writesUndone,
  ],
} as const satisfies ReasonSubject;
