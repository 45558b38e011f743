import { demo } from './demo.js';
import { DemoError, messageOf } from './demo-error.js';
import { readOptions, usage } from './options.js';
import type { Timeline } from './timeline.js';

export interface MainContext {
  readonly args: readonly string[];
  /** The module of the `hawser` command. */
  readonly hawser: string;
  readonly timeline: Timeline;
}

/** Resolves to the exit code. 0: everything was seen; 1: not; 2: wrong arguments; 130: interrupted early. */
export async function main({ args, hawser, timeline }: MainContext): Promise<number> {
  const interrupted = new AbortController();
  const stop = (): void => {
    if (interrupted.signal.aborted) return;
    timeline.plain();
    interrupted.abort(new DemoError('failed', 'interrupted'));
  };
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
  // The reader of the output is gone.
  process.stdout.on('error', stop);
  try {
    const options = readOptions(args);
    if (options === 'help') timeline.plain(usage);
    else await demo(options, { hawser, timeline, interrupted: interrupted.signal });
    return 0;
  } catch (error) {
    if (interrupted.signal.aborted && error === interrupted.signal.reason) return 130;
    process.stderr.write(
      `\n${error instanceof DemoError ? `demo: ${error.message}` : `demo: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}`}\n`,
    );
    return error instanceof DemoError && error.code === 'usage' ? 2 : 1;
  }
}
