import type { KubeObject } from '@hawser/client';
import { type BindingPolicy, defaultPolicy, samePath } from '@hawser/konnector-sync';

import type { Observed } from './observed.js';

/** By binding whose claims are served: how its operator wants its objects to be treated. Without an entry: as by default. */
export type Policies = ReadonlyMap<string, BindingPolicy>;

/** What counts for one object. */
export type ClaimPolicy = Pick<BindingPolicy, 'conflicts' | 'drift' | 'ignored'>;

/** What counts for an object that these bindings claim: what each of them wants; where they do not agree, the default. */
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

/** uids of consumer clusters in whose place this one is, as the operator says on one of the bindings that claim a pair, or on their Secret. */
export function formerClustersFor({ claimedBy }: Pick<Observed, 'claimedBy'>, policies: Policies): readonly string[] {
  return [...claimedBy.consumer, ...claimedBy.provider].flatMap(
    (binding) => policies.get(binding)?.formerClusters ?? [],
  );
}

/** Whether an object without marks may become a copy: no controller owns it, and it is not being deleted. */
export function mayBeAdopted({ metadata: { ownerReferences = [], deletionTimestamp } }: KubeObject): boolean {
  return deletionTimestamp === undefined && !ownerReferences.some(({ controller }) => controller === true);
}
