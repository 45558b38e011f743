import { type Decision as Round, done } from '@hawser/controller';
import {
  type APIServiceBinding,
  type APIServiceNamespace,
  type NewCondition,
  hasCondition,
  labels,
  owners,
  setCondition,
} from '@hawser/kube-bind';
import type { Observed, ObservedRequest, Proof } from './observed.js';
import {
  NAMESPACES_IN_SYNC,
  type NamespaceProblem,
  heldBack,
  namespacesInSync,
  protectedNamespace,
  tooMany,
  unreadable,
} from './problems.js';

export type Action =
  /** On the consumer, for the provider of that identity. */
  | { readonly type: 'createNamespace'; readonly request: APIServiceNamespace; readonly provider: string }
  | { readonly type: 'deleteRequest'; readonly request: APIServiceNamespace }
  | { readonly type: 'writeCondition'; readonly binding: APIServiceBinding; readonly condition: NewCondition };

export interface Decision extends Round<Action> {
  /** Report on the request. Absent: the former report stays. */
  readonly report?: { readonly problem: NamespaceProblem | undefined } | undefined;
}

/** Decides about one key. Pure. */
export function decide(observed: Observed): Decision {
  switch (observed.kind) {
    case 'gone':
      return { actions: [] };
    case 'binding':
      return decideBinding(observed);
    case 'request': {
      const { request, namespace, provider, proof } = observed;
      const wanted = decideRequest(observed);
      switch (wanted.kind) {
        case 'nothing':
          // Before the cache is filled this proves nothing.
          return { actions: [], report: namespace.kind === 'unknown' ? undefined : { problem: undefined } };
        case 'report':
          return { actions: [], report: { problem: wanted.problem } };
        case 'createNamespace':
          return { actions: provider === undefined ? [] : [{ type: 'createNamespace', request, provider }] };
        case 'prove':
          return proof === undefined ? { actions: [] } : settle(observed, proof);
      }
    }
  }
}

export type RequestDecision =
  | { readonly kind: 'nothing' }
  /** On the consumer, for the provider. */
  | { readonly kind: 'createNamespace' }
  /** The APIServiceNamespace seems unused: collect proof, then call {@link decideDeletion}. */
  | { readonly kind: 'prove' }
  | { readonly kind: 'report'; readonly problem: NamespaceProblem };

/**
 * Decides about one APIServiceNamespace and the consumer namespace of its name (spec/konnector.md §7.3). Pure. Never
 * deletes a namespace of a consumer.
 */
export function decideRequest({
  request: { metadata },
  namespace,
  protection,
  limit,
  bound,
}: ObservedRequest): RequestDecision {
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
  /** `again`: look again even if no event comes. */
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

function settle({ request, lookAgainMs }: ObservedRequest, proof: Proof): Decision {
  const decision = decideDeletion(request.metadata.name, proof);
  if (decision.kind === 'delete') return { actions: [{ type: 'deleteRequest', request }], ends: done };
  return {
    actions: [],
    report: { problem: decision.problem },
    requeueAfterMs: decision.again ? lookAgainMs : undefined,
  };
}

/** The condition of a binding, if it differs or was never needed. */
function decideBinding({ binding, problems, now }: Extract<Observed, { readonly kind: 'binding' }>): Decision {
  if (binding === undefined || problems === undefined) return { actions: [] };
  const conditions = binding.status?.conditions;
  if (problems.length === 0 && !hasCondition(conditions, NAMESPACES_IN_SYNC)) return { actions: [] };
  const condition = namespacesInSync(problems);
  return {
    actions:
      setCondition(conditions, condition, now) === conditions ? [] : [{ type: 'writeCondition', binding, condition }],
  };
}
