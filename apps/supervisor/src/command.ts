import type { Task } from '@hawser/commands';
import type { Config } from '@hawser/config';

/** What to run, from the command line. */
export type Command =
  | {
      readonly kind: 'run';
      readonly config: Config;
      /** Reported once, at the start. */
      readonly notices?: readonly string[];
    }
  | { readonly kind: 'print'; readonly text: string }
  /** Runs once and ends. */
  | { readonly kind: 'task'; readonly task: Task };
