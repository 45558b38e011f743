import type { Reason, ReasonSubject } from '../reason.js';
import { heartbeating, informersSynced, secretValid } from './binding-connection.js';
import { namespaceReasons } from './binding-namespaces.js';
import { foreign, migrated, namesAccepted, schemaInSync, schemaUpdateHeld, storedVersions } from './binding-schemas.js';
import { claimGroups, claimReasons } from './claims.js';
import { writesUndoneOnConsumer } from './writes-undone.js';

const connected = [
  {
    reason: 'APIServiceExportNotFound',
    cause: "the provider has no export of the binding's name",
    actor: 'consumer',
    remedy: 'request it, or delete the binding',
    event: 'Warning',
  },
  {
    reason: 'APIServiceExportFailed',
    cause: 'the provider refused the request; its words are in the message',
    actor: 'consumer',
    remedy: 'make a request that the provider can answer',
    event: 'Warning',
  },
  {
    reason: 'MalformedExport',
    cause:
      "the export has another shape than the contract says, at the place that the message names; the provider's CRDs are older or looser, or else its API server would have refused it. CRDs and objects stay as they are, and what is synced goes on",
    actor: 'provider',
    remedy: 'correct the export, and update the CRDs',
    event: 'Warning',
  },
  {
    reason: 'APIServiceExportFetchFailed',
    cause: 'exports may not be read (401, 403)',
    actor: 'provider',
    remedy: 'grant `get`, `list`, `watch`',
    event: 'Warning',
  },
  foreign,
  {
    reason: 'ProtectedAPIGroup',
    cause:
      'the export names a group of Kubernetes or kcp (`*.k8s.io`, `*.kubernetes.io`, `*.kcp.io`) that the operator has not named, or one without a dot, `kube-bind.io` or `hawser.dev`, which are never open',
    actor: 'provider',
    remedy: 'offer it in another group; or the operator names the group in `konnector.allowedGroups`',
    event: 'Warning',
  },
  {
    reason: 'APIGroupNotAllowed',
    cause: 'the export names a group that is not in `konnector.allowedGroups`; a CRD that is installed stays as it is',
    actor: 'operator',
    remedy: 'add the group, if the provider may have it',
    event: 'Warning',
  },
  {
    reason: 'ConversionWebhookRefused',
    cause:
      "a BoundSchema has a conversion webhook, to which the consumer's API server would send objects; a CRD that is installed stays as it is",
    actor: 'provider',
    remedy: 'offer it without; or the operator sets `konnector.allowConversionWebhooks`',
    event: 'Warning',
  },
  {
    reason: 'ExportWithdrawn',
    cause:
      'the provider has withdrawn the export: its request was deleted, or the export was unbound before; nothing is synced, and nothing is deleted',
    actor: 'consumer',
    remedy: "ask for it again: `hawser bind`, or an APIServiceExportRequest of the binding's name",
    event: 'Warning',
  },
  {
    reason: 'RightsMissing',
    cause:
      'objects may not be read or written, and the provider says that it could not give all rights: condition `RightsGranted` of the export, whose reason and message are repeated',
    actor: 'provider',
    remedy:
      'do what `RightsGranted` asks for; most often ClusterRoles are missing: `hawser rbac --roles provider | kubectl apply -f -`',
    event: 'Warning',
  },
  ...schemaInSync,
] as const satisfies readonly Reason[];

