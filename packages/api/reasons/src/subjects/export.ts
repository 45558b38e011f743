import type { Reason, ReasonSubject } from '../reason.js';
import { writesUndone } from './writes-undone.js';
import { backendRights, objectsShared, rightsGranted } from './consumer-rights.js';

const connected = [
  {
    reason: 'APIServiceBindingNotFound',
    cause: 'no binding on the consumer uses the export; severity Info',
    actor: 'consumer',
    remedy: 'bind the export, if you want it',
  },
  {
    reason: 'NoPlaceForCopies',
    cause: 'see `ObjectsInSync` of the binding',
    actor: 'provider',
    remedy: 'offer the resource with the isolation or scope that the message names',
  },
  {
    reason: 'BoundSchemasNotValid',
    cause: 'the konnector cannot read a BoundSchema, or cannot write the state of its CRD to it',
    actor: 'provider',
    remedy: 'create the BoundSchema again, or grant the right that the message names',
  },
] as const satisfies readonly Reason[];

const consumerInSync = [
  {
    reason: 'NA',
    cause: 'no binding on the consumer uses the export; severity Info',
    actor: 'consumer',
    remedy: 'bind the export, if you want it',
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
    cause:
      'a BoundSchema of the export is missing. The provider role creates it again if the request exists and the CRD is exported',
    actor: 'provider',
    remedy: 'label the CRD `kube-bind.io/exported=true`',
  },
] as const satisfies readonly Reason[];

const unbound = [
  {
    reason: 'BindingGone',
    cause:
      'the consumer had bound the export, and its binding is gone. The policy of the binding decided whether its objects were deleted or kept',
    actor: 'nobody',
    remedy:
      "do nothing; the provider may withdraw the consumer's rights. Its own policy decides whether it keeps or deletes the objects",
  },
] as const satisfies readonly Reason[];

