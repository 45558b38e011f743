import type { EventMessage } from '@hawser/telemetry';
import { sharedNamespaceAnnotation } from './marks.js';
import { longestName } from './placement.js';

/** Why an APIServiceNamespace has no namespace, or has the wrong one. Closed. */
export type Problem =
  | { readonly kind: 'nameTooLong'; readonly namespace: string; readonly prefix: string }
  | { readonly kind: 'nameInvalid'; readonly namespace: string }
  | { readonly kind: 'reserved'; readonly namespace: string }
  | {
      readonly kind: 'conflict';
      readonly namespace: string;
      readonly owner: string | undefined;
      readonly assigned: boolean;
    }
  /** Under isolation None: it existed before, and is closed to consumers. */
  | { readonly kind: 'notOpen'; readonly namespace: string }
  /** Under isolation None: the operator does not allow the name. */
  | { readonly kind: 'notAllowed'; readonly namespace: string }
  | { readonly kind: 'terminating'; readonly namespace: string }
  /** The consumer has the maximum number. */
  | { readonly kind: 'tooMany'; readonly most: number };

/** The Event for a problem: what is wrong, who must act, and what to do. */
export function problemEvent(problem: Problem): EventMessage {
  switch (problem.kind) {
    case 'nameTooLong':
      return warning('NamespaceNameTooLong', tooLongMessage(problem.namespace, problem.prefix));
    case 'nameInvalid':
      return warning(
        'NamespaceNameInvalid',
        `"${problem.namespace}" cannot be the name of a namespace. The consumer has to use a namespace whose name has only lower-case letters, digits and dashes.`,
      );
    case 'reserved':
      return warning(
        'NamespaceReserved',
        `Namespace "${problem.namespace}" belongs to the provider and is given to no consumer. The consumer has to use a namespace of another name.`,
      );
    case 'conflict':
      return warning('NamespaceConflict', conflictMessage(problem.namespace, problem.owner, problem.assigned));
    case 'notOpen':
      return warning(
        'NamespaceNotOpen',
        `Namespace "${problem.namespace}" was not made for a consumer, and is given to none: a consumer gets rights in its namespaces. The provider has to open it with the annotation ${sharedNamespaceAnnotation}: "true", or the consumer to use a namespace of another name.`,
      );
    case 'notAllowed':
      return warning(
        'NamespaceNotAllowed',
        `Under isolation None consumers get the namespaces of their own names, and "${problem.namespace}" is not allowed. Provider: add the name, or a pattern, to provider.consumerNamespaces, if nothing else will ever use the namespace. Consumer: use a namespace of another name.`,
      );
    case 'tooMany':
      return warning(
        'TooManyNamespaces',
        `${problem.most} namespaces were made for this consumer, and no more are (provider.bounds.namespacesPerConsumer); those that it has go on working. A namespace counts until it is deleted on the provider. The provider has to delete unused ones, or to raise the bound.`,
      );
    case 'terminating':
      return warning(
        'NamespaceTerminating',
        `Namespace "${problem.namespace}" is being deleted, with all that is in it. It is created again once it is gone. If it does not go, the provider has to see which finalizers hold it.`,
      );
  }
}

function tooLongMessage(namespace: string, prefix: string): string {
  const room = longestName - prefix.length;
  const remedy =
    room > 0
      ? `The consumer has to use a namespace with a name of at most ${room} characters, or the provider a shorter prefix for its cluster namespaces.`
      : 'The provider has to use a shorter prefix for its cluster namespaces.';
  return `"${namespace}" has ${namespace.length} characters; a namespace can have ${longestName}. ${remedy}`;
}

function conflictMessage(namespace: string, owner: string | undefined, assigned: boolean): string {
  const whose =
    owner === undefined
      ? `Namespace "${namespace}" exists and is not marked as made for this object`
      : `Namespace "${namespace}" belongs to APIServiceNamespace "${owner}"`;
  return assigned
    ? `${whose}, although it is assigned here. Nothing is changed. The provider has to find out whose it is.`
    : `${whose}; it is not taken over. The provider has to remove it, or the consumer has to use a namespace of another name.`;
}

function warning(reason: string, message: string): EventMessage {
  return { type: 'Warning', reason, message };
}
