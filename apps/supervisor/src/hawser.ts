import { main } from './process.js';
import { readRunCommand } from './run-commands.js';

// What runs for long holds nothing of what runs once.
await main(
  async (args, version) =>
    readRunCommand(args, version) ?? (await import('./command-line.js')).readCommand(args, version),
);
