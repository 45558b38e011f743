import type { Reason, ReasonSubject } from '../reason.js';
import { heartbeating, informersSynced, secretValid } from './binding-connection.js';
import { namespaceReasons } from './binding-namespaces.js';
import { foreign, migrated, namesAccepted, schemaInSync, schemaUpdateHeld, storedVersions } from './binding-schemas.js';
import { claimGroups, claimReasons } from './claims.js';
import { writesUndoneOnConsumer } from './writes-undone.js';

const connected = [
  {
    reason: 'APIServiceExportNotFound',
    cause: 'the provider has no export with the name of the binding',
    actor: 'consumer',
    remedy: 'request the export, or delete the binding',
    event: 'Warning',
  },
  {
    reason: 'APIServiceExportFailed',
    cause: 'the provider refused the request; the message quotes it',
    actor: 'consumer',
    remedy: 'make a request that the provider can grant',
    event: 'Warning',
  },
  {
    reason: 'MalformedExport',
    cause:
      "a field of the export violates the contract; the message names the field. The provider's CRDs are too old or too loose: otherwise its API server would have refused the export. CRDs and objects stay as they are, and sync continues",
    actor: 'provider',
    remedy: 'correct the export, and update the CRDs',
    event: 'Warning',
  },
  {
    reason: 'APIServiceExportFetchFailed',
    cause: 'the konnector lacks the right to read exports (401, 403)',
    actor: 'provider',
    remedy: 'grant `get`, `list` and `watch`',
    event: 'Warning',
  },
  foreign,
  {
    reason: 'ProtectedAPIGroup',
    cause:
      'the export names a group of Kubernetes or kcp (`*.k8s.io`, `*.kubernetes.io`, `*.kcp.io`) that the operator has not allowed; or a group that is never allowed: one without a dot, `kube-bind.io` or `hawser.dev`',
    actor: 'provider',
    remedy: 'offer the resource in another group; or the operator adds the group to `konnector.allowedGroups`',
    event: 'Warning',
  },
  {
    reason: 'APIGroupNotAllowed',
    cause: 'the export names a group that is not in `konnector.allowedGroups`. An installed CRD stays as it is',
    actor: 'operator',
    remedy: 'add the group, if the provider may use it',
    event: 'Warning',
  },
  {
    reason: 'ConversionWebhookRefused',
    cause:
      "a BoundSchema has a conversion webhook, and the consumer's API server would send objects to it. An installed CRD stays as it is",
    actor: 'provider',
    remedy: 'offer the resource without the webhook; or the operator sets `konnector.allowConversionWebhooks`',
    event: 'Warning',
  },
  {
    reason: 'ExportWithdrawn',
    cause:
      'the provider has withdrawn the export, because its request was deleted or the export was unbound before. Hawser syncs nothing and deletes nothing',
    actor: 'consumer',
    remedy: 'request the export again: `hawser bind`, or an APIServiceExportRequest with the name of the binding',
    event: 'Warning',
  },
  {
    reason: 'RightsMissing',
    cause:
      'the konnector lacks rights on objects, and the provider reports that it could not grant all rights. The message quotes reason and message of condition `RightsGranted` of the export',
    actor: 'provider',
    remedy:
      'do what `RightsGranted` asks for. Most often ClusterRoles are missing: `hawser rbac --roles provider | kubectl apply -f -`',
    event: 'Warning',
  },
  ...schemaInSync,
] as const satisfies readonly Reason[];

