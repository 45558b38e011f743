import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock, sleep } from '@hawser/clock';
import { ConfigError } from '@hawser/config';
import * as z from 'zod';
import { PortalError } from './portal-api.js';

/** A portal and the login there (spec/kube-bind-cli-and-charts.md §3). Keeps fields of other programs. */
const serverEntry = z.looseObject({
  url: z.string(),
  /** kcp: the logical cluster of the backend. */
  cluster: z.string().optional(),
  /** Absent if the keyring holds it. */
  accessToken: z.string().optional(),
  /** The token is in the keyring of the operating system, under the key of this entry. */
  keyring: z.boolean().optional(),
  /** Renews the login, once. Absent: it cannot be renewed, or the keyring holds it. */
  refreshToken: z.string().optional(),
  tokenType: z.string().optional(),
  /** RFC 3339. */
  expiresAt: z.string().optional(),
  /** The person signed in with `--device-code`: no browser reaches this machine. */
  deviceCode: z.boolean().optional(),
});
export type ServerEntry = z.infer<typeof serverEntry>;

const serverFile = z.looseObject({
  apiVersion: z.literal('v1').default('v1'),
  kind: z.literal('Config').default('Config'),
  servers: z
    .record(z.string(), serverEntry)
    .nullish()
    .transform((servers) => servers ?? {}),
  current: z.string().optional(),
});
export type ServerFile = z.infer<typeof serverFile>;

/** Default of `--config-file`, shared with the Go plugin. */
export function defaultServerFile(): string {
  return join(homedir(), '.kube-bind', 'config');
}

/** Key of an entry in the file, shared with the Go plugin. */
export function keyOfServer({ url, cluster = '' }: Pick<ServerEntry, 'url' | 'cluster'>): string {
  return cluster === '' ? url : `${cluster}@${url}`;
}

/** The command that repeats this login in the same way. */
export function loginAgain({
  url,
  cluster = '',
  deviceCode,
}: Pick<ServerEntry, 'url' | 'cluster' | 'deviceCode'>): string {
  return `kubectl bind login ${url}${cluster === '' ? '' : ` --cluster ${cluster}`}${deviceCode === true ? ' --device-code' : ''}`;
}

/**
 * Reads the file; empty if there is none.
 * @throws ConfigError for a malformed one
 */
export async function readServerFile(path: string): Promise<ServerFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return serverFile.parse({});
    throw new ConfigError(`${path}: cannot be read (${codeOf(error)})`);
  }
  const parsed = serverFile.safeParse(text.trim() === '' ? {} : jsonOf(text));
  // Does not quote the content: it holds tokens.
  if (!parsed.success)
    throw new ConfigError(
      `${path}: is not a file of kubectl bind (${parsed.error.issues[0]?.path.join('.') ?? 'no JSON'}). Move it away, and log in again.`,
    );
  return parsed.data;
}

const LOCK_MS = 10_000;
const LOOK_MS = 50;

/**
 * Changes the file atomically: concurrent changes are not lost, and a crash leaves the former file. Only its owner can
 * read it.
 * @throws ConfigError if it cannot be written
 */
export async function changeServerFile(
  path: string,
  change: (file: ServerFile) => ServerFile | Promise<ServerFile>,
): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await locked(`${path}.lock`, async () => {
      const next = await change(await readServerFile(path));
      const temporary = `${path}.${process.pid}.new`;
      await writeFile(temporary, `${JSON.stringify(next, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
      await rename(temporary, path).catch(async (error: unknown) => {
        await rm(temporary, { force: true });
        throw error;
      });
    });
  } catch (error) {
    if (error instanceof ConfigError || error instanceof PortalError) throw error;
    throw new ConfigError(`${path}: cannot be written (${codeOf(error)})`);
  }
}

/** One process at a time. A lock older than any change takes belonged to a process that is gone. */
async function locked(path: string, work: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 2 * LOCK_MS;
  while (!(await made(path))) {
    if (Date.now() > deadline) throw new ConfigError(`${path} is there: delete it, unless another kubectl bind runs`);
    if (!(await isLeft(path)) || !(await takenAway(path))) await sleep(systemClock, LOOK_MS);
  }
  try {
    await work();
  } finally {
    await rm(path, { force: true });
  }
}

/**
 * Exactly one of the processes that saw the stale lock removes it: a second one could remove the lock of the next
 * holder.
 */
async function takenAway(path: string): Promise<boolean> {
  const turn = `${path}.left`;
  if (!(await made(turn))) return false;
  try {
    if (await isLeft(path)) await rm(path, { force: true });
  } finally {
    await rm(turn, { force: true });
  }
  return true;
}

/** Whether this call created the file. */
async function made(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function isLeft(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > LOCK_MS;
  } catch (error) {
    // Removed in the meantime.
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown failure';
}
