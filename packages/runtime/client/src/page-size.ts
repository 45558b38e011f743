/** A page that is longer is asked for again with fewer objects: 500 objects of 16 KiB fit. To read and parse it takes some 40 MiB for a moment. */
const PAGE_BYTES = 8 * 1024 * 1024;

/** So many pages in a row fit before a larger one is tried; twice as many after each that did not fit. */
const PATIENCE = 2;

/** How many objects the pages of one list may have. Begins with the most, shrinks where a page does not fit, down to one object, and grows again with care. */
export class PageSize {
  readonly #most: number;
  readonly #bytes: number;
  #limit: number;
  #fit = 0;
  #patience = PATIENCE;
  /** The limit before it grew, until a page has fitted that is as large as it has grown. */
  #before: number | undefined;

  constructor(most: number, bytes = PAGE_BYTES) {
    this.#bytes = bytes;
    this.#most = most;
    this.#limit = most;
  }

  get limit(): number {
    return this.#limit;
  }

  /** How long the page may be. One object is as long as it is: what the client reads at all is the bound then. */
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
    // What fitted before fits again, most likely.
    if (this.#before !== undefined) this.#patience *= 2;
    this.#limit = this.#before ?? Math.max(1, Math.floor(this.#limit / 4));
    this.#before = undefined;
    return true;
  }
}
