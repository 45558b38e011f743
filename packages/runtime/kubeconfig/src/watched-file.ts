import { readFile } from 'node:fs/promises';
import type { Clock } from '@hawser/clock';
import { KubeconfigError } from './kubeconfig-error.js';

/** A projected token is replaced long before it expires; client-go looks as often. */
const FRESH_MS = 60_000;

/** A file that is replaced while we run: a token, a certificate. Read again when it was read more than a minute ago. */
export class WatchedFile {
  readonly #path: string;
  readonly #clock: Clock;
  #content: string | undefined;
  #readAt = 0;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  /** What was read last. */
  get content(): string | undefined {
    return this.#content;
  }

  /**
   * Reads the file if what is known is old, or at any rate if `renew`. What was read before stays when it cannot be read now, or is empty: it
   * may just be being replaced.
   */
  async refresh(renew: boolean): Promise<string> {
    if (this.#content !== undefined && !renew && this.#clock.monotonic() - this.#readAt < FRESH_MS)
      return this.#content;
    const read = await readFile(this.#path, 'utf8').catch((error: unknown) => {
      if (this.#content !== undefined) return '';
      throw unreadable(this.#path, error);
    });
    this.#readAt = this.#clock.monotonic();
    if (read !== '') this.#content = read;
    if (this.#content === undefined) throw new KubeconfigError('Unreadable', `${this.#path} is empty`);
    return this.#content;
  }
}

export function unreadable(path: string, error: unknown): KubeconfigError {
  const { code } = error as { readonly code?: unknown };
  return new KubeconfigError('Unreadable', `${path} cannot be read${typeof code === 'string' ? ` (${code})` : ''}`, {
    cause: error,
  });
}
