/** A template exceeded its budget. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
}

/** Cost of an evaluation step; a character produced by a function costs one. */
const STEP = 16;

/**
 * Remaining budget of one rendering. An evaluated node costs a step; a character or list element produced by a function
 * costs a sixteenth of one; a character passed to a function costs a quarter of that. So neither loops nor values that
 * double can hang or exhaust the process.
 */
export class Budget {
  #left: number;
  readonly #steps: number;

  constructor(steps: number) {
    this.#steps = steps;
    this.#left = steps * STEP;
  }

  /** Charges one evaluated node. */
  step(): void {
    this.charge(STEP);
  }

  /** Charges characters or elements, before they are created. */
  charge(amount: number): void {
    this.#left -= amount;
    // Not `< 0`: NaN also exceeds the budget.
    if (!(this.#left >= 0)) throw new BudgetExceeded(`more than ${this.#steps} steps`);
  }
}
