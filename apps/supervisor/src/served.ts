import type { Client } from '@hawser/client';
import type { ProcessContext } from '@hawser/commands';
import type { Controller } from '@hawser/controller';
import { clusterOf } from './cluster-of.js';
import { persistently } from './persistently.js';
import { startController } from './start-controller.js';
import { until } from './until.js';

/** A server of the process, on leaders and standbys alike. */
export interface Served {
  run(signal: AbortSignal): Promise<void>;
  /** Whether it answers. */
  working(): boolean;
}

/**
 * A server of this process, without an election. Reports and retries what prevents its start, such as a taken port or a
 * missing file.
 * @param open creates the controller anew for each try. Whatever it passes to `own` is closed after the controller
 * ends, and when a try fails.
 */
export function served(
  name: string,
  client: Client,
  context: ProcessContext,
  open: (own: (close: () => Promise<void>) => void) => Promise<Controller<'provider'>>,
): Served {
  let working = false;
  const serve = persistently(async (guarded, signal) => {
    const provider = clusterOf('provider', guarded, name, context);
    const owned: (() => Promise<void>)[] = [];
    let controller: Controller<'provider'> | undefined;
    try {
      controller = await open((close) => owned.push(close));
      await startController(controller, { provider: provider.cluster }, context, signal);
      working = true;
      await until(signal);
    } finally {
      working = false;
      await controller?.stop();
      await provider.close();
      for (const close of owned) await close();
    }
  }, context);
  return { run: (signal) => serve(client, signal, new AbortController().signal), working: () => working };
}