/** About a bound resource as a whole: nothing of it is synced. */
const wholeResources = [
  {
    reason: 'NoPlaceForCopies',
    cause:
      'isolation, scope on the consumer and scope on the provider do not go together: copies under `None` and `Prefixed` are cluster-scoped, all others stand in a namespace; looked at again when the export changes, else at least every 10 min',
    actor: 'provider',
    remedy: 'offer the resource with the isolation, or the scope, that the message names',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenByProvider',
    cause:
      'copies may not be listed or watched (401, 403); the message names verb, resource and namespace; tried again by itself',
    actor: 'provider',
    remedy: 'grant it (`hawser rbac --roles provider | kubectl apply -f -`), or renew the credential',
    event: 'Warning',
  },
  {
    reason: 'NotServedByProvider',
    cause: 'the provider does not serve the resource (any more); tried again by itself',
    actor: 'provider',
    remedy: 'serve it with the scope that it was exported with',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenOnConsumer',
    cause: 'the bound resource may not be listed or watched; tried again by itself',
    actor: 'operator',
    remedy: 'grant it (`hawser rbac --side consumer | kubectl apply -f -`; chart: `boundResources`)',
    event: 'Warning',
  },
  {
    reason: 'NoServedVersion',
    cause: 'no version of the BoundSchema is served',
    actor: 'provider',
    remedy: 'serve one',
    event: 'Warning',
  },
  {
    reason: 'CustomResourceDefinitionNotEstablished',
    cause:
      "the consumer's API server does not accept the names of the CRD, in its words; without such words it is only not ready yet",
    actor: 'consumer',
    remedy: 'delete the other CRD that has them, or the binding',
    event: 'Warning',
  },
  {
    reason: 'UnknownIsolation',
    cause: 'the export asks for an isolation that this konnector does not know',
    actor: 'provider',
    remedy: 'offer it with another one',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

/** What the operator has asked for by annotations. */
const policiesValid = [
  {
    reason: 'UnknownPolicyValue',
    cause:
      'an annotation of the binding has a value that is not known; the message names both. The default holds, which loses nothing',
    actor: 'operator',
    remedy: 'correct the annotation',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const deletionsHeld = [
  {
    reason: 'TooManyOrphans',
    cause:
      'more copies without a consumer object than may be deleted in a minute (`konnector.orphans.deletionsPerMinute`): the consumer may have lost its objects, so none is deleted',
    actor: 'operator',
    remedy: 'restore the objects; or approve the deletion with the annotation that the message names',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const paused = [
  {
    reason: 'Paused',
    cause: 'the annotation `hawser.dev/paused` on the binding or the kubeconfig Secret wants nothing to be written',
    actor: 'operator',
    remedy: 'remove the annotation',
  },
] as const satisfies readonly Reason[];

/** Said only while a binding with an unbind policy is deleted, but `UnknownUnbindPolicy` and `WritesUndone`. */
const unbound = [
  {
    reason: 'ObjectsLeft',
    cause:
      'policy `Block`: the binding is deleted and there are still objects; the message counts them and names those that have been going for longest',
    actor: 'consumer',
    remedy:
      'delete the objects; or annotate the binding with `hawser.dev/unbind-policy=Delete` to have them deleted, `=Orphan` to let go of them',
    event: 'Warning',
  },
  {
    reason: 'DeletingObjects',
    cause: 'policy `Delete`: objects are being deleted, each with its copy',
    actor: 'nobody',
    remedy: 'wait; if it takes too long, the message says what holds the first',
    event: 'Normal',
  },
  {
    reason: 'ProviderUnavailable',
    cause: 'policy `Delete`: the provider cannot be worked with, so copies cannot be deleted; tried again by itself',
    actor: 'operator',
    remedy:
      'remove the cause that the message quotes; or let go with `hawser.dev/release=<reason>` on the binding, which records what is orphaned',
    event: 'Warning',
  },
  {
    reason: 'UnknownUnbindPolicy',
    cause:
      'the annotation `hawser.dev/unbind-policy` has none of the values that are known; it counts as `Block`, so that nothing is lost',
    actor: 'operator',
    remedy: 'correct the annotation',
    event: 'Warning',
  },
  {
    reason: 'WritesUndone',
    cause:
      'an admission webhook or policy takes the finalizer of the konnector off the binding, so the unbind policy has no effect',
    actor: 'operator',
    remedy: 'let the konnector set the finalizer `hawser.dev/unbind`',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenOnConsumer',
    cause: "the consumer's API server refuses what unbinding needs, in its words",
    actor: 'operator',
    remedy: 'grant it (chart: `unbinding.delete`)',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const orphaned = [
  {
    reason: 'ObjectsOrphaned',
    cause:
      'an unbinding was broken open by `hawser.dev/release`; the ConfigMap that the message names lists what was let go of',
    actor: 'provider',
    remedy: 'delete the copies that are not wanted',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const reports = [
  {
    reason: 'ReportRefusedByProvider',
    cause:
      'the provider does not let the konnector write the status of an export or BoundSchema (403): it does not hear how its schemas fare; objects are synced all the same',
    actor: 'provider',
    remedy: 'grant `patch` on `apiserviceexports/status` and `boundschemas/status`',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

/** Why a resource is not synced where another condition tells already. */
const silent = [
  {
    reason: 'NotBound',
    cause: 'no binding of this connection binds the export, or it is being deleted',
    actor: 'nobody',
    remedy: 'bind it, if it is meant to be bound',
  },
  {
    reason: 'BoundSchemaMissing',
    cause: 'the provider has no BoundSchema of that name; `SchemaInSync` tells',
    actor: 'provider',
    remedy: 'make it again',
  },
  {
    reason: 'CustomResourceDefinitionMissing',
    cause: 'the CRD is not installed yet; `SchemaInSync` tells if it cannot be',
    actor: 'nobody',
    remedy: 'wait',
  },
] as const satisfies readonly Reason[];

const ready = [
  {
    reason: 'Pending',
    cause: 'the konnector has not looked at the export yet: until `Connected` says something, `Ready` is not True',
    actor: 'nobody',
    remedy: 'wait; if it lasts, see `SecretValid` and `InformersSynced`',
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
  intro: `Written by the konnector. \`Ready\` sums up all conditions but \`ObjectsInSync\`, which has no severity. Each condition that becomes False is also a Warning Event on the
binding with the reason of the condition (Events about cluster-scoped objects are in namespace \`default\`), except for \`ObjectsInSync\`, whose resources and objects have Events of their own.`,
  groups: [
    { condition: 'Ready', meaning: 'The sum of the others; one that is False gives its reason.', reasons: ready },
    {
      condition: 'SecretValid',
      meaning:
        'Whether the Secret that the binding names holds a kubeconfig that may be used. While it is False, a connection that runs goes on with the last kubeconfig that worked.',
      reasons: secretValid,
    },
    {
      condition: 'InformersSynced',
      meaning: 'Whether the connection for this kubeconfig works.',
      reasons: informersSynced,
    },
    { condition: 'Heartbeating', meaning: 'Whether the provider hears of this consumer.', reasons: heartbeating },
    { condition: 'Connected', meaning: 'Whether the export that is bound can be used.', reasons: connected },
    {
      condition: 'SchemaInSync',
      meaning:
        "Whether the CRDs are as the provider's schemas say. Absent if the only trouble is a CRD that was never to be installed.",
      reasons: [
        ...schemaInSync,
        {
          reason: 'CustomResourceDefinitionTerminating',
          cause: 'the CRD is being deleted; severity Warning',
          actor: 'consumer',
          remedy: 'it is made again when it is gone; to unbind, delete the binding',
          event: 'Warning',
        },
      ],
    },
    {
      condition: 'ObjectsInSync',
      meaning: `False while a resource, or at least one object, is not in step and a person has to act. The message names first the resources that are not synced at all, then up
to three objects, and counts the rest; the reason is that of the first. Absent as long as there never was such a thing. It is written at most every 2 s, and has an empty severity, so
that it counts in no summary. The reasons of objects are those of [objects of bound APIs](#objects-of-bound-apis-on-the-consumer). Those of whole resources:`,
      reasons: wholeResources,
    },
    ...claimGroups,
    {
      condition: 'NamespacesInSync',
      meaning:
        'False while a namespace that the provider asks for is not made, or one that is gone leaves something on the provider; absent if that never was so. Counts in no summary.',
      reasons: namespaceReasons,
    },
    {
      condition: 'NamesAccepted',
      meaning:
        'False while a CRD is installed without some of the names that its provider asks for; absent if that never was so. Counts in no summary.',
      reasons: namesAccepted,
    },
    {
      condition: 'SchemaUpdateHeld',
      meaning: `True while a changed schema is not installed, by the policy of the annotation \`hawser.dev/schema-update\` (\`Safe\`, \`Always\` or \`Never\`; where there is none \`konnector.schemaUpdate\` holds);
the CRD stays as it is and goes on working, so that \`SchemaInSync\` and \`Ready\` are not concerned. Else absent.`,
      reasons: schemaUpdateHeld,
    },
    {
      condition: 'StoredVersionsMigrated',
      meaning:
        'False while objects cannot be stored anew after the storage version of a CRD has moved, where the operator wants that (`konnector.migrateStoredVersions`); else absent. Counts in no summary.',
      reasons: storedVersions,
    },
    {
      condition: 'PoliciesValid',
      meaning: 'False while an annotation that says a policy cannot be understood; else absent. Counts in no summary.',
      reasons: policiesValid,
    },
    {
      condition: 'DeletionsHeld',
      meaning:
        'True while the orphan policy is `Delete` and copies are kept nevertheless, because there are too many of them; else absent.',
      reasons: deletionsHeld,
    },
    {
      condition: 'Paused',
      meaning:
        'True while nothing is written for the objects of the binding, because an annotation pauses them; else absent.',
      reasons: paused,
    },
    {
      condition: 'Unbound',
      meaning:
        'False while unbinding under policy `Delete` or `Block` waits for something, or the policy cannot be understood; else absent. Counts in no summary.',
      reasons: unbound,
    },
    { meaning: 'Told by an Event alone:', reasons: [...orphaned, ...migrated, ...reports] },
    writesUndoneOnConsumer,
    {
      meaning:
        'Why a resource is not synced where another condition tells, or no action is needed: said by `hawser why` and in the log.',
      reasons: silent,
    },
  ],
} as const satisfies ReasonSubject;
