import type { Reason, ReasonSubject } from '../reason.js';
import { writesUndone } from './writes-undone.js';
import { rightsGranted } from './consumer-rights.js';

const permissionClaim = [
  {
    reason: 'InvalidPermissionClaim',
    cause: 'the request has a claim on something other than core configmaps, secrets, serviceaccounts; final',
    actor: 'consumer',
    remedy: 'make a new request without the claim',
    event: 'Warning',
  },
  {
    reason: 'DuplicatePermissionClaim',
    cause: 'the request has two claims on one resource; final',
    actor: 'consumer',
    remedy: 'make a new request with one claim',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const exportsReady = [
  {
    reason: 'MalformedRequest',
    cause:
      'a field of the request violates the contract; the message names the field. The installed CRD is too old or too loose: otherwise the API server would have refused the request. Objects that were made for the request stay',
    actor: 'consumer',
    remedy: 'delete the request and make a valid one; the provider updates the CRDs',
    event: 'Warning',
  },
  {
    reason: 'DifferentScopes',
    cause: 'the request has namespaced and cluster-scoped resources; final',
    actor: 'consumer',
    remedy: 'make one request per scope',
    event: 'Warning',
  },
  {
    reason: 'InvalidNamespaceName',
    cause: '`spec.namespaces` has a name that is invalid, or too long with its prefix; final',
    actor: 'consumer',
    remedy: 'make a new request without the claim',
    event: 'Warning',
  },
  {
    reason: 'NoConsumer',
    cause: 'admission `Template`: the namespace has no ClusterBinding, so it belongs to no consumer',
    actor: 'consumer',
    remedy: 'make the request in the namespace that the kubeconfig names',
    event: 'Warning',
  },
  {
    reason: 'NotOffered',
    cause: 'admission `Template`: no template names the requested resource',
    actor: 'provider',
    remedy: 'offer it in an APIServiceExportTemplate; or the consumer requests what a template offers',
    event: 'Warning',
  },
  {
    reason: 'ExceedsTemplate',
    cause:
      'admission `Template`: no template covers the resources, versions, claims and policy of the whole request. For each template, the message names the excess',
    actor: 'consumer',
    remedy: 'make a new request for what one template offers',
    event: 'Warning',
  },
  {
    reason: 'BindForbidden',
    cause:
      "admission `Template`: the consumer's ServiceAccount lacks the verb `bind` on the templates that cover the request. The provider role asks again every minute",
    actor: 'provider',
    remedy: 'grant `bind` on the template, or on a collection that contains it',
    event: 'Warning',
  },
  {
    reason: 'ApprovalRequired',
    cause:
      'admission `Template`: the template for the request has the annotation `hawser.dev/approval: required`, and the consumer is not approved for it. The message gives the command',
    actor: 'provider',
    remedy: 'add the name of the template to the annotation `hawser.dev/approved-templates` of the ClusterBinding',
    event: 'Warning',
  },
  {
    reason: 'SchemaNotFound',
    cause: 'no exported CRD matches, or none serves the version',
    actor: 'provider',
    remedy: 'label the CRD `kube-bind.io/exported=true`, or serve the version',
    event: 'Warning',
  },
  {
    reason: 'SchemaNotServed',
    cause: 'another CRD has the same kind or names, so the API server does not serve this CRD',
    actor: 'provider',
    remedy: 'rename the CRD, or remove the other one',
    event: 'Warning',
  },
  {
    reason: 'SchemaIncompatible',
    cause: 'the CRD was recreated with another scope or kind than the consumer has. Nothing changes for the consumer',
    actor: 'provider',
    remedy: 'restore the CRD, or offer the new one under another name',
    event: 'Warning',
  },
  {
    reason: 'BoundSchemaNotFound',
    cause:
      'the CRD cannot be exported: it has something that a BoundSchema cannot express, its schema is not structural or larger than 1.4 MB, or its conversion webhook is a Service, which no consumer can call. Or a BoundSchema is missing, and its CRD is no longer exported',
    actor: 'provider',
    remedy: 'change or label the CRD',
    event: 'Warning',
  },
  {
    reason: 'NoPlaceForCopies',
    cause: 'a cluster-scoped CRD under isolation `Namespaced`, which puts all copies into one namespace',
    actor: 'provider',
    remedy: 'export it under isolation `Prefixed` or `None`, or make the CRD namespaced',
    event: 'Warning',
  },
  {
    reason: 'CRDNotFound',
    cause: 'request of Klutch: a template offers a CRD that does not exist',
    actor: 'provider',
    remedy: 'install the CRD, or withdraw the template',
    event: 'Warning',
  },
  {
    reason: 'CRDInvalid',
    cause:
      'request of Klutch: an export cannot carry the CRD, for example because no version is both served and stored',
    actor: 'provider',
    remedy: 'change the CRD',
    event: 'Warning',
  },
  {
    reason: 'ExportConflict',
    cause: 'an export of that name has other resources or claims',
    actor: 'consumer',
    remedy: 'make the request under another name',
    event: 'Warning',
  },
  {
    reason: 'ExportTerminating',
    cause: 'the export is being deleted. The provider role creates it again afterwards',
    actor: 'nobody',
    remedy: 'wait',
    event: 'Warning',
  },
  {
    reason: 'ExportNotFound',
    cause: 'the export was deleted; the phase stays `Succeeded`',
    actor: 'consumer',
    remedy: 'delete the request and make it again',
    event: 'Warning',
  },
  {
    reason: 'TooManyExports',
    cause:
      'the consumer has reached its limit of exports (`provider.bounds.exportsPerConsumer`, 200). Its exports stay. An export counts until it is deleted',
    actor: 'provider',
    remedy: 'delete exports that are not needed, or raise the bound',
    event: 'Warning',
  },
  {
    reason: 'TooManyNamespaces',
    cause:
      'with `spec.namespaces` of the request the consumer would exceed its limit of namespaces (`provider.bounds.namespacesPerConsumer`, 1000). The provider role creates no more',
    actor: 'consumer',
    remedy: 'request fewer, or delete APIServiceNamespaces that you do not need',
    event: 'Warning',
  },
  {
    reason: 'WriteRefused',
    cause: 'the API server refused a write; the message quotes it. The provider role retries with back-off',
    actor: 'provider',
    remedy: 'remove the cause',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const pace = [
  {
    reason: 'RequestsPaced',
    cause:
      'the provider role had to examine requests of the consumer more than 200 times at once, or more than five times a second since. Requests of this consumer wait for their turn; those of others do not',
    actor: 'consumer',
    remedy: 'make fewer requests, and stop the client that repeats them',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

/** Without reasons that have an Event: the Event is on the export. */
const rightsOfExport = rightsGranted.filter((entry) => !('event' in entry));

export const requestReasons = [...permissionClaim, ...exportsReady, ...rightsOfExport, ...pace] as const;

export const requestSubject = {
  kind: 'APIServiceExportRequest',
  title: 'APIServiceExportRequest (on the provider)',
  intro:
    'The provider role writes it. A reason that is `final` leads to phase `Failed`: make a new request. In all other states the provider role continues by itself once the cause is gone.',
  groups: [
    {
      condition: 'PermissionClaim',
      meaning: 'Whether the claims can be made. Absent if they can.',
      reasons: permissionClaim,
    },
    { condition: 'ExportsReady', meaning: 'Whether the requested export exists.', reasons: exportsReady },
    {
      condition: 'RightsGranted',
      meaning:
        'Whether the consumer has the rights that its request needs. While it is False, `Ready` is False and nothing syncs; the phase stays `Succeeded`. Absent if the consumer always had them.',
      reasons: rightsOfExport,
    },
    { meaning: 'On the first waiting request of a consumer that makes too many.', reasons: pace },
    {
      condition: 'Stalled',
      meaning:
        'True after the phase becomes `Failed`, with the final reason; otherwise absent. Tools that do not know the phase stop waiting because of it.',
      reasons: [],
    },
    writesUndone,
  ],
} as const satisfies ReasonSubject;
