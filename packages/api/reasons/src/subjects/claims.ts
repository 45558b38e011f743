import type { Reason, ReasonGroup } from '../reason.js';

const claimsInSync = [
  {
    reason: 'ClaimNotSupported',
    cause: 'this konnector does not serve the claim, or a part of it: it does not know the resource, path or operator',
    actor: 'provider',
    remedy: 'change the claim as the message says',
    event: 'Warning',
  },
  {
    reason: 'ClaimedObjectUndecided',
    cause:
      'both sides have an object of that name, or one object is labelled, and nothing proves which side owns it. Hawser leaves both alone',
    actor: 'consumer',
    remedy: 'delete or rename the object that you do not want, or remove the label `kube-bind.io/owner`',
    event: 'Warning',
  },
  {
    reason: 'ClaimedObjectExists',
    cause: 'an object that no konnector made stands in the place of the copy. Hawser leaves it alone',
    actor: 'consumer',
    remedy: 'delete or rename that object. Where the message says so, the conflict policy `Adopt` takes it over',
    event: 'Warning',
  },
  {
    reason: 'ClaimedByAnotherProvider',
    cause: 'the object on the consumer is a copy of another provider. Hawser leaves it alone',
    actor: 'operator',
    remedy: 'ask one of the two providers to use another name or claim',
    event: 'Warning',
  },
  {
    reason: 'ClaimedByAnotherConsumer',
    cause: 'the object on the provider is a copy of another consumer. Hawser leaves it alone',
    actor: 'provider',
    remedy: 'separate the consumers (isolation `Prefixed`), or have one of them use another name',
    event: 'Warning',
  },
  {
    reason: 'ClaimedByAnotherCluster',
    cause:
      'the copy on the provider belongs to another consumer cluster with the same kubeconfig. Hawser neither writes nor deletes it',
    actor: 'operator',
    remedy:
      'ask the provider for one kubeconfig per cluster. If this cluster replaces the other one, accept that as the message says (`hawser.dev/former-consumer-identity`)',
    event: 'Warning',
  },
  {
    reason: 'ClaimedObjectProtected',
    cause:
      'claims never cover credentials of the konnector, ServiceAccount tokens, and objects in namespaces of the system or of the konnector',
    actor: 'provider',
    remedy: 'claim another object',
    event: 'Warning',
  },
  {
    reason: 'ClaimedCopyLeftOver',
    cause: 'the original of a copy is gone, and nothing proves that Hawser may delete the copy. Hawser keeps it',
    actor: 'operator',
    remedy: 'delete the copy if you do not need it',
    event: 'Warning',
  },
  {
    reason: 'ClaimedCopyMisleading',
    cause:
      'an object is marked as the copy of another object than the one in its place, or a controller owns it. A person cloned a copy with its annotations, or a controller passed them on to a child. Hawser neither syncs nor deletes the object',
    actor: 'consumer',
    remedy: "remove the annotations in the message, or rename the object. On the provider's side the provider does so",
    event: 'Warning',
  },
  {
    reason: 'ClaimedNamespaceClosed',
    cause:
      'the provider has objects for a namespace that was not made for it, and in which the consumer has made no bound objects of it. Hawser does not copy them into that namespace',
    actor: 'operator',
    remedy: 'name the namespace in `hawser.dev/claim-namespaces` on the binding, if you want the objects there',
    event: 'Warning',
  },
  {
    reason: 'ClaimedDeletionsHeld',
    cause:
      'more originals are missing than may go in a minute (`konnector.orphans.deletionsPerMinute`, 10), and Hawser did not see their deletion, for example after a restore from a backup. Hawser deletes none of the copies',
    actor: 'operator',
    remedy: 'restore the originals. If they are gone on purpose, annotate the binding as the message says',
    event: 'Warning',
  },
  {
    reason: 'ClaimedObjectDrifting',
    cause: 'another writer keeps changing the copy. Hawser restores it less and less often',
    actor: 'operator',
    remedy: 'find the other writer (managedFields name it), and agree on one owner',
    event: 'Warning',
  },
  {
    reason: 'ClaimedObjectDrifted',
    cause: 'another writer has changed a copy, and the drift policy of the bindings that claim it is `Report`',
    actor: 'operator',
    remedy:
      "restore the copy (on the provider's side: the provider does so), change the original to match, or set another policy",
    event: 'Warning',
  },
  {
    reason: 'ClaimedFieldContested',
    cause:
      'two writers fight over fields of a copy: Hawser restored them 5 times in a minute. The message names the other field manager. Hawser leaves the copy alone for 5 min, then longer each time',
    actor: 'operator',
    remedy:
      "agree on one owner (on the provider's side: with the provider), or name the field in `hawser.dev/drift-ignore` on the binding",
    event: 'Warning',
  },
  {
    reason: 'ClaimedResourceMissing',
    cause:
      'one of the two API servers does not serve a claimed resource, or they serve no common version. Other claims are served',
    actor: 'operator',
    remedy:
      "install the resource where the message says (on the provider's side: the provider does so). Sync then continues by itself",
    event: 'Warning',
  },
  {
    reason: 'TooDeep',
    cause: 'the claimed object or its copy is nested deeper than 500 levels. It stays as it is, and other objects sync',
    actor: 'consumer',
    remedy: 'nest the object less deeply',
    event: 'Warning',
  },
  {
    reason: 'NotHandled',
    cause:
      'an error in Hawser prevents it from handling the claimed object. The object stays as it is, and other objects sync. Hawser retries less and less often',
    actor: 'operator',
    remedy: 'find the error in the log, and report it',
    event: 'Warning',
  },
  {
    reason: 'KeepsFailing',
    cause:
      'a request failed 8 times in a row with an error that usually passes, such as an unreachable webhook (500). Hawser retries less and less often',
    actor: 'operator',
    remedy: 'follow the message; the provider acts where it names the provider',
    event: 'Warning',
  },
  {
    reason: 'WritesUndone',
    cause:
      'an admission webhook, policy or another client undoes each write of the konnector to an original or a copy. The konnector writes again less and less often',
    actor: 'operator',
    remedy: "allow the konnector's write; the provider does so where the message names the provider",
    event: 'Warning',
  },
  {
    reason: 'TooManyClaimedObjects',
    cause:
      'the provider has more objects for the claims of the binding than the consumer accepts (`konnector.bounds.claimedObjectsPerBinding`, 1000). Objects that are there stay in step',
    actor: 'provider',
    remedy: 'claim fewer objects, or delete some; or the operator raises the bound',
    event: 'Warning',
  },
  {
    reason: 'Paused',
    cause:
      'the annotation `hawser.dev/paused` on the object, on a binding that claims it, or on the kubeconfig Secret stops all writes',
    actor: 'operator',
    remedy: 'remove the annotation',
    event: 'Warning',
  },
  {
    reason: 'ServedByCoreKbind',
    cause:
      'core.kbind.io serves the API of a binding that claims the object, for example after `hawser migrate`. This generation writes nothing for its claims',
    actor: 'operator',
    remedy: 'delete the APIServiceBinding, or give its API back with `hawser migrate NAME --to v1`',
    event: 'Warning',
  },
  {
    reason: 'NamespacePending',
    cause: 'the provider has not assigned a namespace for 30 s',
    actor: 'provider',
    remedy: 'check why the controller for APIServiceNamespaces does not answer. Sync then continues by itself',
    event: 'Warning',
  },
  {
    reason: 'ConsumerNamespaceMissing',
    cause: 'the provider has an object for a namespace that does not exist on the consumer',
    actor: 'consumer',
    remedy: 'create the Namespace',
    event: 'Warning',
  },
  {
    reason: 'RejectedByProvider',
    cause: "the provider's API server or a webhook refuses the copy; the message quotes it",
    actor: 'provider',
    remedy: 'follow the message',
    event: 'Warning',
  },
  {
    reason: 'RejectedByConsumer',
    cause: "the consumer's API server or a webhook refuses the copy; the message quotes it",
    actor: 'consumer',
    remedy: 'follow the message',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenByProvider',
    cause: 'the konnector lacks the right to read or write claimed objects on the provider, as the message says',
    actor: 'provider',
    remedy: 'grant the right that the message names (`hawser rbac --roles provider | kubectl apply -f -`)',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenOnConsumer',
    cause: 'the konnector lacks a right on the consumer for claimed or referencing objects',
    actor: 'operator',
    remedy:
      'grant the right that the message names (`hawser rbac --side consumer | kubectl apply -f -`; chart: `claimedResources`), or decline the claim',
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
    reason: 'FailedOnConsumer',
    cause: "the consumer's API server refuses a request for another reason; the message quotes it",
    actor: 'operator',
    remedy: 'follow the message',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const claimsAccepted = [
  {
    reason: 'ClaimsHeld',
    cause: 'the provider claims objects that this binding does not accept. Hawser serves none of them',
    actor: 'operator',
    remedy: 'accept the claims, if you want them, with the annotation `hawser.dev/accepted-claims` in the message',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const claimReasons = [...claimsInSync, ...claimsAccepted] as const;

/** Conditions of the permission claims of a binding. */
export const claimGroups = [
  {
    condition: 'ClaimsAccepted',
    meaning:
      'False while the provider claims more than the consumer has accepted. Absent until the first such claim. Counts in no summary.',
    reasons: claimsAccepted,
  },
  {
    condition: 'ClaimsInSync',
    meaning:
      'False while a claim or a claimed object is not served and a person must act. The message first names whole claims, then up to three objects, and counts the rest. The reason is that of the first. Absent until the first such problem. Counts in no summary. Events are on the claimed object, or on the binding if the consumer has no such object.',
    reasons: claimsInSync,
  },
] as const satisfies readonly ReasonGroup[];