/** Reasons why a bound resource does not sync at all. */
const wholeResources = [
  {
    reason: 'NoPlaceForCopies',
    cause:
      'the isolation and the scopes on consumer and provider do not fit: copies under `None` and `Prefixed` are cluster-scoped, all others stand in a namespace. The konnector checks again when the export changes, and at least every 10 min',
    actor: 'provider',
    remedy: 'offer the resource with the isolation or scope that the message names',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenByProvider',
    cause:
      'the konnector lacks the right to list or watch copies (401, 403); the message names verb, resource and namespace. The konnector retries',
    actor: 'provider',
    remedy: 'grant the right (`hawser rbac --roles provider | kubectl apply -f -`), or renew the credential',
    event: 'Warning',
  },
  {
    reason: 'NotServedByProvider',
    cause: 'the provider does not serve the resource, or no longer does. The konnector retries',
    actor: 'provider',
    remedy: 'serve it with the scope under which it was exported',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenOnConsumer',
    cause: 'the konnector lacks the right to list or watch the bound resource. It retries',
    actor: 'operator',
    remedy: 'grant the right (`hawser rbac --side consumer | kubectl apply -f -`; chart: `boundResources`)',
    event: 'Warning',
  },
  {
    reason: 'NoServedVersion',
    cause: 'the BoundSchema serves no version',
    actor: 'provider',
    remedy: 'serve a version',
    event: 'Warning',
  },
  {
    reason: 'CustomResourceDefinitionNotEstablished',
    cause:
      "the consumer's API server does not accept the names of the CRD; the message quotes it. Without a quote, the CRD is not ready yet",
    actor: 'consumer',
    remedy: 'delete the other CRD that uses these names, or delete the binding',
    event: 'Warning',
  },
  {
    reason: 'UnknownIsolation',
    cause: 'this konnector does not know the isolation of the export',
    actor: 'provider',
    remedy: 'offer the resource with another isolation',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

/** Policies that the operator sets by annotations. */
const policiesValid = [
  {
    reason: 'UnknownPolicyValue',
    cause:
      'an annotation of the binding has an unknown value; the message names both. The default applies, which loses nothing',
    actor: 'operator',
    remedy: 'correct the annotation',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const deletionsHeld = [
  {
    reason: 'TooManyOrphans',
    cause:
      'more copies lack their consumer object than the konnector may delete in a minute (`konnector.orphans.deletionsPerMinute`). The consumer may have lost its objects, so the konnector deletes none',
    actor: 'operator',
    remedy: 'restore the objects, or approve the deletion with the annotation in the message',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const paused = [
  {
    reason: 'Paused',
    cause: 'the annotation `hawser.dev/paused` on the binding or the kubeconfig Secret stops all writes',
    actor: 'operator',
    remedy: 'remove the annotation',
  },
] as const satisfies readonly Reason[];

/** Only while a binding with an unbind policy is being deleted, except `UnknownUnbindPolicy` and `WritesUndone`. */
const unbound = [
  {
    reason: 'ObjectsLeft',
    cause:
      'policy `Block`: the binding is being deleted, and objects still exist. The message counts them, and names those that have been terminating longest',
    actor: 'consumer',
    remedy:
      'delete the objects; or annotate the binding with `hawser.dev/unbind-policy=Delete`, which deletes them, or `=Orphan`, which lets go of them',
    event: 'Warning',
  },
  {
    reason: 'DeletingObjects',
    cause: 'policy `Delete`: the konnector is deleting the objects, each with its copy',
    actor: 'nobody',
    remedy: 'wait; if it takes too long, see in the message what holds the first object',
    event: 'Normal',
  },
  {
    reason: 'ProviderUnavailable',
    cause: 'policy `Delete`: the provider cannot be used, so the konnector cannot delete copies. It retries',
    actor: 'operator',
    remedy:
      'remove the cause in the message; or annotate the binding with `hawser.dev/release=<reason>`, which lets go and records the orphans',
    event: 'Warning',
  },
  {
    reason: 'UnknownUnbindPolicy',
    cause: 'the annotation `hawser.dev/unbind-policy` has an unknown value. It counts as `Block`, which loses nothing',
    actor: 'operator',
    remedy: 'correct the annotation',
    event: 'Warning',
  },
  {
    reason: 'WritesUndone',
    cause:
      "an admission webhook or policy removes the konnector's finalizer from the binding. The unbind policy has no effect",
    actor: 'operator',
    remedy: 'allow the konnector to set the finalizer `hawser.dev/unbind`',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenOnConsumer',
    cause: "the consumer's API server refuses a request of the unbinding; the message quotes it",
    actor: 'operator',
    remedy: 'grant the right (chart: `unbinding.delete`)',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const orphaned = [
  {
    reason: 'ObjectsOrphaned',
    cause:
      '`hawser.dev/release` ended an unbinding early. The ConfigMap in the message lists the objects that Hawser let go of',
    actor: 'provider',
    remedy: 'delete the copies that you do not want',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const reports = [
  {
    reason: 'ReportRefusedByProvider',
    cause:
      'the provider does not let the konnector write the status of an export or BoundSchema (403). The provider does not see whether its schemas work; sync continues',
    actor: 'provider',
    remedy: 'grant `patch` on `apiserviceexports/status` and `boundschemas/status`',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

/** Why a resource does not sync, where another condition already reports it. */
const silent = [
  {
    reason: 'NotBound',
    cause: 'no binding of this connection binds the export, or the binding is being deleted',
    actor: 'nobody',
    remedy: 'bind the export, if you want it',
  },
  {
    reason: 'BoundSchemaMissing',
    cause: 'the provider has no BoundSchema of that name; see `SchemaInSync`',
    actor: 'provider',
    remedy: 'create it again',
  },
  {
    reason: 'CustomResourceDefinitionMissing',
    cause: 'the CRD is not installed yet; `SchemaInSync` says if it cannot be',
    actor: 'nobody',
    remedy: 'wait',
  },
] as const satisfies readonly Reason[];

const ready = [
  {
    reason: 'Pending',
    cause: 'the konnector has not examined the export yet. `Ready` becomes True only after `Connected` is set',
    actor: 'nobody',
    remedy: 'wait; if it lasts, check `SecretValid` and `InformersSynced`',
  },
] as const satisfies readonly Reason[];

export const bindingReasons = [
  ...ready,
  ...secretValid,
  ...informersSynced,
  ...heartbeating,
  ...connected,
  ...wholeResources,
  ...namesAccepted,
  ...policiesValid,
  ...deletionsHeld,
  ...paused,
  ...unbound,
  ...orphaned,
  ...schemaUpdateHeld,
  ...storedVersions,
  ...migrated,
  ...reports,
  ...silent,
  ...claimReasons,
  ...namespaceReasons,
] as const;

export const bindingSubject = {
  kind: 'APIServiceBinding',
  title: 'APIServiceBinding (on the consumer)',
  intro:
    'The konnector writes it. `Ready` sums up all conditions except `ObjectsInSync`, which has no severity. When a condition becomes False, the konnector also writes a Warning Event on the binding with the same reason. Events about cluster-scoped objects are in namespace `default`. For `ObjectsInSync`, resources and objects have Events of their own.',
  groups: [
    {
      condition: 'Ready',
      meaning: 'Sum of the other conditions. It takes the reason of one that is False.',
      reasons: ready,
    },
    {
      condition: 'SecretValid',
      meaning:
        'Whether the Secret of the binding holds a kubeconfig that may be used. While it is False, a running connection keeps the last kubeconfig that worked.',
      reasons: secretValid,
    },
    {
      condition: 'InformersSynced',
      meaning: 'Whether the connection with this kubeconfig works.',
      reasons: informersSynced,
    },
    { condition: 'Heartbeating', meaning: 'Whether heartbeats reach the provider.', reasons: heartbeating },
    { condition: 'Connected', meaning: 'Whether the bound export can be used.', reasons: connected },
    {
      condition: 'SchemaInSync',
      meaning:
        "Whether the CRDs match the provider's schemas. Absent if the only problem is a CRD that must not be installed.",
      reasons: [
        ...schemaInSync,
        {
          reason: 'CustomResourceDefinitionTerminating',
          cause: 'the CRD is being deleted; severity Warning',
          actor: 'consumer',
          remedy: 'wait: the konnector creates the CRD again when it is gone. To unbind, delete the binding',
          event: 'Warning',
        },
      ],
    },
    {
      condition: 'ObjectsInSync',
      meaning:
        'False while a resource or an object is not in step and a person must act. The message first names the resources that do not sync at all, then up to three objects, and counts the rest. The reason is that of the first. Absent until the first such problem. The konnector writes it at most every 2 s. Its severity is empty, so it counts in no summary. For the reasons of objects see [objects of bound APIs](#objects-of-bound-apis-on-the-consumer). The reasons of whole resources:',
      reasons: wholeResources,
    },
    ...claimGroups,
    {
      condition: 'NamespacesInSync',
      meaning:
        'False while the konnector has not created a namespace that the provider asks for, or while a deleted namespace leaves something on the provider. Absent until the first such problem. Counts in no summary.',
      reasons: namespaceReasons,
    },
    {
      condition: 'NamesAccepted',
      meaning:
        'False while a CRD is installed without some of the names that its provider asks for. Absent until the first such case. Counts in no summary.',
      reasons: namesAccepted,
    },
    {
      condition: 'SchemaUpdateHeld',
      meaning:
        'True while the policy keeps a changed schema from being installed; otherwise absent. The annotation `hawser.dev/schema-update` sets the policy (`Safe`, `Always` or `Never`); without it, `konnector.schemaUpdate` applies. The CRD stays as it is and keeps working, so `SchemaInSync` and `Ready` do not change.',
      reasons: schemaUpdateHeld,
    },
    {
      condition: 'StoredVersionsMigrated',
      meaning:
        'False while objects cannot be stored again after the storage version of a CRD has changed; otherwise absent. Needs `konnector.migrateStoredVersions`. Counts in no summary.',
      reasons: storedVersions,
    },
    {
      condition: 'PoliciesValid',
      meaning: 'False while a policy annotation has an unknown value; otherwise absent. Counts in no summary.',
      reasons: policiesValid,
    },
    {
      condition: 'DeletionsHeld',
      meaning: 'True while the orphan policy is `Delete` but there are too many orphans to delete; otherwise absent.',
      reasons: deletionsHeld,
    },
    {
      condition: 'Paused',
      meaning: 'True while an annotation pauses all writes for the objects of the binding; otherwise absent.',
      reasons: paused,
    },
    {
      condition: 'Unbound',
      meaning:
        'False while unbinding under policy `Delete` or `Block` waits for something, or while the policy is unknown; otherwise absent. Counts in no summary.',
      reasons: unbound,
    },
    { meaning: 'Reported by an Event only:', reasons: [...orphaned, ...migrated, ...reports] },
    writesUndoneOnConsumer,
    {
      meaning:
        'Why a resource does not sync, where another condition reports it or no action is needed. Only `hawser why` and the log say so.',
      reasons: silent,
    },
  ],
} as const satisfies ReasonSubject;
