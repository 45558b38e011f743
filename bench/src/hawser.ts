import { join } from 'node:path';

import { eventually, freePort } from '@hawser/testenv';

import { type DialectName, dialectOf } from './dialect.js';
import type { Installation } from './installation.js';
import { type Subject, profiling, startSubject } from './subject.js';

/** The konnector as shipped. */
export interface HawserSubject extends Subject {
  /** JavaScript heap in use, garbage included. */
  heapBytes(): Promise<number>;
  /** `host:port` of /readyz and /metrics. */
  readonly address: string;
}

export interface HawserOptions {
  /** Folder for a CPU profile. */
  readonly profile?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the konnector; resolves once it leads, has bound everything, and its caches are filled. */
export async function startHawser(
  installation: Installation,
  root: string,
  options: HawserOptions = {},
): Promise<HawserSubject> {
  const subject = await spawnHawser(installation, root, options);
  await eventually(
    async () =>
      (await metric(
        subject.address,
        /^hawser_informer_last_event_timestamp_seconds\{[^}]*cluster="provider"[^}]*resource="databases/mu,
      )) !== undefined,
    { timeoutMs: 60_000, intervalMs: 250 },
  );
  return subject;
}

interface Program {
  readonly program: string;
  /** Namespace of its Lease. */
  readonly namespace: string;
  readonly args: (address: string) => readonly string[];
}

/** With a Lease, which the v2 program does not use by default. */
const programs: Readonly<Record<DialectName, Program>> = {
  v1: {
    program: 'hawser-konnector',
    namespace: 'kube-bind',
    args: (address) => [`--server-address=${address}`],
  },
  v2: {
    program: 'hawser-kbind',
    namespace: 'kbind',
    args: (address) => [`--metrics-bind-address=${address}`, '--health-probe-bind-address=0', '--leader-elect=true'],
  },
};

/** Starts the konnector without waiting. Always the same identity: it takes over a left lease at once. */
export async function spawnHawser(
  { folder, dialect = dialectOf('v1') }: Pick<Installation, 'folder'> & Partial<Pick<Installation, 'dialect'>>,
  root: string,
  options: HawserOptions = {},
): Promise<HawserSubject> {
  const address = `127.0.0.1:${await freePort()}`;
  const { program, namespace, args } = programs[dialect.name];
  const subject = startSubject(
    'hawser',
    join(root, 'apps/supervisor/bin', program),
    [`--kubeconfig=${join(folder, 'consumer.kubeconfig')}`, ...args(address)],
    { POD_NAME: 'bench', POD_NAMESPACE: namespace, ...profiling(options.profile), ...options.env },
    join(folder, 'hawser.log'),
  );
  return {
    ...subject,
    address,
    heapBytes: async () => (await metric(address, /^nodejs_heap_size_used_bytes/mu)) ?? Number.NaN,
  };
}

/** Value of the first series whose line matches; undefined if there is none. */
export async function metric(address: string, name: RegExp): Promise<number | undefined> {
  const answer = await fetch(`http://${address}/metrics`).catch(() => undefined);
  const line = (await answer?.text())?.split('\n').find((candidate) => name.test(candidate));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
}
