import type { Standing } from './standing.js';

/** Why something is not in step, in words for the person who must act. */
export interface Finding {
  readonly reason: string;
  readonly message: string;
  readonly actor: 'consumer' | 'provider' | 'operator' | 'nobody';
  /** What the actor does; absent where the message says it all. */
  readonly remedy?: string | undefined;
  /** RFC 3339, as far as it is known. */
  readonly since?: string | undefined;
  /** Type of the condition that tells it. */
  readonly condition?: string | undefined;
}

/** Something that is not in step, or that was asked about. */
export interface Judged {
  /** `Database team-a/orders`. */
  readonly name: string;
  readonly standing: Standing;
  readonly finding?: Finding | undefined;
}
