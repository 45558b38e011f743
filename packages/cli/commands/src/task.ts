import type { Paint } from '@hawser/preview';

/** What a command that runs once may use of the terminal it runs in. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Colours for `out`; absent: it shows none. */
  readonly paint?: Paint | undefined;
  /** What a person types; undefined where nobody can. */
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}

/** A command that runs once and ends. Resolves to the exit code: 0 in order, 1 failed. @throws ConfigError for wrong usage */
export type Task = (terminal: Terminal) => Promise<number>;
