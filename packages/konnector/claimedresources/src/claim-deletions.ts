import type { Clock } from '@hawser/clock';
import { type DeletionBudget, createDeletionBudget } from '@hawser/controller';
import { type APIServiceBinding, getCondition, hawserAnnotations } from '@hawser/kube-bind';

import { CLAIMS_IN_SYNC } from './claims-in-sync.js';

export interface ClaimDeletionsOptions {
  readonly clock: Clock;
  readonly perMinute: number | undefined;
  /** Bindings of the connection. */
  readonly bindings: () => readonly (APIServiceBinding | undefined)[];
  /** Called when the held deletions change. */
  readonly changed: () => void;
}

/** Deletion budget for copies without originals. One per connection: a restore loses objects of all bindings. */
export class ClaimDeletions {
  readonly #options: ClaimDeletionsOptions;
  #budget: DeletionBudget | undefined;

  constructor(options: ClaimDeletionsOptions) {
    this.#options = options;
  }

  /** Undefined: nothing was served yet. */
  get budget(): DeletionBudget | undefined {
    return this.#budget;
  }

  /** Deletions held before a restart stay held after it. */
  open(): DeletionBudget {
    if (this.#budget !== undefined) return this.#budget;
    const { clock, perMinute, bindings, changed } = this.#options;
    const held = bindings().some(
      (binding) => getCondition(binding?.status?.conditions, CLAIMS_IN_SYNC)?.reason === 'ClaimedDeletionsHeld',
    );
    this.#budget = createDeletionBudget({ clock, perMinute, held });
    this.#budget.onChange(changed);
    for (const binding of bindings()) if (binding !== undefined) this.approve(binding);
    return this.#budget;
  }

  /** Passes on the operator's approval from the binding. */
  approve({ metadata: { annotations = {} } }: APIServiceBinding): void {
    for (const token of (annotations[hawserAnnotations.approveDeletions] ?? '').split(/[\s,]+/u))
      this.#budget?.approve(token);
  }
}
