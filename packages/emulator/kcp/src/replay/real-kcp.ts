import { type ChildProcess, spawn } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, freePort } from '@hawser/testenv';
import { Agent, request } from 'undici';
import { parse } from 'yaml';

/** Path of kcp, or why there is none. It is not downloaded: no release has a trusted checksum. */
export type LocatedKcp =
  { readonly kind: 'found'; readonly program: string } | { readonly kind: 'missing'; readonly reason: string };

/** `HAWSER_KCP`, then the newest version in folder `kcp` of the cache. */
export function locateKcp(env: NodeJS.ProcessEnv): LocatedKcp {
  const named = env['HAWSER_KCP'] ?? '';
  if (named !== '')
    return isProgram(named)
      ? { kind: 'found', program: named }
      : { kind: 'missing', reason: `HAWSER_KCP names ${named}, which cannot be run` };
  const folder = join(cacheFolder(env), 'kcp');
  const programs = versionsIn(folder)
    .map((version) => join(folder, version, 'kcp'))
    .filter(isProgram);
  const program = programs.at(-1);
  return program === undefined
    ? { kind: 'missing', reason: `HAWSER_KCP is not set, and there is no version in ${folder}` }
    : { kind: 'found', program };
}

function versionsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  } catch {
    return [];
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface RealKcp {
  readonly url: string;
  readonly authority: string;
  readonly adminToken: string;
  stop(): Promise<void>;
}

const READY_MS = 180_000;

/** Starts kcp in its own folder. `tokens` belong to users without rights. */
export async function startRealKcp(program: string, tokens: Readonly<Record<string, string>>): Promise<RealKcp> {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-kcp-'));
  const [port, client, peer] = [await freePort(), await freePort(), await freePort()];
  const users = join(folder, 'users.csv');
  writeFileSync(
    users,
    Object.entries(tokens)
      .map(([token, user]) => `${token},${user},${user}-uid\n`)
      .join(''),
  );
  const log = openSync(join(folder, 'kcp.log'), 'w');
  const child = spawn(
    program,
    [
      'start',
      `--root-directory=${folder}/root`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--embedded-etcd-client-port=${client}`,
      `--embedded-etcd-peer-port=${peer}`,
      `--token-auth-file=${users}`,
    ],
    { stdio: ['ignore', log, log] },
  );
  closeSync(log);
  const stop = async (): Promise<void> => {
    await ended(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { ...(await ready(child, folder, port)), stop };
  } catch (error) {
    const tail = readFileSync(join(folder, 'kcp.log'), 'utf8').split('\n').slice(-5).join('\n');
    await stop();
    throw new Error(`kcp did not start: ${error instanceof Error ? error.message : String(error)}\n${tail}`, {
      cause: error,
    });
  }
}

async function ready(child: ChildProcess, folder: string, port: number): Promise<Omit<RealKcp, 'stop'>> {
  const deadline = Date.now() + READY_MS;
  const url = `https://127.0.0.1:${port}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const access = accessOf(join(folder, 'root', 'admin.kubeconfig'));
    if (access !== undefined && (await isReady(url, access))) return { url, ...access };
    if (Date.now() > deadline) throw new Error(`it was not ready after ${READY_MS} ms`);
    await new Promise((resolve) => {
      setTimeout(resolve, 250);
    });
  }
}

/** From the kubeconfig that kcp writes at its start. */
function accessOf(file: string): { readonly authority: string; readonly adminToken: string } | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const { clusters = [], users = [] } = parse(text) as {
    readonly clusters?: readonly { readonly cluster: Record<string, string> }[];
    readonly users?: readonly { readonly name: string; readonly user: Record<string, string> }[];
  };
  const authority = clusters[0]?.cluster['certificate-authority-data'];
  const adminToken = users.find(({ name }) => name === 'kcp-admin')?.user['token'];
  return authority === undefined || adminToken === undefined
    ? undefined
    : { authority: Buffer.from(authority, 'base64').toString('utf8'), adminToken };
}

async function isReady(
  url: string,
  { authority, adminToken }: { readonly authority: string; readonly adminToken: string },
): Promise<boolean> {
  const agent = new Agent({ connect: { ca: authority } });
  try {
    const headers = { authorization: `Bearer ${adminToken}` };
    const health = await request(`${url}/readyz`, { dispatcher: agent, headers });
    await health.body.dump();
    // The server reports ready before the root workspace exists.
    const root = await request(`${url}/clusters/root/apis/core.kcp.io/v1alpha1/logicalclusters/cluster`, {
      dispatcher: agent,
      headers,
    });
    return health.statusCode === 200 && root.statusCode === 200 && (await root.body.text()).includes('"phase":"Ready"');
  } catch {
    return false;
  } finally {
    await agent.destroy();
  }
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
