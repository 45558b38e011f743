import type { ReasonGroup } from '../reason.js';

/** Related Secrets and ConfigMaps of `core.kbind.io`. */
export const kbindRelated: ReasonGroup = {
  condition: 'RelatedResourcesInSync',
  meaning:
    'True while every Secret and ConfigMap that `spec.relatedResources` selects has its copy. A binding that never had such rules does not get this condition. Objects on the consumer also get an Event.',
  reasons: [
    { reason: 'AsExpected', cause: 'everything is as expected', actor: 'nobody', remedy: 'do nothing' },
    { reason: 'Pending', cause: 'the konnector has not examined every object yet', actor: 'nobody', remedy: 'wait' },
    {
      reason: 'RelatedRuleRefused',
      cause: 'a rule names an API group, or has a label selector that Kubernetes rejects. The rule selects nothing',
      actor: 'operator',
      remedy: 'correct the rule that the message names',
    },
    {
      reason: 'RelatedObjectExists',
      event: 'Warning',
      cause: 'an object that no konnector made stands in the place of the copy. Hawser leaves it alone',
      actor: 'consumer',
      remedy: 'delete or rename one of the two objects',
    },
    {
      reason: 'RelatedObjectOfAnother',
      event: 'Warning',
      cause:
        'a copy of another binding or consumer cluster stands in the place of the copy or of the original. Hawser leaves it alone',
      actor: 'operator',
      remedy: 'narrow the rules of one binding, or rename one object',
    },
    {
      reason: 'RelatedObjectProtected',
      cause:
        'a rule selects a kubeconfig of the konnector, a token, or an object in a namespace of Kubernetes or of the konnector. Hawser does not copy it',
      actor: 'operator',
      remedy: 'narrow the rule',
    },
    {
      reason: 'RelatedCopyLeftOver',
      event: 'Warning',
      cause: 'an object is marked as a copy, but nothing proves that a konnector wrote it. Hawser keeps it',
      actor: 'operator',
      remedy: 'delete the object if you do not need it, or remove its marks',
    },
    {
      reason: 'RelatedObjectDrifting',
      event: 'Warning',
      cause: 'another client keeps changing a copy. Hawser restores it less and less often',
      actor: 'operator',
      remedy: 'agree on one owner: managedFields of the copy name the other writer',
    },
    {
      reason: 'Paused',
      event: 'Warning',
      cause: 'the annotation `hawser.dev/paused` on the object of the consumer, or on the binding, stops all writes',
      actor: 'operator',
      remedy: 'remove the annotation',
    },
    {
      reason: 'RelatedDeletionsHeld',
      cause:
        'more originals are missing than may go at once, and Hawser did not see their deletion. It deletes no copy',
      actor: 'operator',
      remedy: 'restore the originals, or approve the deletion by `hawser.dev/approve-deletions` as the message says',
    },
    {
      reason: 'TooManyRelatedObjects',
      event: 'Warning',
      cause: 'the provider has more objects for the rules of one binding than the limit of 1 000 per resource',
      actor: 'operator',
      remedy: 'narrow the rules, or have the provider delete some',
    },
    {
      reason: 'ForbiddenByProvider',
      event: 'Warning',
      cause: 'the konnector lacks the right to read or write Secrets, ConfigMaps or namespaces on the provider',
      actor: 'provider',
      remedy: 'grant the right that the message names',
    },
    {
      reason: 'ForbiddenOnConsumer',
      event: 'Warning',
      cause: 'the konnector lacks the right to read or write Secrets, ConfigMaps or namespaces on this cluster',
      actor: 'operator',
      remedy: 'grant the right that the message names',
    },
    {
      reason: 'RejectedByProvider',
      event: 'Warning',
      cause: 'the provider refuses the content of a copy',
      actor: 'provider',
      remedy: 'change the original, or the webhook or policy that refuses it',
    },
    {
      reason: 'RejectedByConsumer',
      event: 'Warning',
      cause: 'this cluster refuses the content of a copy',
      actor: 'consumer',
      remedy: 'change the webhook or policy that refuses it, or have the provider change the original',
    },
    {
      reason: 'FailedOnProvider',
      event: 'Warning',
      cause: 'a request to the provider fails',
      actor: 'provider',
      remedy: 'follow the message',
    },
    {
      reason: 'FailedOnConsumer',
      event: 'Warning',
      cause: 'a request to this cluster fails',
      actor: 'operator',
      remedy: 'follow the message',
    },
    {
      reason: 'KeepsFailing',
      event: 'Warning',
      cause: 'a request keeps failing. Hawser retries less and less often',
      actor: 'operator',
      remedy: 'follow the message',
    },
    {
      reason: 'WritesUndone',
      event: 'Warning',
      cause: 'a webhook, policy or client undoes each write of the konnector',
      actor: 'operator',
      remedy: 'make it leave the copy alone',
    },
    {
      reason: 'NotHandled',
      event: 'Warning',
      cause: 'the konnector fails to process the object',
      actor: 'operator',
      remedy: "check the konnector's log",
    },
    {
      reason: 'TooDeep',
      event: 'Warning',
      cause: 'the object is nested too deeply',
      actor: 'consumer',
      remedy: 'nest the object less deeply',
    },
  ],
};
