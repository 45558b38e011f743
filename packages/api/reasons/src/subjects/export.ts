import type { Reason, ReasonSubject } from '../reason.js';
import { writesUndone } from './writes-undone.js';
import { backendRights, objectsShared, rightsGranted } from './consumer-rights.js';

const connected = [
  {
    reason: 'APIServiceBindingNotFound',
    cause: 'no binding on the consumer uses the export; severity Info',
    actor: 'consumer',
    remedy: 'bind it, if it is meant to be bound',
  },
  {
    reason: 'NoPlaceForCopies',
    cause: 'as `ObjectsInSync` of the binding',
    actor: 'provider',
    remedy: 'offer the resource with the isolation, or the scope, that the message names',
  },
  {
    reason: 'BoundSchemasNotValid',
    cause: 'a BoundSchema cannot be read, or the state of its CRD cannot be written to it',
    actor: 'provider',
    remedy: 'make it again, or grant what is named',
  },
] as const satisfies readonly Reason[];

const consumerInSync = [
  {
    reason: 'NA',
    cause: 'no binding on the consumer uses the export; severity Info',
    actor: 'consumer',
    remedy: 'bind it, if it is meant to be bound',
  },
  {
    reason: 'Unknown',
    cause: 'the consumer has not reported on the schema yet; severity Info',
    actor: 'nobody',
    remedy: 'wait',
  },
] as const satisfies readonly Reason[];

const providerInSync = [
  {
    reason: 'BoundSchemaMissing',
    cause: 'a BoundSchema of the export is missing; made again while the request stands and the CRD is exported',
    actor: 'provider',
    remedy: 'label the CRD `kube-bind.io/exported=true`',
  },
] as const satisfies readonly Reason[];

const unbound = [
  {
    reason: 'BindingGone',
    cause:
      'the consumer had bound the export, and its binding is gone: its objects were let go of or deleted, as it says by its own policy',
    actor: 'nobody',
    remedy:
      "none needed; the provider may withdraw the consumer's rights, and keeps the objects or deletes them by its own policy",
  },
] as const satisfies readonly Reason[];

