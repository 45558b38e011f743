import type { Clock } from '@hawser/clock';
import { type DeletionBudget, createDeletionBudget } from '@hawser/controller';
import { type APIServiceBinding, getCondition, hawserAnnotations } from '@hawser/kube-bind';

import { CLAIMS_IN_SYNC } from './claims-in-sync.js';

export interface ClaimDeletionsOptions {
  readonly clock: Clock;
  readonly perMinute: number | undefined;
  /** Those of the connection. */
  readonly bindings: () => readonly (APIServiceBinding | undefined)[];
  /** Told when something else is held. */
  readonly changed: () => void;
}

/** The deletions of copies whose originals are missing. One budget for all bindings of the connection: what a restore loses is lost for all of them. */
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

  /** What was held before a restart is held after it. */
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

  /** Passes on what the operator has approved on the binding. */
  approve({ metadata: { annotations = {} } }: APIServiceBinding): void {
    for (const token of (annotations[hawserAnnotations.approveDeletions] ?? '').split(/[\s,]+/u))
      this.#budget?.approve(token);
  }
}
