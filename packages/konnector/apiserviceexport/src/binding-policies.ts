import type { KubeObject } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type DeletionBudget, createDeletionBudget } from '@hawser/controller';
import { type APIServiceBinding, hawserAnnotations, isConditionTrue } from '@hawser/kube-bind';
import { type OrphanPolicy, type PolicyReading, readBindingPolicy } from '@hawser/konnector-sync';
import type { Metrics } from '@hawser/telemetry';

import { DELETIONS_HELD } from './policy-conditions.js';

/** What happens to copies whose consumer object is missing. */
export interface OrphanOptions {
  /** Default `Keep`. */
  readonly policy?: OrphanPolicy | undefined;
  /** Deletions per minute and binding; the rest are held. Default 10. */
  readonly deletionsPerMinute?: number | undefined;
  /** Minimum time a copy must be without its object. Default 60 000 ms. */
  readonly graceMs?: number | undefined;
}

/** The policies of a connection's bindings, and the state they need. */
export interface BindingPolicies {
  readonly orphans: OrphanOptions;
  read(binding: APIServiceBinding): PolicyReading;
  /** Deletion budget of a binding, shared by all its resources. */
  budget(binding: APIServiceBinding): DeletionBudget;
  /** Passes on the operator's approval from the binding. */
  approve(binding: APIServiceBinding): void;
  /** Ends service of one binding. */
  forget(name: string): void;
  /** Ends service of all bindings. */
  close(): void;
}

export interface BindingPoliciesOptions {
  readonly orphans?: OrphanOptions | undefined;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** The Secrets of the connection. */
  readonly secrets: () => readonly KubeObject[];
  /** Called when a budget changes what it holds. */
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
    // Copies held before a restart stay held after it.
    const budget = createDeletionBudget({
      clock,
      perMinute: orphans.deletionsPerMinute,
      held: isConditionTrue(status?.conditions, DELETIONS_HELD),
    });
    budget.onChange(() => {
      // A deleted binding of the same name may still be in use for a moment.
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
