import { main } from './process.js';
import { readRunCommand } from './run-commands.js';

// A long-running process loads no code of one-shot commands.
await main(
  async (args, version) =>
    readRunCommand(args, version) ?? (await import('./command-line.js')).readCommand(args, version),
);
