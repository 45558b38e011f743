import { readFile } from 'node:fs/promises';
import type { Clock } from '@hawser/clock';
import { KubeconfigError } from './kubeconfig-error.js';

/** A projected token is replaced long before it expires; client-go checks as often. */
const FRESH_MS = 60_000;

/**
 * A file that is replaced at run time: a token, a certificate. Rereads it when the last read is more than a minute old.
 */
export class WatchedFile {
  readonly #path: string;
  readonly #clock: Clock;
  #content: string | undefined;
  #readAt = 0;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  /** The last content. */
  get content(): string | undefined {
    return this.#content;
  }

  /**
   * Rereads an old file, or with `renew` any file. Keeps the last content while the file is unreadable or empty: it may
   * be in the middle of a replacement.
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
