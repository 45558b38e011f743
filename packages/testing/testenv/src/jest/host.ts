import { mkdtemp } from 'node:fs/promises';
import { type Socket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlaneBinaries } from '../binaries.js';
import type { ControlPlaneDescription } from '../layout.js';
import { startReaper } from '../reaper.js';
import { type StartedControlPlane, startDescribed } from '../start.js';
import { type HostAnswer, type SharedName, sharedNames } from './environment.js';

/** Owns the control planes of a run. Starts each on first request. */
export interface ControlPlaneHost {
  readonly socketPath: string;
  /** Stops all started control planes. */
  stop(): Promise<void>;
}

/**
 * Lives in the process of jest: the control planes live exactly as long as the run, independent of test processes. A
 * request is the name in one line; the answer is one line of JSON.
 */
export async function startHost(binaries: ControlPlaneBinaries): Promise<ControlPlaneHost> {
  const folder = await mkdtemp(join(tmpdir(), 'hawser-host-'));
  const reaper = startReaper(folder);
  const socketPath = join(folder, 'host.sock');
  const started = new Map<SharedName, Promise<StartedControlPlane>>();
  const get = (name: SharedName): Promise<StartedControlPlane> => {
    const existing = started.get(name);
    if (existing !== undefined) return existing;
    const fresh = startDescribed({ name, binaries });
    started.set(name, fresh);
    return fresh;
  };
  const answer = async (line: string): Promise<HostAnswer<ControlPlaneDescription>> => {
    const name = sharedNames.find((one) => one === line);
    if (name === undefined) return { error: `no shared control plane is called ${JSON.stringify(line)}` };
    try {
      return { description: (await get(name)).description };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
  const serve = (socket: Socket): void => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('error', () => {
      socket.destroy();
    });
    socket.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end < 0) return;
      socket.pause();
      void answer(text.slice(0, end)).then((reply) => socket.end(`${JSON.stringify(reply)}\n`));
    });
  };
  const server = createServer(serve);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  server.unref();
  return {
    socketPath,
    async stop() {
      server.close();
      const outcomes = await Promise.allSettled(started.values());
      await Promise.all(
        outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.controlPlane.stop()] : [])),
      );
      await reaper.close();
    },
  };
}
