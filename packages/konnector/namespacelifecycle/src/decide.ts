import { labels, owners } from '@hawser/kube-bind';
import type { Observed, Proof } from './observed.js';
import { type NamespaceProblem, heldBack, protectedNamespace, tooMany, unreadable } from './problems.js';

export type Decision =
  | { readonly kind: 'nothing' }
  /** On the consumer, for the provider. */
  | { readonly kind: 'createNamespace' }
  /** Nobody seems to need the APIServiceNamespace any more: find out, and ask {@link decideDeletion}. */
  | { readonly kind: 'prove' }
  | { readonly kind: 'report'; readonly problem: NamespaceProblem };

/** Decides about one APIServiceNamespace and the consumer's namespace of its name (spec/konnector.md §7.3). Pure. No namespace of a consumer is ever deleted. */
export function decide({ request: { metadata }, namespace, protection, limit, bound }: Observed): Decision {
  if (!bound || metadata.deletionTimestamp !== undefined) return { kind: 'nothing' };
  const ofProvider = metadata.labels?.[labels.owner] === owners.provider;
  switch (namespace.kind) {
    case 'present':
    case 'unknown':
      return { kind: 'nothing' };
    case 'denied':
      return ofProvider ? { kind: 'report', problem: unreadable(metadata.name, namespace.error) } : { kind: 'nothing' };
    case 'missing':
      if (!ofProvider) return { kind: 'prove' };
      if (protection !== undefined) return { kind: 'report', problem: protectedNamespace(metadata.name, protection) };
      return limit === undefined ? { kind: 'createNamespace' } : { kind: 'report', problem: tooMany(limit) };
  }
}

export type DeletionDecision =
  | { readonly kind: 'delete' }
  /** `again`: look again although nothing happens here. */
  | { readonly kind: 'keep'; readonly problem: NamespaceProblem | undefined; readonly again: boolean };

/** Decides about an APIServiceNamespace whose consumer namespace is missing. Pure. */
export function decideDeletion(name: string, proof: Proof): DeletionDecision {
  if (proof.kind === 'unused') return { kind: 'delete' };
  return {
    kind: 'keep',
    problem: heldBack(name, proof),
    again: proof.kind === 'objectsLeft' || proof.kind === 'unproven',
  };
}
