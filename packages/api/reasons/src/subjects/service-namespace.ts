import type { Reason, ReasonSubject } from '../reason.js';
import { writesUndone } from './writes-undone.js';

export const serviceNamespaceReasons = [
  {
    reason: 'NamespaceConflict',
    cause: 'the namespace exists, and is not marked as the namespace of this APIServiceNamespace',
    actor: 'provider',
    remedy: 'remove the namespace; or the consumer uses another name',
    event: 'Warning',
  },
  {
    reason: 'NamespaceNameTooLong',
    cause: 'the name of the namespace would have more than 63 characters',
    actor: 'consumer',
    remedy: 'use a shorter name',
    event: 'Warning',
  },
  {
    reason: 'NamespaceNameInvalid',
    cause: 'the name is not a valid namespace name',
    actor: 'consumer',
    remedy: 'use another name',
    event: 'Warning',
  },
  {
    reason: 'NamespaceReserved',
    cause: 'the namespace belongs to the provider',
    actor: 'consumer',
    remedy: 'use another name',
    event: 'Warning',
  },
  {
    reason: 'NamespaceNotOpen',
    cause: 'under isolation `None`: the namespace existed before, and was not made for a consumer',
    actor: 'provider',
    remedy:
      'open the namespace with the annotation `hawser.dev/shared-namespace: "true"`; or the consumer uses another name',
    event: 'Warning',
  },
  {
    reason: 'NamespaceTerminating',
    cause: 'the namespace is being deleted. The provider role creates it again afterwards',
    actor: 'provider',
    remedy: 'check which finalizers hold it, if it does not go away',
    event: 'Warning',
  },
  {
    reason: 'NamespaceNotAllowed',
    event: 'Warning',
    cause:
      'under isolation `None`: the name is not in `provider.consumerNamespaces`. Namespaces that the consumer has stay',
    actor: 'provider',
    remedy:
      'add the name or a pattern, if nothing else will ever use that namespace; or the consumer uses another name',
  },
  {
    reason: 'TooManyNamespaces',
    cause:
      'the consumer has reached its limit of namespaces (`provider.bounds.namespacesPerConsumer`, 1000). Its namespaces stay. A namespace counts until it is deleted on the provider',
    actor: 'provider',
    remedy: 'delete exports that are not needed, or raise the bound',
    event: 'Warning',
  },
  {
    reason: 'NamespaceRefused',
    cause: 'the API server refused a request; the message quotes it. The provider retries',
    actor: 'provider',
    remedy: 'grant the right, or remove the cause',
    event: 'Warning',
  },
  {
    reason: 'NamespaceShared',
    cause:
      'under isolation `None`: the consumer uses a namespace that the provider has opened, or that was made for another consumer',
    actor: 'nobody',
    remedy: 'do nothing',
    event: 'Normal',
  },
  {
    reason: 'NamespaceKept',
    cause:
      'on the namespace: it was to be reclaimed, but still holds the object in the message. Reclaiming is off in `hawser run`',
    actor: 'nobody',
    remedy: 'do nothing',
    event: 'Normal',
  },
] as const satisfies readonly Reason[];

export const serviceNamespaceSubject = {
  kind: 'APIServiceNamespace',
  title: 'APIServiceNamespace (on the provider)',
  intro: 'It has no conditions. The provider role writes one Event per state.',
  groups: [
    {
      meaning: "Why a consumer's namespace has no namespace on the provider, or what is special about it.",
      reasons: serviceNamespaceReasons,
    },
    writesUndone,
  ],
} as const satisfies ReasonSubject;
