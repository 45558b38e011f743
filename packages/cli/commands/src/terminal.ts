import { randomUUID } from 'node:crypto';

import type { Terminal } from './task.js';
import { createColours, wantsColours } from './colours.js';
import { printable, printableLine } from './printable.js';

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const stopping = new AbortController();
  const stop = (): void => {
    if (stopping.signal.aborted) process.exit(1);
    stopping.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const colours = createColours(wantsColours(process.env, process.stdout.isTTY), randomUUID());
  return {
    out: (text) => {
      process.stdout.write(`${colours.shown(text)}\n`);
    },
    err: (text) => {
      process.stderr.write(`${printable(text)}\n`);
    },
    paint: colours.paint,
    async ask(question) {
      if (!process.stdin.isTTY) return undefined;
      const { createInterface } = await import('node:readline/promises');
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await lines.question(printableLine(question), { signal: stopping.signal });
      } catch {
        return undefined;
      } finally {
        lines.close();
      }
    },
    env: process.env,
    signal: stopping.signal,
  };
}
