import type { Person } from './person.js';

/** What a browser or a terminal presents: sealed, so that the server keeps nothing of it. */
export interface Session {
  /** Made by the server, one for each sign-in. */
  readonly id: string;
  readonly person: Person;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}
