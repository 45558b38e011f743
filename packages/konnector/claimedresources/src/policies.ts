import { controllerOf, isTerminating, type KubeObject } from '@hawser/client';
import { connectionOf } from '@hawser/core-kbind';
import type { CustomResourceDefinition } from '@hawser/kube-bind';
import { type BindingPolicy, defaultPolicy, samePath } from '@hawser/konnector-sync';

import type { Observed } from './observed.js';

/** Operator's policy for the claims of one binding. */
export interface ClaimingPolicy extends BindingPolicy {
  /** A Connection of core.kbind.io, which serves all of the binding's resources: then it serves the claims, too. */
  readonly servedThrough?: string | undefined;
}

/** By binding with served claims. Without an entry: the default. */
export type Policies = ReadonlyMap<string, ClaimingPolicy>;

/** The policy of a binding, whose bound resources have these CRDs on the consumer. */
export function claimingPolicy(
  policy: BindingPolicy,
  crds: readonly (CustomResourceDefinition | undefined)[],
): ClaimingPolicy {
  const connections = crds.map((crd) => (crd === undefined ? undefined : connectionOf(crd)));
  const [servedThrough] = connections;
  // Its claims serve the resources together: they stay here as long as one of these does.
  return servedThrough === undefined || connections.includes(undefined) ? policy : { ...policy, servedThrough };
}

/** Policy for one object. */
export type ClaimPolicy = Pick<BindingPolicy, 'conflicts' | 'drift' | 'ignored'>;

/** Policy for an object claimed by these bindings: the common value of all, else the default. */
export function policyFor(bindings: readonly string[], policies: Policies): ClaimPolicy {
  const all = bindings.map((binding) => policies.get(binding) ?? defaultPolicy);
  const [first = defaultPolicy, ...others] = all;
  return {
    conflicts: others.every(({ conflicts }) => conflicts === first.conflicts)
      ? first.conflicts
      : defaultPolicy.conflicts,
    drift: others.every(({ drift }) => drift === first.drift) ? first.drift : defaultPolicy.drift,
    ignored: first.ignored.filter((path) =>
      others.every(({ ignored }) => ignored.some((other) => samePath(other, path))),
    ),
  };
}

/** Bindings whose claims select an object of the pair. */
export function claimantsOf({ claimedBy }: Pick<Observed, 'claimedBy'>): readonly string[] {
  return [...new Set([...claimedBy.consumer, ...claimedBy.provider])];
}

/**
 * uids of consumer clusters that this one replaced, according to the operator: on a binding that claims a pair, or on
 * its Secret.
 */
export function formerClustersFor(pair: Pick<Observed, 'claimedBy'>, policies: Policies): readonly string[] {
  return claimantsOf(pair).flatMap((binding) => policies.get(binding)?.formerClusters ?? []);
}

/** Whether an object without marks may become a copy: no controller owns it, and it is not being deleted. */
export function mayBeAdopted(object: KubeObject): boolean {
  return !isTerminating(object) && controllerOf(object) === undefined;
}
