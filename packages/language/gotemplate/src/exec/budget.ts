/** A template took more than it was given. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
}

/** What a step of the evaluation costs; a character that a function makes costs one. */
const STEP = 16;

/**
 * What one rendering may still use. Every node that is evaluated costs a step, every character or list element that a function makes a sixteenth of one, and
 * every character that it is given a quarter of that, so that neither loops nor values that grow by doubling can hang or exhaust the process.
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

  /** Charges characters or elements, before they are made. */
  charge(amount: number): void {
    this.#left -= amount;
    // Not `< 0`: what cannot be counted is too much.
    if (!(this.#left >= 0)) throw new BudgetExceeded(`more than ${this.#steps} steps`);
  }
}
