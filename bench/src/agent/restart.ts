import { median, pause } from '../writers.js';
import { type Calls, type TimedCall, between, writesOf } from './agent.js';
import { type AgentInstallation, synced } from './installation.js';
import { openAgentLoad } from './load.js';

/** One restart over synced objects. Milliseconds from the start of the process. */
export interface AgentRestart {
  readonly killed: boolean;
  /** Until the service cluster shows a change made while no agent ran. */
  readonly firstChangeMs: number;
  /** CPU used by then: the part that is independent of other load on the machine. */
  readonly cpuMs: number;
  /** Until some seconds later; includes the change itself. */
  readonly calls: Calls;
  /** Requests up to the one that made the change: their order is independent of other load on the machine. */
  readonly timeline: readonly TimedCall[];
  /** Without the change's two: copy and state Secret. */
  readonly otherWrites: number;
}

/** Long enough for all effects of a start. */
const AFTER_MS = 10_000;
const ROUNDS = 4;
/** Copy and state Secret. */
const WRITES_OF_A_CHANGE = 2;

export async function measureRestart(
  installation: AgentInstallation,
  {
    count,
    profile,
    print,
  }: { readonly count: number; readonly profile?: string | undefined; readonly print: (line: string) => void },
): Promise<readonly AgentRestart[]> {
  const load = await openAgentLoad(installation, synced, 'restart');
  let agent = await installation.startAgent();
  await load.create(count);
  await load.setStatus(count);
  await pause(3_000);
  const results: AgentRestart[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const killed = round % 2 === 1;
    await agent.stop(killed ? 'SIGKILL' : 'SIGTERM');
    const { shown } = await load.pendingChange(round);
    const start = performance.now();
    agent = await installation.startAgent({ profile, wait: false });
    const firstChangeMs = (await shown) - start;
    const cpuMs = agent.cpu().total;
    await pause(AFTER_MS);
    const calls = between({}, await agent.calls());
    const answered = await agent.timeline();
    const timeline = answered.slice(
      0,
      answered.findIndex(({ call }) => call.startsWith('service PATCH databases.')) + 1,
    );
    results.push({ killed, firstChangeMs, cpuMs, calls, timeline, otherWrites: writesOf(calls) - WRITES_OF_A_CHANGE });
    print(
      `  after SIG${killed ? 'KILL' : 'TERM'}: first change ${firstChangeMs.toFixed(0)} ms, ${cpuMs} ms CPU, ${timeline.length} requests; calls ${JSON.stringify(calls)}`,
    );
  }
  await load.delete(count);
  load.close();
  await agent.stop();
  print(
    `restart over ${count} objects in ${installation.workspaces.length} workspaces: first change ${median(results.map((result) => result.firstChangeMs)).toFixed(0)} ms, ${median(results.map(({ cpuMs }) => cpuMs)).toFixed(0)} ms CPU (medians)`,
  );
  return results;
}
