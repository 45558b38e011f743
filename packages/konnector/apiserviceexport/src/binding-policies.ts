import type { KubeObject } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type DeletionBudget, createDeletionBudget } from '@hawser/controller';
import { type APIServiceBinding, hawserAnnotations, isConditionTrue } from '@hawser/kube-bind';
import { type OrphanPolicy, type PolicyReading, readBindingPolicy } from '@hawser/konnector-sync';
import type { Metrics } from '@hawser/telemetry';

import { DELETIONS_HELD } from './policy-conditions.js';

/** What becomes of copies whose consumer object is missing. */
export interface OrphanOptions {
  /** Default `Keep`. */
  readonly policy?: OrphanPolicy | undefined;
  /** Of one binding; more of them are held. Default 10. */
  readonly deletionsPerMinute?: number | undefined;
  /** How long a copy must have been without its object. Default 60 000 ms. */
  readonly graceMs?: number | undefined;
}

/** The policies of a connection's bindings, and what they need to be kept. */
export interface BindingPolicies {
  readonly orphans: OrphanOptions;
  read(binding: APIServiceBinding): PolicyReading;
  /** One per binding, for all its resources. */
  budget(binding: APIServiceBinding): DeletionBudget;
  /** Passes on what the operator has approved on the binding. */
  approve(binding: APIServiceBinding): void;
  /** The binding is not served any more. */
  forget(name: string): void;
  /** Nothing is served any more. */
  close(): void;
}

export interface BindingPoliciesOptions {
  readonly orphans?: OrphanOptions | undefined;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** The Secrets that the connection comes from. */
  readonly secrets: () => readonly KubeObject[];
  /** Told when a budget holds something else. */
  readonly changed: (binding: string) => void;
}

export function createBindingPolicies({
  orphans = {},
  clock,
  metrics,
  secrets,
  changed,
}: BindingPoliciesOptions): BindingPolicies {
  const budgets = new Map<string, { readonly uid: string | undefined; readonly budget: DeletionBudget }>();
  const held = metrics.gauge({
    name: 'hawser_sync_deletions_held',
    help: 'Copies that would be deleted as orphans, and are held because there are too many.',
    labels: ['binding'],
  });
  const budgetOf = ({ metadata: { name, uid }, status }: APIServiceBinding): DeletionBudget => {
    const known = budgets.get(name);
    if (known !== undefined && known.uid === uid) return known.budget;
    // What was held before a restart is held after it.
    const budget = createDeletionBudget({
      clock,
      perMinute: orphans.deletionsPerMinute,
      held: isConditionTrue(status?.conditions, DELETIONS_HELD),
    });
    budget.onChange(() => {
      // One of a binding of that name that is gone may still be in use for a moment.
      if (budgets.get(name)?.budget === budget) held.set(budget.held?.count ?? 0, { binding: name });
      changed(name);
    });
    budgets.set(name, { uid, budget });
    return budget;
  };
  return {
    orphans,
    read: ({ metadata }) =>
      readBindingPolicy({
        binding: metadata,
        secrets: secrets().map((secret) => secret.metadata),
        orphans: orphans.policy,
      }),
    budget: budgetOf,
    approve(binding) {
      const token = binding.metadata.annotations?.[hawserAnnotations.approveDeletions];
      if (token !== undefined) budgetOf(binding).approve(token);
    },
    forget(name) {
      budgets.delete(name);
      held.remove({ binding: name });
    },
    close() {
      for (const name of budgets.keys()) held.remove({ binding: name });
      budgets.clear();
    },
  };
}
