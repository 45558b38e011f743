import type { Reason, ReasonSubject } from '../reason.js';

const permissionClaim = [
  { reason: 'InvalidPermissionClaim', cause: 'a claim on something other than core configmaps, secrets, serviceaccounts; final', actor: 'consumer', remedy: 'make a new request without it' },
  { reason: 'DuplicatePermissionClaim', cause: 'two claims on one resource; final', actor: 'consumer', remedy: 'make a new request with one' },
] as const satisfies readonly Reason[];

const exportsReady = [
  { reason: 'DifferentScopes', cause: 'namespaced and cluster-scoped resources in one request; final', actor: 'consumer', remedy: 'make one request per scope' },
  { reason: 'InvalidNamespaceName', cause: '`spec.namespaces` has a name that no namespace can have; final', actor: 'consumer', remedy: 'make a new request without it' },
  { reason: 'SchemaNotFound', cause: 'no exported CRD, or none that serves the version', actor: 'provider', remedy: 'label the CRD `kube-bind.io/exported=true`, or serve the version' },
  { reason: 'BoundSchemaNotFound', cause: 'the CRD cannot be said in a BoundSchema; or a BoundSchema is missing and its CRD is not exported any more', actor: 'provider', remedy: 'change or label the CRD' },
  { reason: 'NoPlaceForCopies', cause: 'a cluster-scoped CRD under isolation Namespaced, which puts all copies into one namespace', actor: 'provider', remedy: 'export it under isolation Prefixed or None, or make the CRD namespaced' },
  { reason: 'ExportConflict', cause: 'an export of that name has other resources or claims', actor: 'consumer', remedy: 'request under another name' },
  { reason: 'ExportTerminating', cause: 'the export is being deleted; it is made again afterwards', actor: 'nobody', remedy: 'wait' },
  { reason: 'ExportNotFound', cause: 'somebody deleted the export; the phase stays Succeeded', actor: 'consumer', remedy: 'delete the request and make it anew' },
  { reason: 'WriteRefused', cause: 'the API server refused a write, in its words; tried again with back-off', actor: 'provider', remedy: 'remove the cause' },
] as const satisfies readonly Reason[];

export const requestReasons = [...permissionClaim, ...exportsReady] as const;

export const requestSubject = {
  kind: 'APIServiceExportRequest',
  title: 'APIServiceExportRequest (on the provider)',
  intro: 'Written by the provider role. Reasons that are final lead to phase `Failed`: make a new request. In all other states the provider goes on by itself once the cause is gone.',
  groups: [
    { condition: 'PermissionClaim', meaning: 'Whether what is claimed can be claimed. Absent if it can.', reasons: permissionClaim },
    { condition: 'ExportsReady', meaning: 'Whether the export that is asked for exists.', reasons: exportsReady },
  ],
} as const satisfies ReasonSubject;