const withdrawal = [
  {
    reason: 'ExportWithdrawn',
    cause:
      'the consumer has unbound the export, or deleted the request for it: its rights are withdrawn; its objects stay, unless hawser.dev/withdrawn-objects is Delete',
    actor: 'provider',
    remedy: 'none needed; delete the objects, and then the export, if they are not to be kept',
    event: 'Normal',
  },
  {
    reason: 'ExportRestored',
    cause: 'a withdrawn export is bound or requested again',
    actor: 'nobody',
    remedy: 'nothing',
    event: 'Normal',
  },
  {
    reason: 'RestoreRefused',
    cause:
      'the consumer uses a withdrawn export again, and a new request for it would not be granted: no template offers it, or the consumer may not bind that',
    actor: 'provider',
    remedy:
      'if it is meant to come back, offer it by an APIServiceExportTemplate and grant the consumer `bind` on that',
    event: 'Warning',
  },
  {
    reason: 'RestorePaced',
    cause:
      'the consumer has unbound and bound the export, or deleted and made its request, more than ten times in ten minutes: its rights come back once a minute',
    actor: 'consumer',
    remedy: 'see what does that',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const approve = '`hawser schema approve`: annotation `hawser.dev/schema-approved` with the hash in the message';

const schemaUpdateHeld = [
  {
    reason: 'IncompatibleSchemaChange',
    event: 'Warning',
    cause: 'group, kind, plural or scope of the CRD are others: it is another API',
    actor: 'provider',
    remedy: 'offer it under a name of its own; no approval helps',
  },
  {
    reason: 'SchemaSourceGone',
    event: 'Warning',
    cause: 'the CRD is gone, or has no label `kube-bind.io/exported=true` any more; nothing is deleted',
    actor: 'provider',
    remedy: 'restore the CRD or the label, or have the consumer unbind',
  },
  {
    reason: 'SchemaUnusable',
    event: 'Warning',
    cause: 'the CRD says something that cannot be offered',
    actor: 'provider',
    remedy: 'correct the CRD as the message says',
  },
  {
    reason: 'SchemaRolledBack',
    event: 'Warning',
    cause: 'annotation `hawser.dev/schema-rejected` names the schema; the consumer has the one before',
    actor: 'provider',
    remedy: 'change the CRD, or remove the annotation to try again',
  },
  {
    reason: 'StoredObjectsInvalid',
    event: 'Warning',
    cause: "the change is safe by its shape, but some of the consumer's objects could not be created under it",
    actor: 'consumer',
    remedy: 'correct the objects; they are looked at again every few minutes',
  },
  {
    reason: 'BreakingSchemaChange',
    event: 'Warning',
    cause: 'stored objects may be refused or lose values, or clients find something gone',
    actor: 'provider',
    remedy: approve,
  },
  {
    reason: 'RolloutStopped',
    event: 'Warning',
    cause: 'a consumer that has got the schema cannot apply it',
    actor: 'provider',
    remedy: 'see `hawser schema status`; mend the cause, or reject the schema',
  },
  {
    reason: 'StoredObjectsUnread',
    event: 'Warning',
    cause: "the consumer's objects cannot be listed, or the CRD has changed each time while they were held against it",
    actor: 'provider',
    remedy: 'grant the provider role list on the resource, or let the CRD stay as it is',
  },
  {
    reason: 'RolloutWaits',
    event: 'Warning',
    cause: 'consumers of earlier steps have not reported that they serve the schema',
    actor: 'nobody',
    remedy: 'wait; for consumers that cannot report, annotation `hawser.dev/schema-proven`',
  },
  { reason: 'SchemaUpdatesOff', event: 'Warning', cause: 'the policy is `Never`', actor: 'provider', remedy: approve },
] as const satisfies readonly Reason[];

const policiesValid = [
  {
    reason: 'UnknownPolicyValue',
    event: 'Warning',
    cause: 'annotation `hawser.dev/withdrawn-objects` is neither `Keep` nor `Delete`; it counts as `Keep`',
    actor: 'provider',
    remedy: 'correct it',
  },
] as const satisfies readonly Reason[];

const deletionsHeld = [
  {
    reason: 'TooManyWithdrawnObjects',
    event: 'Warning',
    cause: 'more copies than `provider.withdrawnObjects.deletionsPerMinute` would go; none does',
    actor: 'provider',
    remedy: 'approve it with the annotation in the message, or set `hawser.dev/withdrawn-objects=Keep`',
  },
  {
    reason: 'OwnershipUnproven',
    event: 'Warning',
    cause:
      'copies are not proven to be of exactly this consumer: what their annotations say does not fit, or they do not say of which consumer cluster they are (a Go konnector never does)',
    actor: 'provider',
    remedy: 'look at them and delete them by hand, or set `hawser.dev/withdrawn-objects=Keep`',
  },
  {
    reason: 'DeletionRefused',
    event: 'Warning',
    cause: 'the API server refuses to list or delete copies, in its words',
    actor: 'provider',
    remedy:
      'grant `list` and `delete` on the resource (`withdrawnObjects.mayDelete` of the chart), or remove the cause',
  },
] as const satisfies readonly Reason[];

const withdrawnObjects = [
  {
    reason: 'WithdrawnObjectsDeleted',
    cause: 'the copies of an export that has ended are gone',
    actor: 'nobody',
    remedy: 'nothing',
    event: 'Normal',
  },
] as const satisfies readonly Reason[];

export const exportReasons = [
  ...connected,
  ...consumerInSync,
  ...providerInSync,
  ...schemaUpdateHeld,
  ...unbound,
  ...withdrawal,
  ...deletionsHeld,
  ...policiesValid,
  ...withdrawnObjects,
  ...rightsGranted,
  ...objectsShared,
  ...backendRights,
] as const;

export const exportSubject = {
  kind: 'APIServiceExport',
  title: 'APIServiceExport (on the provider)',
  intro:
    'The konnector writes `Connected`, `ConsumerInSync` and `Unbound`, the provider role `ProviderInSync`, `SchemaUpdateHeld`, `DeletionsHeld`, `PoliciesValid`, `RightsGranted` and `ObjectsShared`.',
  groups: [
    { condition: 'Connected', meaning: 'Whether the consumer uses the export.', reasons: connected },
    {
      condition: 'ConsumerInSync',
      meaning: '`SchemaInSync` of the binding, with its reasons; apart from these:',
      reasons: consumerInSync,
    },
    {
      condition: 'ProviderInSync',
      meaning: 'Whether the provider has all that the export names.',
      reasons: providerInSync,
    },
    {
      condition: 'SchemaUpdateHeld',
      meaning: 'True while a changed CRD does not reach the consumer; absent otherwise. No summary counts it.',
      reasons: schemaUpdateHeld,
    },
    {
      condition: 'Unbound',
      meaning:
        'True once a binding of the export has gone; absent before, and from the next binding on. A Go konnector never says so.',
      reasons: unbound,
    },
    {
      meaning: 'While the annotation `hawser.dev/withdrawn` stands, the consumer has no rights for the export.',
      reasons: withdrawal,
    },
    {
      condition: 'DeletionsHeld',
      meaning:
        'True while copies stay although the export has ended and its policy for withdrawn objects is `Delete`; absent otherwise. No summary counts it.',
      reasons: deletionsHeld,
    },
    {
      condition: 'PoliciesValid',
      meaning: 'False while an annotation has a value that is not known; absent otherwise. No summary counts it.',
      reasons: policiesValid,
    },
    { meaning: 'Once nothing is left of an export that has ended.', reasons: withdrawnObjects },
    {
      condition: 'RightsGranted',
      meaning: 'Whether the consumer has the rights that the export needs. Absent where it always had.',
      reasons: rightsGranted,
    },
    {
      condition: 'ObjectsShared',
      meaning:
        'True while other consumers see the objects, or share their names; absent otherwise. No summary counts it.',
      reasons: objectsShared,
    },
    {
      meaning:
        'On ClusterRoles and ClusterRoleBindings with rights that another backend gave to all consumers together.',
      reasons: backendRights,
    },
    writesUndone,
  ],
} as const satisfies ReasonSubject;

export const boundSchemaSubject = {
  kind: 'BoundSchema',
  title: 'BoundSchema (on the provider)',
  intro:
    "The konnector copies the conditions of the consumer's CRD (`Established`, `NamesAccepted`, …) with their reasons, its accepted names and stored versions, and sums them up in `Ready`.",
  groups: [
    {
      condition: 'SchemaApplied',
      meaning: `True when the consumer serves the schema: the reason is its hash (as in \`kube-bind.io/source-spec-hash\`). False when the consumer does not take it; the message begins with the hash, and the
reason is one of \`Connected\` or \`SchemaInSync\` of the binding, or why it is held there. Counts in no summary. A Go konnector never writes it.`,
      reasons: [],
    },
  ],
} as const satisfies ReasonSubject;
