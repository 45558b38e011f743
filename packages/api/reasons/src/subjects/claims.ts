import type { Reason, ReasonGroup } from '../reason.js';

const claimsInSync = [
  {
    reason: 'ClaimNotSupported',
    cause:
      'a claim, or a part of one, that this konnector does not serve: another resource, path or operator than it knows',
    actor: 'provider',
    remedy: 'change the claim as the message says',
    event: 'Warning',
  },
  {
    reason: 'ClaimedObjectUndecided',
    cause:
      'both sides have an object of that name, or one is labelled, and nothing proves which side it belongs to; both are left alone',
    actor: 'consumer',
    remedy: 'delete or rename the one that is not wanted, or remove the label `kube-bind.io/owner`',
    event: 'Warning',
  },
  {
    reason: 'ClaimedObjectExists',
    cause: 'where the copy would be, an object stands that no konnector has made; it is left alone',
    actor: 'consumer',
    remedy: 'delete or rename that object; where the message says so, the conflict policy `Adopt` takes it over',
    event: 'Warning',
  },
  {
    reason: 'ClaimedByAnotherProvider',
    cause: "the object on the consumer is the copy of another provider's; it is left alone",
    actor: 'operator',
    remedy: 'have one of the two providers use another name or claim',
    event: 'Warning',
  },
  {
    reason: 'ClaimedByAnotherConsumer',
    cause: "the object on the provider is the copy of another consumer's; it is left alone",
    actor: 'provider',
    remedy: 'keep the consumers apart (isolation `Prefixed`), or have one use another name',
    event: 'Warning',
  },
  {
    reason: 'ClaimedByAnotherCluster',
    cause:
      'the copy on the provider is of an object in another consumer cluster with the same kubeconfig. Hawser neither writes nor deletes it',
    actor: 'operator',
    remedy:
      'ask the provider for one kubeconfig for each cluster; or, if this cluster has taken the place of the other one, accept that as the message says (`hawser.dev/former-consumer-identity`)',
    event: 'Warning',
  },
  {
    reason: 'ClaimedObjectProtected',
    cause:
      'credentials of the konnector, ServiceAccount tokens, and objects in namespaces of the system or of the konnector, are not for claims',
    actor: 'provider',
    remedy: 'claim something else',
    event: 'Warning',
  },
  {
    reason: 'ClaimedCopyLeftOver',
    cause: 'a copy whose original is gone, and nothing proves that it is ours to delete; it is kept',
    actor: 'operator',
    remedy: 'delete it if it is not needed',
    event: 'Warning',
  },
  {
    reason: 'ClaimedCopyMisleading',
    cause:
      'an object is marked as the copy of another object than the one in its place, or a controller owns it: a person cloned a copy with its annotations, or a controller handed them down to a child. It is neither synced nor deleted',
    actor: 'consumer',
    remedy:
      'remove the annotations that the message names, or rename the object; on the provider: the provider does so',
    event: 'Warning',
  },
  {
    reason: 'ClaimedNamespaceClosed',
    cause:
      'the provider has objects for a namespace of the consumer in which the consumer has made no bound objects of that provider, and which was not made for it; they do not come in',
    actor: 'operator',
    remedy: 'if they are wanted there, name the namespace in `hawser.dev/claim-namespaces` on the binding',
    event: 'Warning',
  },
  {
    reason: 'ClaimedDeletionsHeld',
    cause:
      'the originals of more copies are missing than may go in a minute (`konnector.orphans.deletionsPerMinute`, 10), and their deletion was not seen, as after a restore from a backup; none of the copies is deleted',
    actor: 'operator',
    remedy: 'restore the originals; if they are meant to be gone, annotate the binding as the message says',
    event: 'Warning',
  },
  {
    reason: 'ClaimedObjectDrifting',
    cause: 'another writer keeps changing the copy; it is put back less and less often',
    actor: 'operator',
    remedy: 'find out who writes (managedFields tell), and agree on one owner',
    event: 'Warning',
  },
  {
    reason: 'ClaimedObjectDrifted',
    cause: 'another writer has changed a copy, and the drift policy of the bindings that claim it is `Report`',
    actor: 'operator',
    remedy:
      'have it put back (on the provider: by the provider), change the original to the same, or set another policy',
    event: 'Warning',
  },
  {
    reason: 'ClaimedFieldContested',
    cause:
      'two writers fight over fields of a copy: they were put back as often as 5 times in a minute. The message names the other field manager; the copy is left as it is for 5 min, then ever longer',
    actor: 'operator',
    remedy:
      'agree on one owner (on the provider: with the provider), or name the field in `hawser.dev/drift-ignore` on the binding',
    event: 'Warning',
  },
  {
    reason: 'ClaimedResourceMissing',
    cause:
      'a resource that is claimed is not served by one of the two API servers, or not in one version by both; other claims are served',
    actor: 'operator',
    remedy: 'install it where the message says (on the provider: by the provider). Goes on by itself',
    event: 'Warning',
  },
  {
    reason: 'TooDeep',
    cause:
      'the claimed object or its copy is nested deeper than 500 levels; it stays as it is, and other objects go on',
    actor: 'consumer',
    remedy: 'nest it less deeply',
    event: 'Warning',
  },
  {
    reason: 'NotHandled',
    cause:
      'an error in Hawser keeps it from handling the claimed object; it stays as it is, other objects go on, and it is tried again ever less often',
    actor: 'operator',
    remedy: 'find the error in the log, and report it',
    event: 'Warning',
  },
  {
    reason: 'KeepsFailing',
    cause:
      'a request failed 8 times in a row in a way that usually passes, as where a webhook cannot be reached (500); it is tried again ever less often',
    actor: 'operator',
    remedy: 'see the message; the provider, where it names the provider',
    event: 'Warning',
  },
  {
    reason: 'WritesUndone',
    cause:
      'what the konnector writes on an original or a copy does not stay: an admission webhook or policy, or another client, undoes it each time; it is written again ever less often',
    actor: 'operator',
    remedy: 'let that pass for the konnector; the provider, where the message names the provider',
    event: 'Warning',
  },
  {
    reason: 'TooManyClaimedObjects',
    cause:
      'the provider has more objects for the claims of the binding than may come to the consumer by them (`konnector.bounds.claimedObjectsPerBinding`, 1000); what is there stays and is kept in step',
    actor: 'provider',
    remedy: 'claim fewer, or delete some; or the operator raises the bound',
    event: 'Warning',
  },
  {
    reason: 'Paused',
    cause:
      'the annotation `hawser.dev/paused` on the object, a binding that claims it, or the kubeconfig Secret wants nothing to be written',
    actor: 'operator',
    remedy: 'remove the annotation',
    event: 'Warning',
  },
  {
    reason: 'NamespacePending',
    cause: 'the provider has not assigned a namespace for 30 s',
    actor: 'provider',
    remedy: 'see why its controller does not answer. Goes on by itself',
    event: 'Warning',
  },
  {
    reason: 'ConsumerNamespaceMissing',
    cause: 'the provider has an object for a namespace that the consumer has not',
    actor: 'consumer',
    remedy: 'create the Namespace',
    event: 'Warning',
  },
  {
    reason: 'RejectedByProvider',
    cause: "the provider's API server or a webhook refuses the copy, in its words",
    actor: 'provider',
    remedy: 'see the message',
    event: 'Warning',
  },
  {
    reason: 'RejectedByConsumer',
    cause: "the consumer's API server or a webhook refuses the copy, in its words",
    actor: 'consumer',
    remedy: 'see the message',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenByProvider',
    cause: 'the provider does not let the konnector read or write claimed objects, as the message says',
    actor: 'provider',
    remedy: 'grant what is named (`hawser rbac --roles provider | kubectl apply -f -`)',
    event: 'Warning',
  },
  {
    reason: 'ForbiddenOnConsumer',
    cause: 'the konnector lacks a right on the consumer for claimed or referencing objects',
    actor: 'operator',
    remedy:
      'grant what is named (`hawser rbac --side consumer | kubectl apply -f -`; chart: `claimedResources`), or decline the claim',
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
    reason: 'FailedOnConsumer',
    cause: "another refusal of the consumer's API server, in its words",
    actor: 'operator',
    remedy: 'see the message',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const claimsAccepted = [
  {
    reason: 'ClaimsHeld',
    cause: 'the provider claims objects that are not accepted for this binding; nothing of that is served',
    actor: 'operator',
    remedy: 'if it is wanted, accept it by the annotation `hawser.dev/accepted-claims` that the message gives',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const claimReasons = [...claimsInSync, ...claimsAccepted] as const;

/** What is said of the permission claims of a binding. */
export const claimGroups = [
  {
    condition: 'ClaimsAccepted',
    meaning:
      'False while the provider claims more than the consumer has agreed to. Absent as long as there never was such a claim. Counts in no summary.',
    reasons: claimsAccepted,
  },
  {
    condition: 'ClaimsInSync',
    meaning: `False while a claim, or at least one claimed object, is not served and a person has to act. The message names whole claims first, then up to three objects, and counts the rest; the
reason is that of the first. Absent as long as there never was such a thing. Counts in no summary. Events are on the claimed object, or on the binding where the consumer has none.`,
    reasons: claimsInSync,
  },
] as const satisfies readonly ReasonGroup[];
