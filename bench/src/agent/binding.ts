import { median } from '../writers.js';
import { type AgentInstallation, synced } from './installation.js';
import { openAgentLoad } from './load.js';

/** Milliseconds from the moment a user sees the APIBinding as Ready. */
export interface BindingTimes {
  /** Until kcp accepts an object. */
  readonly acceptedMs: number;
  /** Until its copy is on the service cluster. */
  readonly copiedMs: number;
}

export async function measureBinding(
  installation: AgentInstallation,
  { bindings, print }: { readonly bindings: number; readonly print: (line: string) => void },
): Promise<readonly BindingTimes[]> {
  const load = await openAgentLoad(installation, synced, 'binding');
  const agent = await installation.startAgent();
  const times: BindingTimes[] = [];
  for (let index = 0; index < bindings; index++) {
    const workspace = await installation.workspace(`binding-${index}`);
    await installation.bound(workspace);
    const start = performance.now();
    const { acceptedAt, copiedAt } = await load.first(workspace);
    times.push({ acceptedMs: acceptedAt - start, copiedMs: copiedAt - start });
  }
  load.close();
  await agent.stop();
  print(
    `from Ready to the first object: ${times.map(({ acceptedMs, copiedMs }) => `${copiedMs.toFixed(0)} ms (accepted after ${acceptedMs.toFixed(0)})`).join(', ')}; median ${median(times.map(({ copiedMs }) => copiedMs)).toFixed(0)} ms`,
  );
  return times;
}
