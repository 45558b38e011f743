import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type Socket, connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { ControlPlane } from './control-plane.js';
import { writeSecret } from './certificates.js';

/** A pair of control planes left running for manual work. One per user. */
export interface RunningPair {
  readonly pid: number;
  readonly kubeconfigs: Readonly<Record<string, string>>;
}

/** Folder of the pair. */
export function pairFolder(): string {
  return join(tmpdir(), `hawser-testenv-up-${userInfo().username}`);
}

/** The pair that runs now, if any. */
export async function runningPair(folder = pairFolder()): Promise<RunningPair | undefined> {
  const socket = await connectTo(folder);
  if (socket === undefined) return undefined;
  socket.destroy();
  return JSON.parse(await readFile(join(folder, 'state.json'), 'utf8')) as RunningPair;
}

/** Stops the pair and waits for its end; false if none runs. */
export async function stopRunningPair(folder = pairFolder()): Promise<boolean> {
  const socket = await connectTo(folder);
  if (socket === undefined) return false;
  await new Promise<void>((resolve) => {
    socket.on('close', () => {
      resolve();
    });
    socket.on('error', () => {
      /* closing */
    });
    socket.resume();
    socket.write('stop\n');
  });
  return true;
}

/**
 * Publishes `controlPlanes` as the running pair.
 * @param onStop called when another process asks it to stop. Call `close` after everything has stopped: it ends the
 * other process's wait.
 */
export async function publishPair(
  controlPlanes: readonly ControlPlane[],
  onStop: () => void,
  folder = pairFolder(),
): Promise<{ readonly pair: RunningPair; close(): Promise<void> }> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700, recursive: true });
  const kubeconfigs: Record<string, string> = {};
  for (const controlPlane of controlPlanes) {
    const file = join(folder, `${controlPlane.name}.kubeconfig`);
    await writeSecret(file, controlPlane.kubeconfig);
    kubeconfigs[controlPlane.name] = file;
  }
  const pair: RunningPair = { pid: process.pid, kubeconfigs };
  const clients = new Set<Socket>();
  const server = createServer((socket) => {
    clients.add(socket);
    socket.on('error', () => {
      /* gone */
    });
    socket.on('close', () => {
      clients.delete(socket);
    });
    socket.on('data', (chunk) => {
      if (String(chunk).startsWith('stop')) onStop();
    });
  });
  await writeFile(join(folder, 'state.json'), JSON.stringify(pair));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(join(folder, 'control.sock'), resolve);
  });
  return {
    pair,
    async close() {
      await rm(folder, { recursive: true, force: true });
      server.close();
      // Processes that wait for the end see it now.
      for (const client of clients) client.end();
    },
  };
}

function connectTo(folder: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(join(folder, 'control.sock'));
    socket.once('connect', () => {
      resolve(socket);
    });
    socket.once('error', () => {
      resolve(undefined);
    });
  });
}
