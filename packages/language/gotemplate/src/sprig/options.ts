import type { Clock } from '@hawser/clock';

/**
 * A source of random bytes; `randomBytes` of `node:crypto` in production. Passwords, keys and identifiers from
 * templates depend on its quality.
 */
export type RandomBytes = (size: number) => Uint8Array;

export interface SprigOptions {
  /** Clock for `now` and `ago`. */
  readonly clock: Pick<Clock, 'now'>;
  readonly random: RandomBytes;
  /**
   * Environment for `env` and `expandenv`. Default: empty, because an author of templates must not read the environment
   * of the process.
   */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}
