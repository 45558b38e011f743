import type { Clock } from '@hawser/clock';

/** So many random bytes; `randomBytes` of `node:crypto` in a process. Passwords, keys and identifiers that templates make are as good as these. */
export type RandomBytes = (size: number) => Uint8Array;

export interface SprigOptions {
  /** What `now` and `ago` go by. */
  readonly clock: Pick<Clock, 'now'>;
  readonly random: RandomBytes;
  /** What `env` and `expandenv` see. Default: nothing, as whoever can edit a template may not read the environment of a process. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}
