import { type HawserSubject, metric, spawnHawser, startHawser } from './hawser.js';
import type { Installation } from './installation.js';
import { type Load, openLoad } from './load.js';
import { median, pause } from './writers.js';

export interface RestartOptions {
  readonly count: number;
  readonly rounds: number;
  readonly root: string;
  readonly print: (line: string) => void;
}

/** One restart over synced objects, with the same identity. Milliseconds from the start of the process. */
export interface Restart {
  readonly killed: boolean;
  /** Until a controller reconciles for the first time. */
  readonly firstReconcileMs: number;
  /** Until the provider shows a change made while no konnector ran. */
  readonly firstChangeMs: number;
  /** Writes until some seconds later, by resource: without the change, the Lease and the heartbeat. */
  readonly otherWrites: Readonly<Record<string, number>>;
}

/** Long enough for all effects of a start. */
const AFTER_MS = 10_000;

export async function benchRestart(
  installation: Installation,
  { count, rounds, root, print }: RestartOptions,
): Promise<readonly Restart[]> {
  const load = await openLoad(installation.target, 'restart');
  let subject = await startHawser(installation, root);
  await load.create(count);
  await load.settled();
  await load.setStatus(count);
  await pause(2_000);
  const results: Restart[] = [];
  for (let round = 0; round < rounds * 2; round++) {
    const killed = round % 2 === 1;
    await subject.stop(killed ? 'SIGKILL' : 'SIGTERM');
    const [next, result] = await restart(installation, load, root, round, killed);
    subject = next;
    results.push(result);
    print(
      `  after SIG${killed ? 'KILL' : 'TERM'}: first reconcile ${result.firstReconcileMs.toFixed(0)} ms, first change ${result.firstChangeMs.toFixed(0)} ms, other writes ${JSON.stringify(result.otherWrites)}`,
    );
  }
  await load.delete(count);
  load.close();
  await subject.stop();
  const of = (figure: (result: Restart) => number): string => median(results.map(figure)).toFixed(0);
  print(
    `restart over ${count} objects, medians: first reconcile ${of(({ firstReconcileMs }) => firstReconcileMs)} ms, first change ${of(({ firstChangeMs }) => firstChangeMs)} ms`,
  );
  return results;
}

async function restart(
  installation: Installation,
  load: Load,
  root: string,
  round: number,
  killed: boolean,
): Promise<[HawserSubject, Restart]> {
  const logs = [installation.planes.consumer.auditLog(), installation.planes.provider.auditLog()];
  const marks = await Promise.all(logs.map((log) => log.mark()));
  const change = await load.pendingChange(round);
  const start = performance.now();
  const subject = await spawnHawser(installation, root);
  const firstReconcile = reconciled(subject, start);
  const firstChangeMs = (await change.shown) - start;
  const firstReconcileMs = await firstReconcile;
  await pause(AFTER_MS);
  const entries = (
    await Promise.all(
      logs.map((log, index) =>
        log.writes({ ...(marks[index] === undefined ? {} : { since: marks[index] }), userAgent: 'hawser-konnector' }),
      ),
    )
  ).flat();
  const otherWrites: Record<string, number> = {};
  for (const { resource, subresource, group, name } of entries) {
    if (resource === 'leases' || (group === installation.target.resource.group && name === change.name)) continue;
    const what = `${resource}${subresource === undefined ? '' : `/${subresource}`}`;
    otherWrites[what] = (otherWrites[what] ?? 0) + 1;
  }
  return [subject, { killed, firstReconcileMs, firstChangeMs, otherWrites }];
}

async function reconciled({ address }: HawserSubject, start: number): Promise<number> {
  while ((await metric(address, /^hawser_reconcile_total\{/mu)) === undefined) await pause(10);
  return performance.now() - start;
}
