/**
 * Longest page; a longer one is requested again with fewer objects. Fits 500 objects of 16 KiB. Reading and parsing it
 * takes some 40 MiB for a moment.
 */
const PAGE_BYTES = 8 * 1024 * 1024;

/** Pages in a row that must fit before a larger one is tried; doubled after each that did not fit. */
const PATIENCE = 2;

/**
 * Adapts the number of objects per page of one list. Begins with the most, shrinks where a page does not fit, down to
 * one object, and grows again slowly.
 */
export class PageSize {
  readonly #most: number;
  readonly #bytes: number;
  #limit: number;
  #fit = 0;
  #patience = PATIENCE;
  /** The limit before the last growth, until a page of the new size has fitted. */
  #before: number | undefined;

  constructor(most: number, bytes = PAGE_BYTES) {
    this.#bytes = bytes;
    this.#most = most;
    this.#limit = most;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Longest page in bytes. Undefined at one object per page: only the limit of the client remains. */
  get maxBytes(): number | undefined {
    return this.#limit === 1 ? undefined : this.#bytes;
  }

  /** A page was read. */
  fits(): void {
    if (this.#before !== undefined) {
      this.#before = undefined;
      this.#patience = PATIENCE;
    }
    if (++this.#fit < this.#patience || this.#limit === this.#most) return;
    this.#fit = 0;
    this.#before = this.#limit;
    this.#limit = Math.min(this.#limit * 2, this.#most);
  }

  /** A page was too long. False: it cannot be made smaller. */
  shrink(): boolean {
    if (this.#limit === 1) return false;
    this.#fit = 0;
    // The size that fitted before most likely fits again.
    if (this.#before !== undefined) this.#patience *= 2;
    this.#limit = this.#before ?? Math.max(1, Math.floor(this.#limit / 4));
    this.#before = undefined;
    return true;
  }
}
