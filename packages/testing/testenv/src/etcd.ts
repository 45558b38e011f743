import type { Layout } from './layout.js';
import { poll } from './poll.js';
import type { Reaper } from './reaper.js';
import { socketRequest } from './request.js';
import { type ServerProcess, startServerProcess } from './server-process.js';
import { TestenvError } from './testenv-error.js';

/** One key of etcd with the JSON text of an object. */
export interface EtcdEntry {
  readonly key: string;
  readonly value: string;
}

/**
 * Starts etcd on a Unix socket: it needs no port, and only our user can read it. Does not sync data to disk: it need
 * not survive the machine.
 */
export function startEtcd(program: string, directory: string, layout: Layout, reaper: Reaper): Promise<ServerProcess> {
  // Required, but unused: there is one member.
  const peer = 'http://127.0.0.1:1';
  return startServerProcess({
    program,
    cwd: directory,
    logFile: layout.log('etcd'),
    reaper,
    args: [
      `--data-dir=${layout.etcdData}`,
      `--listen-client-urls=unix://${layout.etcdSocket}`,
      `--advertise-client-urls=${peer}`,
      `--listen-peer-urls=unix://${layout.etcdPeerSocket}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      '--unsafe-no-fsync',
      // A single member elects itself; waiting the default second is pointless. It ticks once per heartbeat, even when
      // idle.
      '--heartbeat-interval=50',
      '--election-timeout=250',
      '--max-request-bytes=3145728',
      '--log-level=warn',
    ],
  });
}

/** Waits for etcd, then writes `entries` through its HTTP gateway. */
export async function writeEntries(
  socketPath: string,
  entries: readonly EtcdEntry[],
  timeoutMs: number,
): Promise<void> {
  const up = await poll(
    async () => {
      const answer = await socketRequest(socketPath, { method: 'GET', path: '/health' }).catch(() => undefined);
      return answer?.text.includes('"true"') === true ? true : undefined;
    },
    timeoutMs,
    20,
  );
  if (up === undefined) throw new TestenvError('start-failed', 'etcd did not become ready');
  for (const entry of entries) {
    const body = JSON.stringify({ key: base64(entry.key), value: base64(entry.value) });
    const answer = await socketRequest(socketPath, { method: 'POST', path: '/v3/kv/put', body });
    if (answer.status !== 200) throw new TestenvError('start-failed', `etcd refused ${entry.key}: ${answer.text}`);
  }
}

/** Compacts all keys to their current versions. */
export async function compactEtcd(socketPath: string): Promise<void> {
  const { header } = (await ask(socketPath, '/v3/kv/range', { key: base64('/') })) as {
    readonly header: { readonly revision: string };
  };
  await ask(socketPath, '/v3/kv/compaction', { revision: header.revision, physical: true });
}

/** Removes one key, which must exist. */
export async function removeEntry(socketPath: string, key: string): Promise<void> {
  const { deleted } = (await ask(socketPath, '/v3/kv/deleterange', { key: base64(key) })) as {
    readonly deleted?: string;
  };
  if (deleted !== '1') throw new TestenvError('request-failed', `etcd has no ${key}`);
}

async function ask(socketPath: string, path: string, body: object): Promise<unknown> {
  const answer = await socketRequest(socketPath, { method: 'POST', path, body: JSON.stringify(body) });
  if (answer.status !== 200) throw new TestenvError('request-failed', `etcd refused ${path}: ${answer.text}`);
  return JSON.parse(answer.text);
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
