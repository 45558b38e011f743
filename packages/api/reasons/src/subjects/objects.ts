import type { Reason, ReasonSubject } from '../reason.js';

export const objectReasons = [
  {
    reason: 'RejectedByProvider',
    cause: "the provider's API server or a webhook refuses the object, in its words",
    actor: 'consumer',
    remedy: 'change the object',
    event: 'Warning',
  },
  {
    reason: 'SchemaChangeHeld',
    cause:
      "the provider's API server refuses the object by a changed schema that this cluster does not have, because the change is held (`SchemaUpdateHeld` on the export or the binding); the message quotes the change",
    actor: 'provider',
    remedy:
      'let the change through, or take it back; where the binding holds it, the operator approves it there. An object that fits both schemas is synced',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenByProvider',
    cause: 'a right is missing on the provider, its quota is used up, or the credential is no longer valid',
    actor: 'provider',
    remedy:
      'grant the right that is named (`hawser rbac --roles provider | kubectl apply -f -`), raise the quota, or renew the credential',
    event: 'Warning',
  },
  {
    reason: 'FailedOnProvider',
    cause: "another refusal of the provider's API server, in its words",
    actor: 'provider',
    remedy: 'see the message',
    event: 'Warning',
  },
  {
    reason: 'StatusRejected',
    cause: "the consumer's API server refuses what the provider reports",
    actor: 'provider',
    remedy: 'bring the schema of the bound API up to date',
    event: 'Warning',
  },
  {
    reason: 'RejectedOnConsumer',
    cause:
      "the consumer's API server or a webhook refuses what the konnector writes on the object: its finalizer, or the annotations that say where the copy is; tried again ever less often",
    actor: 'operator',
    remedy: 'let the konnector write that: an exception in the webhook or policy that the message names',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenOnConsumer',
    cause: 'the konnector lacks a right on the consumer',
    actor: 'operator',
    remedy: 'grant what is named (`hawser rbac --side consumer | kubectl apply -f -`; chart: `boundResources`)',
    event: 'Warning',
  },
  {
    reason: 'FailedOnConsumer',
    cause: "another refusal of the consumer's API server, in its words",
    actor: 'operator',
    remedy: 'see the message',
    event: 'Warning',
  },
  {
    reason: 'NamespacePending',
    cause: 'the provider has not assigned a namespace for 30 s',
    actor: 'provider',
    remedy: 'see why its controller does not answer; Events on the APIServiceNamespace may tell. Goes on by itself',
    event: 'Warning',
  },
  {
    reason: 'CopyTerminating',
    cause:
      'the copy has been terminating for 5 min; the message names the finalizers that hold it. Nothing here removes them',
    actor: 'provider',
    remedy:
      'find out why the finalizers are not removed. The object goes on by itself then; the consumer can let it go before that by `hawser.dev/release: <reason>`',
    event: 'Warning',
  },
  {
    reason: 'ForeignCopy',
    cause:
      'another object stands in the place of the copy: it has no marks, or those of another object, or a controller owns it',
    actor: 'consumer',
    remedy:
      'use another name, or have the provider remove that one; if it has no owner, the operator can have it taken over by the annotation `hawser.dev/conflict-policy: Adopt` on the binding',
    event: 'Warning',
  },
  {
    reason: 'ForeignObjectExists',
    event: 'Warning',
    cause: 'in `core.kbind.io`: an object that nobody has marked stands in the place of the copy',
    actor: 'consumer',
    remedy: 'rename the object, have the provider remove that one, or set `spec.conflictPolicy: Adopt` on the binding',
  },
  {
    reason: 'OwnedByAnother',
    event: 'Warning',
    cause:
      'in `core.kbind.io`: the copy of another object, or of another consumer cluster, stands in the place of the copy',
    actor: 'consumer',
    remedy: 'rename the object, or have the provider remove that one',
  },
  {
    reason: 'ObjectsElsewhere',
    cause:
      'under `core.kbind.io`: the copy is at another Connection than the bindings lead to. The copy stays, and is kept in step as long as a binding leads to its Connection. Or the object is deleted while it moves, and waits until its other copy is gone',
    actor: 'operator',
    remedy:
      'move the object: `hawser move NAMESPACE/NAME --to CONNECTION`; or change labels or selectors, so that a binding to the Connection of the copy selects it',
    event: 'Warning',
  },
  {
    reason: 'CopyOfAnotherCluster',
    cause:
      'the copy in this place belongs to another consumer cluster with the same kubeconfig. Hawser neither writes nor deletes it',
    actor: 'operator',
    remedy:
      'ask the provider for one kubeconfig for each cluster; or, if this cluster has taken the place of the other one, annotate the binding or the kubeconfig Secret with `hawser.dev/former-consumer-identity: <uid of the other cluster>`',
    event: 'Warning',
  },
  {
    reason: 'NameTooLong',
    cause: "under `Prefixed` the copy's name would have more than 253 characters",
    actor: 'consumer',
    remedy: 'recreate the object with a shorter name',
    event: 'Warning',
  },
  {
    reason: 'Drifting',
    cause: 'another writer on the provider keeps changing what the consumer set; it is put back less and less often',
    actor: 'provider',
    remedy: 'find out who writes (managedFields tell), and agree on one owner',
    event: 'Warning',
  },
  {
    reason: 'TooDeep',
    cause: 'the object or its copy is nested deeper than 500 levels; it stays as it is, and other objects go on',
    actor: 'consumer',
    remedy: 'nest it less deeply',
    event: 'Warning',
  },
  {
    reason: 'NotHandled',
    cause:
      'an error in Hawser keeps it from handling the object; it stays as it is, other objects go on, and it is tried again ever less often',
    actor: 'operator',
    remedy: 'find the error in the log, and report it',
    event: 'Warning',
  },
  {
    reason: 'KeepsFailing',
    cause:
      'a request failed 8 times in a row in a way that usually passes, as where a webhook cannot be reached (500); it is tried again ever less often',
    actor: 'provider',
    remedy: 'see the message; the operator, where it names the consumer',
    event: 'Warning',
  },
  {
    reason: 'WritesUndone',
    cause:
      'what the konnector writes does not stay, such as its finalizer: an admission webhook or policy, or another client that the message names, undoes it each time. It is written again ever less often, 5 min at most',
    actor: 'operator',
    remedy: 'let that pass for the konnector; the provider, where the message names the provider',
    event: 'Warning',
  },
  {
    reason: 'NoProgress',
    cause: 'the object goes from step to step, and nothing comes of it; tried again ever less often',
    actor: 'operator',
    remedy: 'see the log of the konnector for the object, and report it',
    event: 'Warning',
  },
  {
    reason: 'FieldContested',
    cause:
      'two writers fight over a field of the copy: it was put back as often as 5 times in a minute. The message names the other field manager; the copy is left as it is for 5 min, then ever longer',
    actor: 'provider',
    remedy: 'agree on one owner; or the operator names the field in `hawser.dev/drift-ignore` on the binding',
    event: 'Warning',
  },
  {
    reason: 'Drifted',
    cause:
      'another writer on the provider has changed what the consumer set, and the drift policy of the binding is `Report`',
    actor: 'provider',
    remedy: 'put it back; or the consumer changes the object, or the operator the policy',
    event: 'Warning',
  },
  {
    reason: 'ConflictSkipped',
    cause: 'as `ForeignCopy`, but the conflict policy of the binding is `Skip`: only `hawser why` tells',
    actor: 'nobody',
    remedy: 'the object is synced once the other one goes',
  },
  {
    reason: 'Paused',
    cause:
      'the annotation `hawser.dev/paused` on the object, its binding or the kubeconfig Secret wants nothing to be written; deletions wait too',
    actor: 'operator',
    remedy: 'remove the annotation; `hawser plan` shows what is held back',
    event: 'Warning',
  },
  {
    reason: 'CustomResourceDefinitionTerminating',
    cause: 'the CRD is being deleted, and with it this object; that is not passed on',
    actor: 'consumer',
    remedy:
      'delete the APIServiceBinding to let go of its objects, or annotate this one with `hawser.dev/release: <reason>`',
    event: 'Warning',
  },
  {
    reason: 'CopyUnknown',
    cause:
      'the object is being deleted, the provider no longer says in which namespace its copy was, and does not answer the APIServiceNamespace that was made anew',
    actor: 'provider',
    remedy:
      'see why the controller of APIServiceNamespaces does not answer; or the consumer annotates the object with `hawser.dev/release: <reason>`',
    event: 'Warning',
  },
  {
    reason: 'Orphaned',
    cause:
      'a copy of ours has no consumer object; it is kept, unless orphans are to be deleted (`--orphan-policy=Delete`): the message says what becomes of it. There is no Event: the object that it would be about is missing',
    actor: 'consumer',
    remedy: 'recreate the object to use the copy again, or have it deleted on the provider',
  },
] as const satisfies readonly Reason[];

export const objectSubject = {
  kind: 'BoundObject',
  title: 'Objects of bound APIs (on the consumer)',
  intro: `A user's \`status\` is the provider's, so Hawser writes no conditions there: each of these is a Warning **Event** on the consumer object, and counts in \`ObjectsInSync\` of the binding.
\`hawser why\` says the same for one object.`,
  groups: [
    {
      meaning:
        "Conflicts, overload, time-outs and a server that cannot be reached are tried again by themselves and are not reported here; the connection's conditions tell, and `hawser_sync_oldest_unsynced_seconds`.",
      reasons: objectReasons,
    },
  ],
} as const satisfies ReasonSubject;
