import type { Standing } from './standing.js';

/** Why something is not in step, in words for the person who must act. */
export interface Finding {
  readonly reason: string;
  readonly message: string;
  readonly actor: 'consumer' | 'provider' | 'operator' | 'nobody';
  /** The action for the actor; absent if the message says it all. */
  readonly remedy?: string | undefined;
  /** RFC 3339, if known. */
  readonly since?: string | undefined;
  /** Type of the condition that reports it. */
  readonly condition?: string | undefined;
}

/** An item that is not in step, or that a person asked about. */
export interface Judged {
  /** `Database team-a/orders`. */
  readonly name: string;
  readonly standing: Standing;
  readonly finding?: Finding | undefined;
}