const withdrawal = [
  {
    reason: 'ExportWithdrawn',
    cause:
      'the consumer has unbound the export, or deleted its request. The provider role withdraws the rights of the consumer. Its objects stay, unless `hawser.dev/withdrawn-objects` is `Delete`',
    actor: 'provider',
    remedy: 'do nothing to keep the objects. To remove them, delete the objects, then the export',
    event: 'Normal',
  },
  {
    reason: 'ExportRestored',
    cause: 'the consumer has bound or requested a withdrawn export again',
    actor: 'nobody',
    remedy: 'do nothing',
    event: 'Normal',
  },
  {
    reason: 'RestoreRefused',
    cause:
      'the consumer uses a withdrawn export again, but a new request for it would be refused: no template offers it, or the consumer may not bind the template',
    actor: 'provider',
    remedy: 'offer the export by an APIServiceExportTemplate, and grant the consumer `bind` on it, if it should return',
    event: 'Warning',
  },
  {
    reason: 'RestorePaced',
    cause:
      'the consumer has unbound and bound the export, or deleted and made its request, more than ten times in ten minutes. The provider role now restores its rights only once a minute',
    actor: 'consumer',
    remedy: 'find out what repeats this',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const approve = '`hawser schema approve`: annotation `hawser.dev/schema-approved` with the hash in the message';

const schemaUpdateHeld = [
  {
    reason: 'IncompatibleSchemaChange',
    event: 'Warning',
    cause: 'the CRD has another group, kind, plural or scope. It is another API',
    actor: 'provider',
    remedy: 'offer it under a name of its own; no approval helps',
  },
  {
    reason: 'SchemaSourceGone',
    event: 'Warning',
    cause: 'the CRD is gone, or has lost the label `kube-bind.io/exported=true`. Hawser deletes nothing',
    actor: 'provider',
    remedy: 'restore the CRD or the label, or have the consumer unbind',
  },
  {
    reason: 'SchemaUnusable',
    event: 'Warning',
    cause: 'the CRD has something that cannot be exported',
    actor: 'provider',
    remedy: 'correct the CRD as the message says',
  },
  {
    reason: 'SchemaRolledBack',
    event: 'Warning',
    cause: 'the annotation `hawser.dev/schema-rejected` names the schema. The consumer keeps the previous schema',
    actor: 'provider',
    remedy: 'change the CRD; or remove the annotation to try again',
  },
  {
    reason: 'StoredObjectsInvalid',
    event: 'Warning',
    cause: 'the changed schema is compatible, but some objects of the consumer do not fit it',
    actor: 'consumer',
    remedy: 'correct the objects. The provider role checks them again every few minutes',
  },
  {
    reason: 'BreakingSchemaChange',
    event: 'Warning',
    cause: 'the API server may refuse stored objects or drop their values, or clients may miss a field',
    actor: 'provider',
    remedy: approve,
  },
  {
    reason: 'RolloutStopped',
    event: 'Warning',
    cause: 'a consumer that got the schema cannot apply it',
    actor: 'provider',
    remedy: 'run `hawser schema status`; then remove the cause, or reject the schema',
  },
  {
    reason: 'StoredObjectsUnread',
    event: 'Warning',
    cause: "the provider role cannot list the consumer's objects, or the CRD changed during each check of the objects",
    actor: 'provider',
    remedy: 'grant the provider role `list` on the resource, or stop changing the CRD',
  },
  {
    reason: 'RolloutWaits',
    event: 'Warning',
    cause: 'consumers of earlier steps have not reported yet that they serve the schema',
    actor: 'nobody',
    remedy: 'wait; for consumers that cannot report, set the annotation `hawser.dev/schema-proven`',
  },
  { reason: 'SchemaUpdatesOff', event: 'Warning', cause: 'the policy is `Never`', actor: 'provider', remedy: approve },
] as const satisfies readonly Reason[];

const policiesValid = [
  {
    reason: 'UnknownPolicyValue',
    event: 'Warning',
    cause: 'the annotation `hawser.dev/withdrawn-objects` is neither `Keep` nor `Delete`. It counts as `Keep`',
    actor: 'provider',
    remedy: 'correct the BoundSchema',
  },
] as const satisfies readonly Reason[];

const deletionsHeld = [
  {
    reason: 'TooManyWithdrawnObjects',
    event: 'Warning',
    cause:
      'more copies would be deleted than `provider.withdrawnObjects.deletionsPerMinute` allows. Hawser deletes none',
    actor: 'provider',
    remedy: 'approve the deletion with the annotation in the message, or set `hawser.dev/withdrawn-objects=Keep`',
  },
  {
    reason: 'OwnershipUnproven',
    event: 'Warning',
    cause:
      'nothing proves that the copies belong to this consumer: their annotations do not match, or do not name the consumer cluster. Copies of a Go konnector never name it',
    actor: 'provider',
    remedy: 'examine the copies and delete them by hand, or set `hawser.dev/withdrawn-objects=Keep`',
  },
  {
    reason: 'DeletionRefused',
    event: 'Warning',
    cause: 'the API server refuses to list or delete copies; the message quotes it',
    actor: 'provider',
    remedy: 'grant `list` and `delete` on the resource (chart: `withdrawnObjects.mayDelete`), or remove the cause',
  },
] as const satisfies readonly Reason[];

const withdrawnObjects = [
  {
    reason: 'WithdrawnObjectsDeleted',
    cause: 'the copies of an ended export are gone',
    actor: 'nobody',
    remedy: 'do nothing',
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
    'The konnector writes `Connected`, `ConsumerInSync` and `Unbound`. The provider role writes `ProviderInSync`, `SchemaUpdateHeld`, `DeletionsHeld`, `PoliciesValid`, `RightsGranted` and `ObjectsShared`.',
  groups: [
    { condition: 'Connected', meaning: 'Whether the consumer uses the export.', reasons: connected },
    {
      condition: 'ConsumerInSync',
      meaning: 'Copy of `SchemaInSync` of the binding, with its reasons. Further reasons:',
      reasons: consumerInSync,
    },
    {
      condition: 'ProviderInSync',
      meaning: 'Whether the provider has everything that the export names.',
      reasons: providerInSync,
    },
    {
      condition: 'SchemaUpdateHeld',
      meaning: 'True while a changed CRD does not reach the consumer; otherwise absent. Counts in no summary.',
      reasons: schemaUpdateHeld,
    },
    {
      condition: 'Unbound',
      meaning:
        'True after a binding of the export is gone. Absent before, and again after the next binding. A Go konnector never sets it.',
      reasons: unbound,
    },
    {
      meaning: 'The consumer has no rights for the export while the annotation `hawser.dev/withdrawn` exists.',
      reasons: withdrawal,
    },
    {
      condition: 'DeletionsHeld',
      meaning:
        'True while copies of an ended export exist although its policy for withdrawn objects is `Delete`; otherwise absent. Counts in no summary.',
      reasons: deletionsHeld,
    },
    {
      condition: 'PoliciesValid',
      meaning: 'False while an annotation has an unknown value; otherwise absent. Counts in no summary.',
      reasons: policiesValid,
    },
    { meaning: 'After everything of an ended export is gone.', reasons: withdrawnObjects },
    {
      condition: 'RightsGranted',
      meaning: 'Whether the consumer has the rights that the export needs. Absent if it always had them.',
      reasons: rightsGranted,
    },
    {
      condition: 'ObjectsShared',
      meaning:
        'True while other consumers see the objects or share their names; otherwise absent. Counts in no summary.',
      reasons: objectsShared,
    },
    {
      meaning:
        'On ClusterRoles and ClusterRoleBindings of another backend that grant rights to all consumers together.',
      reasons: backendRights,
    },
    writesUndone,
  ],
} as const satisfies ReasonSubject;

export const boundSchemaSubject = {
  kind: 'BoundSchema',
  title: 'BoundSchema (on the provider)',
  intro:
    "The konnector copies from the consumer's CRD: the conditions (`Established`, `NamesAccepted`, …) with their reasons, the accepted names and the stored versions. `Ready` sums the conditions up.",
  groups: [
    {
      condition: 'SchemaApplied',
      meaning:
        'True while the consumer serves the schema. The reason is then the hash of the schema, as in `kube-bind.io/source-spec-hash`. False while the consumer does not apply the schema. The message then begins with the hash. The reason is one of `Connected` or `SchemaInSync` of the binding, or the reason for which the consumer holds the schema. Counts in no summary. A Go konnector never writes it.',
      reasons: [],
    },
  ],
} as const satisfies ReasonSubject;
