import type { ReasonGroup } from '../reason.js';

/** Related Secrets and ConfigMaps of `core.kbind.io`. */
export const kbindRelated: ReasonGroup = {
  condition: 'RelatedResourcesInSync',
  meaning:
    'Every Secret and ConfigMap that `spec.relatedResources` selects has its copy. A binding that never had such rules does not get it. Objects on the consumer get an Event, too.',
  reasons: [
    { reason: 'AsExpected', cause: 'it is as it should be', actor: 'nobody', remedy: 'nothing' },
    { reason: 'Pending', cause: 'not every object was looked at yet', actor: 'nobody', remedy: 'wait' },
    {
      reason: 'RelatedRuleRefused',
      cause: 'a rule names an API group, or has a label selector that Kubernetes takes for invalid; it selects nothing',
      actor: 'operator',
      remedy: 'correct the rule that the message names',
    },
    {
      reason: 'RelatedObjectExists',
      event: 'Warning',
      cause: 'where the copy would be, an object stands that no konnector has made; it is left alone',
      actor: 'consumer',
      remedy: 'delete or rename one of the two',
    },
    {
      reason: 'RelatedObjectOfAnother',
      event: 'Warning',
      cause:
        'where the copy would be, or in place of the original, the copy of another binding or consumer cluster stands; it is left alone',
      actor: 'operator',
      remedy: 'narrow the rules of one binding, or rename one object',
    },
    {
      reason: 'RelatedObjectProtected',
      cause:
        'a rule selects a kubeconfig of the konnector, a token, or an object in a namespace of Kubernetes or of the konnector; it is not copied',
      actor: 'operator',
      remedy: 'narrow the rule',
    },
    {
      reason: 'RelatedCopyLeftOver',
      event: 'Warning',
      cause: 'an object is marked as a copy, and nothing proves that a konnector wrote it; it is kept',
      actor: 'operator',
      remedy: 'delete it if it is not needed, or take its marks off',
    },
    {
      reason: 'RelatedObjectDrifting',
      event: 'Warning',
      cause: 'another client keeps changing a copy; it is put back ever less often',
      actor: 'operator',
      remedy: 'agree on one owner: managedFields of the copy name who writes',
    },
    {
      reason: 'RelatedDeletionsHeld',
      cause: 'more originals are missing than may go at once, and no deletion of them was seen; no copy is deleted',
      actor: 'operator',
      remedy: 'restore the originals, or approve by `hawser.dev/approve-deletions` as the message says',
    },
    {
      reason: 'TooManyRelatedObjects',
      event: 'Warning',
      cause: 'the provider has more objects for the rules of one binding than the 1 000 of a resource that may come',
      actor: 'operator',
      remedy: 'narrow the rules, or have the provider delete some',
    },
    {
      reason: 'ForbiddenByProvider',
      event: 'Warning',
      cause: 'the provider does not let Secrets, ConfigMaps or namespaces be read or written',
      actor: 'provider',
      remedy: 'grant what the message names',
    },
    {
      reason: 'ForbiddenOnConsumer',
      event: 'Warning',
      cause: 'this cluster does not let the konnector read or write them',
      actor: 'operator',
      remedy: 'grant what the message names',
    },
    {
      reason: 'RejectedByProvider',
      event: 'Warning',
      cause: 'the provider refuses the contents of a copy',
      actor: 'provider',
      remedy: 'change the original, or what refuses it',
    },
    {
      reason: 'RejectedByConsumer',
      event: 'Warning',
      cause: 'this cluster refuses the contents of a copy',
      actor: 'consumer',
      remedy: 'change what refuses it, or have the provider change the original',
    },
    {
      reason: 'FailedOnProvider',
      event: 'Warning',
      cause: 'a request fails on the provider',
      actor: 'provider',
      remedy: 'see the message',
    },
    {
      reason: 'FailedOnConsumer',
      event: 'Warning',
      cause: 'a request fails on this cluster',
      actor: 'operator',
      remedy: 'see the message',
    },
    {
      reason: 'KeepsFailing',
      event: 'Warning',
      cause: 'a request keeps failing; it is tried ever less often',
      actor: 'operator',
      remedy: 'see the message',
    },
    {
      reason: 'WritesUndone',
      event: 'Warning',
      cause: 'a webhook, policy or client undoes what is written',
      actor: 'operator',
      remedy: 'have it leave the copy alone',
    },
    {
      reason: 'NotHandled',
      event: 'Warning',
      cause: 'looking at the object fails in the konnector',
      actor: 'operator',
      remedy: "see the konnector's log",
    },
    {
      reason: 'TooDeep',
      event: 'Warning',
      cause: 'the object is nested too deeply',
      actor: 'consumer',
      remedy: 'nest it less deeply',
    },
  ],
};
