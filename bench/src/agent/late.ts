import { pause } from '../writers.js';
import { type Calls, between, perObject } from './agent.js';
import { type AgentInstallation, late, synchronise } from './installation.js';
import { openAgentLoad } from './load.js';
import { type Footprint, footprint } from './measure.js';

/** Measures objects that existed before the sync of their PublishedResource began. */
export interface LateMeasurement {
  readonly count: number;
  readonly ms: number;
  readonly perSecond: number;
  readonly cpuMsPerObject: number;
  readonly calls: Calls;
  readonly before: Footprint;
  /** Highest value seen while it works on them. */
  readonly peakRssBytes: number;
  readonly after: Footprint;
}

const LOOK_MS = 500;

export async function measureLate(
  installation: AgentInstallation,
  { present: count, print }: { readonly present: number; readonly print: (line: string) => void },
): Promise<LateMeasurement> {
  const load = await openAgentLoad(installation, late, 'late');
  const agent = await installation.startAgent();
  await load.leave(count);
  const before = await footprint(agent);
  const callsBefore = await agent.calls();
  const cpu = agent.cpu().total;
  let peakRssBytes = 0;
  const looking = setInterval(() => {
    peakRssBytes = Math.max(peakRssBytes, agent.rssBytes());
  }, LOOK_MS);
  const copied = load.copied(count);
  const start = performance.now();
  await synchronise(installation, late);
  const ms = (await copied) - start;
  clearInterval(looking);
  await pause(3_000);
  const cpuMsPerObject = (agent.cpu().total - cpu) / count;
  const calls = between(callsBefore, await agent.calls());
  const after = await footprint(agent);
  load.close();
  await agent.stop();
  const perSecond = (count * 1_000) / ms;
  print(
    `${count} objects that were there before: ${(ms / 1_000).toFixed(1)} s (${perSecond.toFixed(1)}/s), ${cpuMsPerObject.toFixed(1)} ms CPU per object, at most ${(peakRssBytes / 2 ** 20).toFixed(0)} MiB; heap ${((after.heapBytes - before.heapBytes) / count / 1_000).toFixed(1)} kB per object`,
  );
  print(`  calls per object: ${perObject(calls, count)}`);
  return { count, ms, perSecond, cpuMsPerObject, calls, before, peakRssBytes, after };
}
