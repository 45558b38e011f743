import type { Task } from './commands/task.js';
import type { Config } from './config.js';

/** What a command line asks for. */
export type Command =
  | { readonly kind: 'run'; readonly config: Config }
  | { readonly kind: 'print'; readonly text: string }
  /** Runs once, and ends. */
  | { readonly kind: 'task'; readonly task: Task };
