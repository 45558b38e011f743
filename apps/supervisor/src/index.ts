/** The process without its executable, for who runs roles in a process of their own. Only within this workspace. */
export { type Config, parseConfig } from './config.js';
export type { Network, ProcessContext } from './process-context.js';
export { run } from './run.js';
