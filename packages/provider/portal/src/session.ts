import type { Person } from './person.js';

/** Session presented by a browser or a terminal: sealed, so the server stores nothing. */
export interface Session {
  /** Created by the server, one per sign-in. */
  readonly id: string;
  readonly person: Person;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}
