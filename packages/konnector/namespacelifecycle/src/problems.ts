import { sentence } from '@hawser/client';
import { type NewCondition, falseCondition, hawserAnnotations, trueCondition } from '@hawser/kube-bind';
import type { Proof } from './observed.js';

/**
 * Hawser's condition on APIServiceBindings: whether namespaces match on both sides. No severity: no summary counts it.
 */
export const NAMESPACES_IN_SYNC = 'NamespacesInSync';

/** Why a namespace or an APIServiceNamespace is out of sync. */
export type NamespaceReason =
  | 'ProtectedNamespace'
  | 'TooManyNamespaces'
  | 'NamespaceCreationFailed'
  | 'NamespacesUnreadable'
  | 'ServiceNamespaceInUse'
  | 'ServiceNamespaceKept'
  | 'ServiceNamespaceOfUnknownConsumer'
  | 'ServiceNamespaceDeletionFailed';

export interface NamespaceProblem {
  readonly reason: NamespaceReason;
  /** Whole sentences: what is wrong, who must act, and how. */
  readonly message: string;
}

/** Maximum number of problems that a message describes in full. */
const TOLD = 5;

/** Computes the condition from the problems, in the order of the names. */
export function namespacesInSync(problems: readonly NamespaceProblem[]): NewCondition {
  const [first] = problems;
  if (first === undefined) return trueCondition(NAMESPACES_IN_SYNC);
  // Identical problems appear once.
  const messages = [...new Set(problems.map(({ message }) => message))];
  const rest = messages.length > TOLD ? ` And ${messages.length - TOLD} more.` : '';
  return falseCondition(NAMESPACES_IN_SYNC, first.reason, '', messages.slice(0, TOLD).join(' ') + rest);
}

export function protectedNamespace(name: string, why: string): NamespaceProblem {
  return {
    reason: 'ProtectedNamespace',
    message: `The provider asks for namespace ${name}, which is not made: ${why}. If it is to be there, the administrator of this cluster makes it; else the provider withdraws its APIServiceNamespace.`,
  };
}

/** The same text for each of them: it appears once. */
export function tooMany(limit: number): NamespaceProblem {
  return {
    reason: 'TooManyNamespaces',
    message: `The provider asks for more namespaces than the ${limit} that one provider may have made here; those that are there stay. The provider has to withdraw some, and the administrator of this cluster to delete them; or the operator of the konnector raises konnector.bounds.namespacesPerProvider.`,
  };
}

export function creationFailed(name: string, error: string): NamespaceProblem {
  return {
    reason: 'NamespaceCreationFailed',
    message: `The provider asks for namespace ${name}, which could not be made: ${sentence(error)} The administrator of this cluster has to allow it; it is tried again by itself.`,
  };
}

export function unreadable(name: string, error: string): NamespaceProblem {
  return {
    reason: 'NamespacesUnreadable',
    message: `The provider asks for namespace ${name}, and whether it is there cannot be seen: ${sentence(error)} The administrator of this cluster has to let the konnector get, list and watch namespaces.`,
  };
}

export function deletionFailed(name: string, error: string): NamespaceProblem {
  return {
    reason: 'ServiceNamespaceDeletionFailed',
    message: `Namespace ${name} is gone; its APIServiceNamespace could not be deleted: ${sentence(error)} The provider has to allow it; it is tried again by itself.`,
  };
}

/** Why an APIServiceNamespace without consumer namespace stays; undefined if no report is needed. */
export function heldBack(
  name: string,
  proof: Exclude<Proof, { readonly kind: 'unused' }>,
): NamespaceProblem | undefined {
  switch (proof.kind) {
    case 'namespaceExists':
    case 'otherConsumer':
      return undefined;
    case 'unknownConsumer':
      return {
        reason: 'ServiceNamespaceOfUnknownConsumer',
        message: `Namespace ${name} does not exist, and its APIServiceNamespace on the provider stays: it does not say which consumer cluster made it, so another one may need it. To have it deleted, annotate it with ${hawserAnnotations.consumerIdentity}: ${proof.identity}, or delete it.`,
      };
    case 'objectsLeft':
      return {
        reason: 'ServiceNamespaceInUse',
        message: `Namespace ${name} is gone, and its service namespace on the provider stays: it still holds ${proof.object}. Make the namespace again to use what is there, or have it deleted on the provider.`,
      };
    case 'unproven':
      return {
        reason: 'ServiceNamespaceKept',
        message: `Namespace ${name} is gone, and its service namespace on the provider stays, because Hawser cannot tell whether it is empty: ${sentence(proof.why)} It is looked at again by itself.`,
      };
  }
}
