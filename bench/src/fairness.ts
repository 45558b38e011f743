import { startHawser, spawnHawser } from './hawser.js';
import type { Installation } from './installation.js';
import { openLoad } from './load.js';
import { rawResource, sample } from './sample.js';
import { pause, quantile, writers } from './writers.js';

export interface FairnessOptions {
  /** Changed objects of the busy binding. */
  readonly count: number;
  readonly changes: number;
  readonly root: string;
  readonly print: (line: string) => void;
}

export interface Fairness {
  /** Single changes of the quiet binding, without other load. */
  readonly quiet: readonly number[];
  /** The same while the other binding has thousands of changed objects to sync. */
  readonly busy: readonly number[];
  /**
   * Meanwhile, single writes straight to the provider's API server, until a watch shows them: the server's own share.
   */
  readonly straightQuiet: readonly number[];
  readonly straightBusy: readonly number[];
  /** Changed objects of the busy binding synced per second. */
  readonly rate: number;
}

/**
 * Needs an installation with two bindings. Changes are made while no konnector runs, so all load is the konnector's
 * own.
 */
export async function benchFairness(
  installation: Installation,
  { count, changes, root, print }: FairnessOptions,
): Promise<Fairness> {
  const [busyTarget, quietTarget] = installation.targets;
  if (busyTarget === undefined || quietTarget === undefined) throw new Error('two bindings are needed');
  const busyLoad = await openLoad(busyTarget, 'busy');
  const quietLoad = await openLoad(quietTarget, 'quiet');
  const straight = await openLoad(
    {
      ...busyTarget,
      resource: rawResource,
      consumer: installation.provider,
      consumerNamespace: 'raw',
      providerNamespace: 'raw',
    },
    'straight',
  );
  let subject = await startHawser(installation, root);
  await installation.provider.create(rawResource, sample(rawResource, 'raw', 'straight-0'));
  await quietLoad.create(10);
  await quietLoad.settled();
  await busyLoad.create(count);
  await busyLoad.settled();
  await pause(2_000);
  const probe = async (times: number[], straightTimes: number[], until: () => boolean): Promise<void> => {
    for (let change = 0; !until(); change++) {
      times.push(await quietLoad.change(change % 10));
      straightTimes.push(await straight.change(0));
      await pause(20);
    }
  };
  const quiet: number[] = [];
  const straightQuiet: number[] = [];
  await probe(quiet, straightQuiet, () => quiet.length >= changes);
  await subject.stop();

  await writers(count, 32, (index) => busyLoad.patch(index, 'all'));
  subject = await spawnHawser(installation, root);
  let done = false;
  const start = performance.now();
  const inStep = busyLoad.shown(count, 'all').then((end) => {
    done = true;
    return (count * 1_000) / (end - start);
  });
  // The first change waits for the start of the process: no sample.
  await quietLoad.change(0);
  const busy: number[] = [];
  const straightBusy: number[] = [];
  await probe(busy, straightBusy, () => done);
  const rate = await inStep;
  for (const load of [busyLoad, quietLoad, straight]) load.close();
  await subject.stop();
  const printDelays = (name: string, times: readonly number[]): void => {
    print(
      `  ${name.padEnd(34)} p50 ${quantile(times, 0.5).toFixed(1).padStart(6)}  p99 ${quantile(times, 0.99).toFixed(1).padStart(6)} ms  (${times.length})`,
    );
  };
  printDelays('single change, nothing else', quiet);
  printDelays(`beside ${count} changed objects`, busy);
  printDelays('straight write, nothing else', straightQuiet);
  printDelays('straight write beside them', straightBusy);
  print(
    `delay beside ${count} changed objects of another binding: p99 ${(quantile(busy, 0.99) - quantile(quiet, 0.99)).toFixed(1)} ms, p50 ${(quantile(busy, 0.5) - quantile(quiet, 0.5)).toFixed(1)} ms; these at ${rate.toFixed(0)} objects/s`,
  );
  return { quiet, busy, straightQuiet, straightBusy, rate };
}
