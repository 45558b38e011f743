import { messageOf } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { createLogger, createMetrics } from '@hawser/telemetry';

import type { Command } from './command.js';
import { ConfigError } from '@hawser/config';
import { printable, processTerminal, gitVersion, reportedVersion } from '@hawser/commands';
import { loadedRoles } from './role-makers.js';
import { runRoles } from './run.js';

/** Time for work in flight after SIGTERM; then the process ends anyway. */
const STOP_WITHIN_MS = 9_500;

/**
 * The life of an executable: parses its command line, runs until SIGINT or SIGTERM, then shuts down. A second signal
 * ends it at once. Exit codes: 0 success, 1 failed, 2 wrong usage.
 */
export async function main(read: (args: readonly string[], version: string) => Promise<Command>): Promise<void> {
  try {
    const command = await read(process.argv.slice(2), gitVersion);
    switch (command.kind) {
      case 'print':
        process.stdout.write(`${command.text}\n`);
        break;
      case 'task':
        process.exitCode = await command.task(processTerminal());
        break;
      case 'run':
        await serve(command);
        break;
    }
  } catch (error) {
    process.stderr.write(`${printable(messageOf(error))}\n`);
    process.exitCode = error instanceof ConfigError ? 2 : 1;
    // Sockets of a half-failed start must not keep the process alive.
    setTimeout(() => process.exit(), 1_000).unref();
  }
}

async function serve({ config, notices = [] }: Extract<Command, { kind: 'run' }>): Promise<void> {
  const logger = createLogger({ level: config.logging.level, format: config.logging.format });
  for (const notice of notices) logger.warn(notice);
  const metrics = createMetrics({ processMetrics: true });
  const stopping = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping.signal.aborted) process.exit(1);
    logger.info('stopping', { signal });
    stopping.abort();
    setTimeout(() => {
      logger.error('could not end in order in time');
      process.exit(1);
    }, STOP_WITHIN_MS).unref();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  await runRoles(
    config,
    loadedRoles,
    { clock: systemClock, random: Math.random, logger, metrics, version: reportedVersion(), env: process.env },
    stopping.signal,
  );
  logger.info('stopped');
}
