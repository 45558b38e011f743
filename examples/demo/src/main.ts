import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demo } from './demo.js';
import { DemoError, messageOf } from './demo-error.js';
import { readOptions, usage } from './options.js';
import { createTimeline } from './timeline.js';

const write = (text: string): void => { process.stdout.write(text); };
const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** 0: everything was seen; 1: not; 2: wrong arguments; 130: interrupted before the end. */
async function main(args: readonly string[]): Promise<number> {
  const interrupted = new AbortController();
  const stop = (): void => {
    if (interrupted.signal.aborted) return;
    write('\n');
    interrupted.abort(new DemoError('failed', 'interrupted'));
  };
  process.on('SIGINT', stop).on('SIGTERM', stop).on('disconnect', stop);
  try {
    const options = readOptions(args);
    if (options === 'help') write(`${usage}\n`);
    else await demo(options, { root, timeline: createTimeline(write), interrupted: interrupted.signal });
    return 0;
  } catch (error) {
    if (interrupted.signal.aborted && error === interrupted.signal.reason) return 130;
    process.stderr.write(`\n${error instanceof DemoError ? `demo: ${error.message}` : `demo: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}`}\n`);
    return error instanceof DemoError && error.code === 'usage' ? 2 : 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
if (process.connected) process.disconnect();
