import type { Paint } from '@hawser/preview';

/** The parts of its terminal that a one-off command may use. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Colours for `out`; absent: none. */
  readonly paint?: Paint | undefined;
  /** The typed answer of a person; undefined if no person can answer. */
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}

/** A command that runs once and ends. Resolves to the exit code: 0 in order, 1 failed. @throws ConfigError for wrong usage */
export type Task = (terminal: Terminal) => Promise<number>;
