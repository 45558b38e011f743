import type { Reason, ReasonSubject } from '../reason.js';
import { writesUndone } from './writes-undone.js';

export const serviceNamespaceReasons = [
  {
    reason: 'NamespaceConflict',
    cause: "the namespace exists and is not marked as this object's",
    actor: 'provider',
    remedy: 'remove it; or the consumer uses another name',
    event: 'Warning',
  },
  {
    reason: 'NamespaceNameTooLong',
    cause: 'the name would have more than 63 characters',
    actor: 'consumer',
    remedy: 'use a shorter name',
    event: 'Warning',
  },
  {
    reason: 'NamespaceNameInvalid',
    cause: 'it cannot be the name of a namespace',
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
    cause: 'under isolation `None`: the namespace was there before, and was not made for a consumer',
    actor: 'provider',
    remedy: 'open it with the annotation `hawser.dev/shared-namespace: "true"`; or the consumer uses another name',
    event: 'Warning',
  },
  {
    reason: 'NamespaceTerminating',
    cause: 'the namespace is being deleted; it is made again afterwards',
    actor: 'provider',
    remedy: 'if it does not go, see which finalizers hold it',
    event: 'Warning',
  },
  {
    reason: 'NamespaceNotAllowed',
    event: 'Warning',
    cause:
      'under isolation `None`: the name is not in `provider.consumerNamespaces`; what a consumer has already stays',
    actor: 'provider',
    remedy:
      'add the name, or a pattern, if nothing else will ever use that namespace; or the consumer uses another name',
  },
  {
    reason: 'TooManyNamespaces',
    cause:
      'as many namespaces were made for the consumer as may be (`provider.bounds.namespacesPerConsumer`, 1000); what it has stays. One counts until it is deleted on the provider',
    actor: 'provider',
    remedy: 'delete some that are not needed, or raise the bound',
    event: 'Warning',
  },
  {
    reason: 'NamespaceRefused',
    cause: 'the API server refused a request, in its words; tried again',
    actor: 'provider',
    remedy: 'grant the right, or remove the cause',
    event: 'Warning',
  },
  {
    reason: 'NamespaceShared',
    cause:
      'under isolation `None`, a namespace that the provider has opened, or that was made for another consumer, is used',
    actor: 'nobody',
    remedy: 'nothing',
    event: 'Normal',
  },
  {
    reason: 'NamespaceKept',
    cause:
      'on the namespace: it was to be reclaimed and still holds the object that is named. Reclaiming is off in `hawser run`',
    actor: 'nobody',
    remedy: 'nothing',
    event: 'Normal',
  },
] as const satisfies readonly Reason[];

export const serviceNamespaceSubject = {
  kind: 'APIServiceNamespace',
  title: 'APIServiceNamespace (on the provider)',
  intro: 'It has no conditions: Events of the provider role tell, once per state.',
  groups: [
    {
      meaning: "Why a consumer's namespace has no namespace on the provider, or what is special about the one it has.",
      reasons: serviceNamespaceReasons,
    },
    writesUndone,
  ],
} as const satisfies ReasonSubject;
