import type { Reason, ReasonSubject } from '../reason.js';
import { writesUndone } from './writes-undone.js';

export const onboardingReasons = [
  {
    reason: 'SecretReady',
    cause: 'the condition is True: the kubeconfig is in the Secret that the status names',
    actor: 'nobody',
    remedy: 'do nothing',
  },
  {
    reason: 'RequestNamespaceNotAllowed',
    cause: "the provider role does not answer requests in this namespace, or the namespace is a consumer's own",
    actor: 'operator',
    remedy: 'make the request in a namespace that the provider has opened',
  },
  {
    reason: 'IdentityMissing',
    cause: 'the request does not name its consumer',
    actor: 'operator',
    remedy: 'set `spec.clusterIdentity.identity`',
  },
  {
    reason: 'IdentityTooLong',
    cause: 'the identity has more than 1024 characters',
    actor: 'operator',
    remedy: 'set a shorter identity',
  },
  {
    reason: 'IdentityTaken',
    cause: 'no request for this consumer has come from this namespace before',
    actor: 'provider',
    remedy: 'add the namespace to `hawser.dev/onboarding-namespaces` of the cluster namespace, if you want that',
  },
  {
    reason: 'IdentityAmbiguous',
    cause: 'several cluster namespaces claim to belong to this consumer',
    actor: 'provider',
    remedy: 'remove the annotation `backend.kube-bind.io/identity` from all but one',
  },
  {
    reason: 'InvalidTTL',
    cause: '`spec.ttlAfterFinished` is not a duration',
    actor: 'operator',
    remedy: 'correct the BoundSchema',
  },
  {
    reason: 'SecretNameInvalid',
    cause: 'the Secret for the answer would have an invalid name or key',
    actor: 'operator',
    remedy: 'set `spec.kubeconfigSecretRef`',
  },
  {
    reason: 'SecretConflict',
    cause: 'a Secret of that name exists, and was not made for this request',
    actor: 'operator',
    remedy: 'remove the Secret, or set another name',
  },
  {
    reason: 'TemplateNotFound',
    cause: 'the template does not exist',
    actor: 'provider',
    remedy: 'create the template. The request then continues by itself',
  },
  {
    reason: 'NamespaceConflict',
    cause: "the namespace for the consumer would have the name of a namespace that is not the consumer's",
    actor: 'provider',
    remedy: 'remove that namespace',
  },
  {
    reason: 'NamespaceTerminating',
    cause: "the consumer's namespace is being deleted. The provider role creates it again afterwards",
    actor: 'provider',
    remedy: 'check which finalizers hold it, if it does not go away',
  },
  {
    reason: 'NamespaceNameInvalid',
    cause: 'the name with its prefix is not a valid namespace name',
    actor: 'provider',
    remedy: 'set another namespace prefix',
  },
  {
    reason: 'CredentialRevoked',
    cause: 'the provider revoked the access of this consumer',
    actor: 'provider',
    remedy: 'remove `hawser.dev/revoke-credential` from its cluster namespace and its ClusterBinding',
  },
  {
    reason: 'HandleResourcesFailed',
    cause: 'rights or kubeconfig do not exist yet',
    actor: 'provider',
    remedy: 'check the Events of the ClusterBinding',
  },
  {
    reason: 'WriteRefused',
    cause: 'the API server refused a request; the message quotes it. The provider role retries with back-off',
    actor: 'provider',
    remedy: 'remove the cause',
  },
] as const satisfies readonly Reason[];

const events = [
  {
    reason: 'ClusterOfAnotherOwner',
    cause:
      'a person asked the portal for the kubeconfig of a cluster that another person has bound. The portal refused',
    actor: 'provider',
    remedy:
      'do nothing, or move the cluster to that person by `hawser.dev/owner-issuer` and `hawser.dev/owner-subject`, or share it by `hawser.dev/owner-group`',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const onboardingSubject = {
  kind: 'BindableResourcesRequest',
  title: 'BindableResourcesRequest (on the provider)',
  intro:
    'The provider role writes it. An unanswered request stays `Pending`, and continues by itself once the cause is gone.',
  groups: [
    { condition: 'Ready', meaning: 'Whether the consumer has been given its kubeconfig.', reasons: onboardingReasons },
    { meaning: 'Reported by the portal.', reasons: events },
    writesUndone,
  ],
} as const satisfies ReasonSubject;
