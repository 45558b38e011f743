import { messageOf } from '@hawser/client';
import { gitVersion, printable, processTerminal } from '@hawser/commands';
import { ConfigError } from '@hawser/config';
import { inOurWords, readCommand } from './command-line.js';

/** Exit codes: 0 success, 1 refused or failed, 2 wrong usage. */
async function main(): Promise<void> {
  try {
    const task = readCommand(process.argv.slice(2), gitVersion);
    if (typeof task === 'string') process.stdout.write(`${task}\n`);
    else process.exitCode = await task(processTerminal());
  } catch (error) {
    process.stderr.write(`error: ${printable(inOurWords(messageOf(error)))}\n`);
    process.exitCode = error instanceof ConfigError ? 2 : 1;
  }
  // Idle keep-alive connections must not keep the process alive.
  setTimeout(() => process.exit(), 1_000).unref();
}

await main();
