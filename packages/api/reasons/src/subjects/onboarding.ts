import type { Reason, ReasonSubject } from '../reason.js';
import { writesUndone } from './writes-undone.js';

export const onboardingReasons = [
  {
    reason: 'SecretReady',
    cause: 'the condition is True: the kubeconfig is in the Secret that the status names',
    actor: 'nobody',
    remedy: 'nothing',
  },
  {
    reason: 'RequestNamespaceNotAllowed',
    cause: "requests are not answered in this namespace, or it is a consumer's own",
    actor: 'operator',
    remedy: 'make the request in a namespace that the provider has opened',
  },
  {
    reason: 'IdentityMissing',
    cause: 'the request does not say which consumer it is for',
    actor: 'operator',
    remedy: 'set `spec.clusterIdentity.identity`',
  },
  {
    reason: 'IdentityTooLong',
    cause: 'the identity has more than 1024 characters',
    actor: 'operator',
    remedy: 'set a shorter one',
  },
  {
    reason: 'IdentityTaken',
    cause: 'the consumer was not asked for from this namespace before',
    actor: 'provider',
    remedy: 'add the namespace to `hawser.dev/onboarding-namespaces` of the cluster namespace, if that is meant',
  },
  {
    reason: 'IdentityAmbiguous',
    cause: "several cluster namespaces say that they are this consumer's",
    actor: 'provider',
    remedy: 'take the annotation `backend.kube-bind.io/identity` off all but one',
  },
  { reason: 'InvalidTTL', cause: '`spec.ttlAfterFinished` is not a duration', actor: 'operator', remedy: 'correct it' },
  {
    reason: 'SecretNameInvalid',
    cause: 'no Secret can have the name or key of the answer',
    actor: 'operator',
    remedy: 'set `spec.kubeconfigSecretRef`',
  },
  {
    reason: 'SecretConflict',
    cause: 'a Secret of that name exists and was not made for this request',
    actor: 'operator',
    remedy: 'remove it, or set another name',
  },
  {
    reason: 'TemplateNotFound',
    cause: 'the template does not exist',
    actor: 'provider',
    remedy: 'make it; the request goes on by itself',
  },
  {
    reason: 'NamespaceConflict',
    cause: "the consumer's namespace would have the name of one that is not its own",
    actor: 'provider',
    remedy: 'remove that namespace',
  },
  {
    reason: 'NamespaceTerminating',
    cause: "the consumer's namespace is being deleted; it is made again afterwards",
    actor: 'provider',
    remedy: 'if it does not go, see which finalizers hold it',
  },
  {
    reason: 'NamespaceNameInvalid',
    cause: 'with its prefix the name cannot be that of a namespace',
    actor: 'provider',
    remedy: 'set another namespace prefix',
  },
  {
    reason: 'CredentialRevoked',
    cause: 'the access of this consumer was revoked',
    actor: 'provider',
    remedy: 'remove `hawser.dev/revoke-credential` from its cluster namespace and its ClusterBinding',
  },
  {
    reason: 'HandleResourcesFailed',
    cause: 'rights or kubeconfig are not there yet',
    actor: 'provider',
    remedy: 'see the Events of the ClusterBinding',
  },
  {
    reason: 'WriteRefused',
    cause: 'the API server refused a request, in its words; tried again with back-off',
    actor: 'provider',
    remedy: 'remove the cause',
  },
] as const satisfies readonly Reason[];

const events = [
  {
    reason: 'ClusterOfAnotherOwner',
    cause: 'a person asked the portal for the kubeconfig of a cluster that another person has bound, and got none',
    actor: 'provider',
    remedy:
      'nothing, or move it to them by `hawser.dev/owner-issuer` and `hawser.dev/owner-subject`, or have them share it by `hawser.dev/owner-group`',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const onboardingSubject = {
  kind: 'BindableResourcesRequest',
  title: 'BindableResourcesRequest (on the provider)',
  intro:
    'Written by the provider role. A request that is not answered stays `Pending` and goes on by itself once the cause is gone.',
  groups: [
    { condition: 'Ready', meaning: "Whether the consumer's kubeconfig was handed out.", reasons: onboardingReasons },
    { meaning: 'What the portal tells of it.', reasons: events },
    writesUndone,
  ],
} as const satisfies ReasonSubject;
