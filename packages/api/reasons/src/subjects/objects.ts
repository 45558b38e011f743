import type { Reason, ReasonSubject } from '../reason.js';

export const objectReasons = [
  {
    reason: 'RejectedByProvider',
    cause: "the provider's API server or a webhook refuses the object; the message quotes it",
    actor: 'consumer',
    remedy: 'change the object',
    event: 'Warning',
  },
  {
    reason: 'SchemaChangeHeld',
    cause:
      "the provider's API server validates the object with a changed schema and refuses it. This cluster does not have that schema, because the change is held (`SchemaUpdateHeld` on the export or the binding). The message quotes the change",
    actor: 'provider',
    remedy:
      'let the change through, or take it back. If the binding holds it, the operator approves it there. Objects that fit both schemas sync',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenByProvider',
    cause:
      'the konnector lacks a right on the provider, a quota of the provider is used up, or the credential is no longer valid',
    actor: 'provider',
    remedy:
      'grant the right in the message (`hawser rbac --roles provider | kubectl apply -f -`), raise the quota, or renew the credential',
    event: 'Warning',
  },
  {
    reason: 'FailedOnProvider',
    cause: "the provider's API server refuses a request for another reason; the message quotes it",
    actor: 'provider',
    remedy: 'follow the message',
    event: 'Warning',
  },
  {
    reason: 'StatusRejected',
    cause: "the consumer's API server refuses the status that the provider reports",
    actor: 'provider',
    remedy: 'update the schema of the bound API',
    event: 'Warning',
  },
  {
    reason: 'RejectedOnConsumer',
    cause:
      "the consumer's API server or a webhook refuses what the konnector writes on the object: its finalizer, or the annotations that locate the copy. The konnector retries less and less often",
    actor: 'operator',
    remedy: "allow the konnector's write, with an exception in the webhook or policy in the message",
    event: 'Warning',
  },
  {
    reason: 'ForbiddenOnConsumer',
    cause: 'the konnector lacks a right on the consumer',
    actor: 'operator',
    remedy:
      'grant the right in the message (`hawser rbac --side consumer | kubectl apply -f -`; chart: `boundResources`)',
    event: 'Warning',
  },
  {
    reason: 'FailedOnConsumer',
    cause: "the consumer's API server refuses a request for another reason; the message quotes it",
    actor: 'operator',
    remedy: 'follow the message',
    event: 'Warning',
  },
  {
    reason: 'NamespacePending',
    cause: 'the provider has not assigned a namespace for 30 s',
    actor: 'provider',
    remedy:
      'check why the controller for APIServiceNamespaces does not answer; look at the Events on the APIServiceNamespace. Sync then continues by itself',
    event: 'Warning',
  },
  {
    reason: 'CopyTerminating',
    cause:
      'the copy has been terminating for 5 min; the message names the finalizers that hold it. Hawser does not remove them',
    actor: 'provider',
    remedy:
      'find out why the finalizers are not removed; the object then continues by itself. The consumer can let the object go before that with `hawser.dev/release: <reason>`',
    event: 'Warning',
  },
  {
    reason: 'ForeignCopy',
    cause:
      'another object stands in the place of the copy: it has no marks of Hawser, has the marks of another object, or a controller owns it',
    actor: 'consumer',
    remedy:
      'use another name, or have the provider remove the other object. If it has no owner, the operator can take it over: annotate the binding with `hawser.dev/conflict-policy: Adopt`',
    event: 'Warning',
  },
  {
    reason: 'ForeignObjectExists',
    event: 'Warning',
    cause: 'in `core.kbind.io`: an object without marks of Hawser stands in the place of the copy',
    actor: 'consumer',
    remedy:
      'rename the object, have the provider remove the other one, or set `spec.conflictPolicy: Adopt` on the binding',
  },
  {
    reason: 'OwnedByAnother',
    event: 'Warning',
    cause:
      'in `core.kbind.io`: the copy of another object or of another consumer cluster stands in the place of the copy',
    actor: 'consumer',
    remedy: 'rename the object, or have the provider remove the other one',
  },
  {
    reason: 'ObjectsElsewhere',
    cause:
      'under `core.kbind.io`: the copy is at another Connection than the bindings select. The copy stays, and stays in step while a binding leads to its Connection. Or the object was deleted during a move, and waits until its other copy is gone',
    actor: 'operator',
    remedy:
      'move the object: `hawser move NAMESPACE/NAME --to CONNECTION`. Or change labels or selectors until a binding to the Connection of the copy selects it',
    event: 'Warning',
  },
  {
    reason: 'CopyOfAnotherCluster',
    cause:
      'the copy belongs to another consumer cluster with the same kubeconfig. Hawser neither writes nor deletes it',
    actor: 'operator',
    remedy:
      'ask the provider for one kubeconfig per cluster. If this cluster replaces the other one, annotate the binding or the kubeconfig Secret with `hawser.dev/former-consumer-identity: <uid of the other cluster>`',
    event: 'Warning',
  },
  {
    reason: 'NameTooLong',
    cause: 'under `Prefixed` the name of the copy would have more than 253 characters',
    actor: 'consumer',
    remedy: 'recreate the object with a shorter name',
    event: 'Warning',
  },
  {
    reason: 'Drifting',
    cause:
      'another writer on the provider keeps changing fields that the consumer set. Hawser restores them less and less often',
    actor: 'provider',
    remedy: 'find the other writer (managedFields name it), and agree on one owner',
    event: 'Warning',
  },
  {
    reason: 'TooDeep',
    cause: 'the object or its copy is nested deeper than 500 levels. It stays as it is, and other objects sync',
    actor: 'consumer',
    remedy: 'nest the object less deeply',
    event: 'Warning',
  },
  {
    reason: 'NotHandled',
    cause:
      'an error in Hawser prevents it from handling the object. The object stays as it is, and other objects sync. Hawser retries less and less often',
    actor: 'operator',
    remedy: 'find the error in the log, and report it',
    event: 'Warning',
  },
  {
    reason: 'KeepsFailing',
    cause:
      'a request failed 8 times in a row with an error that usually passes, such as an unreachable webhook (500). Hawser retries less and less often',
    actor: 'provider',
    remedy: 'follow the message; the operator acts where it names the consumer',
    event: 'Warning',
  },
  {
    reason: 'WritesUndone',
    cause:
      'a write of the konnector does not stay, for example its finalizer: an admission webhook or policy, or another client in the message, undoes it each time. The konnector writes again less and less often, but at least every 5 min',
    actor: 'operator',
    remedy: "allow the konnector's write; the provider does so where the message names the provider",
    event: 'Warning',
  },
  {
    reason: 'NoProgress',
    cause: 'the konnector takes step after step for the object without a result. It retries less and less often',
    actor: 'operator',
    remedy: "find the object in the konnector's log, and report it",
    event: 'Warning',
  },
  {
    reason: 'FieldContested',
    cause:
      'two writers fight over a field of the copy: Hawser restored it 5 times in a minute. The message names the other field manager. Hawser leaves the copy alone for 5 min, then longer each time',
    actor: 'provider',
    remedy: 'agree on one owner; or the operator names the field in `hawser.dev/drift-ignore` on the binding',
    event: 'Warning',
  },
  {
    reason: 'Drifted',
    cause:
      'another writer on the provider has changed a field that the consumer set, and the drift policy of the binding is `Report`',
    actor: 'provider',
    remedy: 'restore the field; or the consumer changes the object, or the operator changes the policy',
    event: 'Warning',
  },
  {
    reason: 'ConflictSkipped',
    cause: 'as `ForeignCopy`, but the conflict policy of the binding is `Skip`. Only `hawser why` reports it',
    actor: 'nobody',
    remedy: 'wait: the object syncs when the other one is gone',
  },
  {
    reason: 'Paused',
    cause:
      'the annotation `hawser.dev/paused` on the object, its binding or the kubeconfig Secret stops all writes. Deletions wait too',
    actor: 'operator',
    remedy: 'remove the annotation; `hawser plan` shows the writes that wait',
    event: 'Warning',
  },
  {
    reason: 'CustomResourceDefinitionTerminating',
    cause: 'the CRD is being deleted, and this object with it. Hawser does not pass this deletion on',
    actor: 'consumer',
    remedy:
      'delete the APIServiceBinding to let go of its objects, or annotate this object with `hawser.dev/release: <reason>`',
    event: 'Warning',
  },
  {
    reason: 'CopyUnknown',
    cause:
      'the object is being deleted. The provider no longer says in which namespace its copy was, and does not answer the new APIServiceNamespace',
    actor: 'provider',
    remedy:
      'check why the controller for APIServiceNamespaces does not answer; or the consumer annotates the object with `hawser.dev/release: <reason>`',
    event: 'Warning',
  },
  {
    reason: 'Orphaned',
    cause:
      'a copy of this consumer has no consumer object. Hawser keeps it, unless the operator has orphans deleted (`--orphan-policy=Delete`); the message says which. There is no Event, because the object for it is missing',
    actor: 'consumer',
    remedy: 'recreate the object to use the copy again, or have the copy deleted on the provider',
  },
] as const satisfies readonly Reason[];

export const objectSubject = {
  kind: 'BoundObject',
  title: 'Objects of bound APIs (on the consumer)',
  intro:
    "The provider owns the `status` of a user's object, so Hawser writes no conditions there. Each of these reasons is a Warning **Event** on the consumer object, and counts in `ObjectsInSync` of the binding. `hawser why` gives the same reason for one object.",
  groups: [
    {
      meaning:
        'Hawser retries after conflicts, overload, time-outs and while a server cannot be reached, and does not report these here. See the conditions of the connection, and the metric `hawser_sync_oldest_unsynced_seconds`.',
      reasons: objectReasons,
    },
  ],
} as const satisfies ReasonSubject;
